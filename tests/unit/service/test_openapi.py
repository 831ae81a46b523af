"""The OpenAPI document: every route, the token it needs, the statuses it can give."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from thresher.campaign.storage import MemoryStorage
from thresher.service import create_app
from thresher.service.openapi import openapi_document
from thresher.service.settings import API

C = "/campaigns/{campaign}"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi_document(create_app(MemoryStorage()))


def test_every_route_is_described_and_says_whether_it_needs_a_token(document: dict[str, Any]) -> None:
    operations = [(path, one) for path, methods in document["paths"].items() for one in methods.values()]
    assert len(operations) == 42
    for path, operation in operations:
        assert operation["description"]
        is_public = path in (f"{API}/health", f"{API}/ready")
        assert operation["security"] == ([] if is_public else [{"token": []}])
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


@pytest.mark.parametrize(
    ("method", "path", "codes"),
    [
        ("get", "/health", "200 413 421 429"),
        ("get", "/ready", "200 413 421 429 503"),
        ("get", "/metrics", "200 401 403 413 421 429 503"),
        ("get", "/campaigns", "200 401 403 413 421 422 429 503"),
        ("post", "/campaigns", "201 401 403 409 413 421 422 429 503"),
        ("get", f"{C}/events", "200 401 403 404 413 421 429 503"),
        ("get", f"{C}/history", "200 401 403 404 413 421 422 429 503"),
        ("get", f"{C}/verdicts", "200 401 403 404 409 413 421 422 429 503"),
        ("get", f"{C}/items", "200 401 403 404 413 421 422 429 503"),
        ("post", f"{C}/verify", "200 401 403 404 409 413 421 422 429 503"),
        ("post", f"{C}/pause", "200 401 403 404 409 413 421 422 429 503"),
        ("post", f"{C}/tell", "200 401 403 404 409 413 421 422 429 503"),
    ],
)
def test_a_route_names_the_statuses_that_it_can_give(
    document: dict[str, Any], method: str, path: str, codes: str
) -> None:
    assert sorted(document["paths"][API + path][method]["responses"]) == codes.split()


def test_every_refusal_is_a_problem_and_says_what_to_do_next(document: dict[str, Any]) -> None:
    told = document["paths"][f"{API}{C}/tell"]["post"]["responses"]
    for status in ("401", "409", "503"):
        shape = told[status]["content"]["application/problem+json"]["schema"]
        assert shape == {"$ref": "#/components/schemas/Problem"}
    assert told["503"]["headers"]["Retry-After"]["required"]
    assert told["401"]["headers"]["WWW-Authenticate"]["required"]


def test_the_document_is_served(client: TestClient, document: dict[str, Any]) -> None:
    assert client.get(f"{API}/openapi.json").json() == document
