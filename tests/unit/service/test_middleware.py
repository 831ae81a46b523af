"""Checks of every request: host names, the cross-origin rule, sizes of bodies, headers of responses."""

import pytest
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from thresher.service.middleware import host_of, is_same_origin

CHANGE = "/api/v1/campaigns/c/pause"


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("example.org", "example.org"),
        ("Example.ORG:8000", "example.org"),
        ("[::1]:8000", "[::1]"),
        ("[::1]", "[::1]"),
        ("", ""),
        ("a:b", "a:b"),
    ],
)
def test_the_host_is_named_without_its_port(header: str, host: str) -> None:
    assert host_of(header) == host


@pytest.mark.parametrize(
    ("headers", "is_same"),
    [
        ({}, True),  # curl
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
        ({"sec-fetch-site": "none"}, False),
        ({"origin": "http://h:1"}, True),
        ({"origin": "https://H:1"}, True),
        ({"origin": "http://h:2"}, False),
        ({"origin": "http://h"}, False),
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"cookie": "thresher_session=x"}, False),
        ({"cookie": "thresher_session=x", "sec-fetch-site": "same-origin"}, True),
        ({"cookie": "thresher_session=x", "origin": "http://h:1"}, True),
        ({"sec-fetch-site": "cross-site", "origin": "http://h:1"}, False),
    ],
)
def test_who_may_change_something(headers: dict[str, str], is_same: bool) -> None:
    assert is_same_origin(Headers(headers), "h:1") is is_same


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "testserver.evil"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_foreign_host_is_turned_away_whatever_the_route(client: TestClient, host: str, method: str) -> None:
    for path in ("/api/v1/health", "/api/v1/campaigns", CHANGE, "/"):
        assert client.request(method, path, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "MOVE"])
def test_another_sites_page_changes_nothing(client: TestClient, method: str) -> None:
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}, {"Cookie": "a=b"}):
        answer = client.request(method, CHANGE, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    assert client.get("/api/v1/campaigns/c").json()["status"] == "open"


def test_cors_allows_no_origin(client: TestClient) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    for answer in (client.options("/api/v1/campaigns", headers=asked), client.get("/api/v1/campaigns", headers=asked)):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", ["/api/v1/health", "/api/v1/campaigns", "/api/v1/campaigns/c/nothing", "/nothing"])
def test_every_answer_is_sealed(client: TestClient, stranger: TestClient, path: str) -> None:
    for who in (client, stranger):
        headers = who.get(path).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert policy.startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_a_body_over_the_limit_is_not_read(client: TestClient) -> None:
    path = "/api/v1/campaigns/c/tell"
    body = b'{"outcomes": [' + b" " * 1_000_000 + b"]}"
    told = client.post(path, content=body, headers={"Content-Type": "application/json"})
    chunked = client.post(path, content=iter([body[:600_000], body[600_000:]]))
    assert (told.status_code, chunked.status_code) == (413, 413)
    assert told.headers["content-type"] == "application/problem+json"
    assert chunked.headers["content-type"] == "application/problem+json"
    small = client.post(path, content=b'{"outcomes": []}', headers={"Content-Type": "application/json"})
    assert small.status_code == 200


def test_a_length_of_many_digits_is_too_large(client: TestClient, app: FastAPI) -> None:
    answer = client.post("/api/v1/campaigns/c/tell", content=b"{}", headers={"Content-Length": "9" * 5000})
    assert answer.status_code == 413
