"""The OpenAPI document: what FastAPI writes, with the refusals that each route can give and the token that it needs."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from thresher.service.gate import Door
from thresher.service.problems import TITLES

PROBLEM = {
    "type": "object",
    "description": "What was wrong (RFC 9457); some have more members, such as the stored outcome.",
    "properties": {
        "type": {"type": "string", "description": "about:blank, or urn:thresher: and the name of an error."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string", "description": "Of invalid input: which one is wrong, `outcomes.0.ticket` say."},
        "rule": {"type": "string", "description": "Of invalid input: what it must be, `must be at most 10000` say."},
        "errors": {
            "type": "array",
            "description": "Of invalid input: the field and the rule of everything that is wrong.",
            "items": {"type": "object"},
        },
    },
    "required": ["type", "title", "status", "detail"],
}
NEED_POLICY = ("/verdicts", "/export/{what}")  # reads that a campaign without its policy cannot answer
LIMITED = ("/campaigns", "/verdicts", "/pulls", "/history", "/export/{what}")  # so many of these reads at a time
TOKEN = {"type": "http", "scheme": "bearer", "description": "A token of `thresher token new`."}


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an application; it is written once."""
    if app.openapi_schema is None:
        app.openapi_schema = _written(app, app.state.door)
    return app.openapi_schema


def _written(app: FastAPI, door: Door) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    parts = document["components"]
    parts["schemas"]["Problem"] = PROBLEM
    parts["securitySchemes"] = {"token": TOKEN}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            is_public = door.is_open(path)
            operation["security"] = [] if is_public else [{"token": []}]
            operation["responses"].pop("422", None)  # FastAPI's own shape of it, which is not ours
            operation["responses"] |= {str(one): _refusal(one) for one in _codes(path, method, operation, is_public)}
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    return document


def _codes(path: str, method: str, operation: dict[str, Any], is_public: bool) -> list[int]:
    """Return the statuses with which a route refuses, from what it takes."""
    inputs = {one["name"] for one in operation.get("parameters", ())} - {"campaign"}
    is_change = method != "get"
    may_be = {
        401: not is_public,
        403: is_change or not is_public,
        404: "{campaign}" in path,
        409: is_change or path.endswith(NEED_POLICY),
        413: True,
        421: True,
        422: bool(inputs) or "requestBody" in operation,
        429: path.endswith("/verify") if is_change else path.endswith(LIMITED),
        503: path.rpartition("/")[2] != "health",
    }
    return [status for status, is_possible in may_be.items() if is_possible]


def _refusal(status: int) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    refusal: dict[str, Any] = {
        "description": TITLES[status],
        "content": {"application/problem+json": {"schema": schema}},
    }
    headers = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}
    if status in headers:
        refusal["headers"] = {headers[status]: {"required": True, "schema": {"type": "string"}}}
    return refusal
