"""The OpenAPI document: that of FastAPI, with the error responses of each route and the token that it needs."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from thresher.service.authentication import AccessRules
from thresher.service.problem_details import TITLES

PROBLEM = {
    "type": "object",
    "description": "An error (RFC 9457); some have more members, such as the stored outcome.",
    "properties": {
        "type": {"type": "string", "description": "about:blank, or urn:thresher: and the name of an error."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string", "description": "For invalid input: the wrong field, such as `outcomes.0.ticket`."},
        "rule": {"type": "string", "description": "For invalid input: the rule, such as `must be at most 10000`."},
        "errors": {
            "type": "array",
            "description": "For invalid input: the field and the rule of each error.",
            "items": {"type": "object"},
        },
    },
    "required": ["type", "title", "status", "detail"],
}
NEED_POLICY = ("/verdicts", "/offer", "/export/{what}")  # reads that need the policy of the campaign
NEED_SCORES = ("/judge",)  # refused in a campaign without items or without scores
TOKEN = {"type": "http", "scheme": "bearer", "description": "A token from `thresher token new`."}


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of an application; it is built once."""
    if app.openapi_schema is None:
        app.openapi_schema = _build(app, app.state.access_rules)
    return app.openapi_schema


def _build(app: FastAPI, rules: AccessRules) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    parts = document["components"]
    parts["schemas"]["Problem"] = PROBLEM
    parts["securitySchemes"] = {"token": TOKEN}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            is_public = rules.is_public(path)
            operation["security"] = [] if is_public else [{"token": []}]
            operation["responses"].pop("422", None)  # FastAPI's format, which this service does not use
            operation["responses"] |= {str(one): _refusal(one) for one in _codes(path, method, operation, is_public)}
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    return document


def _codes(path: str, method: str, operation: dict[str, Any], is_public: bool) -> list[int]:
    """Return the error statuses of a route, from its method and its inputs."""
    inputs = {one["name"] for one in operation.get("parameters", ())} - {"campaign"}
    is_change = method != "get"
    may_be = {
        401: not is_public,
        403: is_change or not is_public,
        404: "{" in path,
        409: is_change or path.endswith(NEED_POLICY),
        413: True,
        421: True,
        422: is_change or bool(inputs) or path.endswith(NEED_SCORES),
        429: True,
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
