"""Strict parsing of bodies and queries: every key is known and given once, and every number is finite."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from thresher.service.problem_details import problem_response
from thresher.terms import LIMITS, rule_of

MOST_SHOWN, MOST_TOLD = 20, 3
NO_BODY = (b"", b"{}")
KEY = re.compile(r"[A-Za-z_][\w-]{0,39}")


def read_json(body: bytes) -> Any:
    """Return a JSON document.

    Raise JSONDecodeError if it is not JSON, a key is repeated, a number is not finite or has thousands of digits, or
    it is too deeply nested.
    """
    try:
        text = body.decode("utf-8")
        return json.loads(text, object_pairs_hook=_each_key_once, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError("not a document that this service accepts", "", 0) from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key is repeated")
    return table


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _refuse(_: str) -> NoReturn:
    raise ValueError("a number that is not finite")


class StrictRequest(Request):
    """A request whose JSON is read strictly."""

    async def json(self) -> Any:
        """Return the body."""
        return read_json(await self.body())


class StrictRoute(APIRoute):
    """A route that parses JSON strictly and rejects unknown query parameters, and a body that it would ignore."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        handle = super().get_route_handler()
        known = {parameter.alias for parameter in self.dependant.query_params}
        ignores_body = self.body_field is None and self.methods != {"GET"}

        async def handle_strictly(request: Request) -> Response:
            _check_query(request, known)
            strict = StrictRequest(request.scope, request.receive)
            if ignores_body and (await strict.body()).strip() not in NO_BODY:
                raise RequestValidationError([{"type": "ignored_body", "loc": ("body",)}])
            return await handle(strict)

        return handle_strictly


def _check_query(request: Request, known: set[str]) -> None:
    """Reject a key that would be ignored: `limt=5` must not return a page of the default size."""
    given = [key for key, _ in request.query_params.multi_items()]
    if not set(given) <= known:
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("query", "")}])
    if len(set(given)) < len(given):
        raise RequestValidationError([{"type": "key_given_twice", "loc": ("query",)}])


# By Pydantic's type of an error; braces are filled from its context. Ranges have rules of their own, see `_rule`.
RULES = {
    "missing": "must be given",
    "extra_forbidden": "must not have an unknown key",
    "key_given_twice": "must have every key once",
    "ignored_body": "must be empty: this request takes nothing",
    "json_invalid": "must be JSON: finite numbers, every key once",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must not be empty",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number that fits 64 bits",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be finite",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "enum": "must be {expected}",
    "value_error": "{error}",
}
TYPES = ("bool", "int", "constrained-int", "float", "str", "NewArm")  # steps into a union, which are not keys


def answer_to_invalid_input(_: Request, error: Exception) -> Response:
    """Return a problem document with the field and the rule of each error."""
    detail, wrong = wrong_fields(error)
    errors: list[Any] = [{"field": field, "rule": rule} for field, rule in wrong.items()]
    return problem_response(422, detail, error="InvalidInputError", **errors[0], errors=errors)


def wrong_fields(error: Exception) -> tuple[str, dict[str, str]]:
    """Return a message, and the rule of each wrong field; they contain no values and no unknown keys."""
    assert isinstance(error, RequestValidationError)
    found: dict[str, list[str]] = {}
    for one in error.errors()[:MOST_SHOWN]:
        found.setdefault(_field(one), []).append(_rule(one))
    wrong = {field: " or ".join(dict.fromkeys(rules)).replace(" or must be ", " or ") for field, rules in found.items()}
    return "; ".join(f"{field} {rule}" for field, rule in list(wrong.items())[:MOST_TOLD]), wrong


def _field(one: dict[str, Any]) -> str:
    place = list(one["loc"])
    if one["type"] in ("extra_forbidden", "json_invalid", "invalid_key"):
        place = place[:-1]
    steps = [str(step) for step in place[1:] if isinstance(step, int) or (KEY.fullmatch(step) and step not in TYPES)]
    return ".".join(steps) or str(one["loc"][0])


def _rule(one: dict[str, Any]) -> str:
    context = one.get("ctx", {})
    limits = {name: context[name] for name in LIMITS if name in context}
    if limits:
        return rule_of(limits)
    if isinstance(one.get("input"), bytes):  # FastAPI parses no body of another content type
        return "must be JSON, with the header Content-Type: application/json"
    return RULES.get(one["type"], "must be as the OpenAPI document says").format(**context)
