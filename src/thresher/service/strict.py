"""Input as it is read here: bodies and queries in which every key is known and stands once, every number is one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from thresher.service.problems import problem

MOST_SHOWN = 20


def read_json(body: bytes) -> Any:
    """Return a JSON document.

    Raises
    ------
    json.JSONDecodeError
        If it is none; if a key stands twice, a number is not finite or has thousands of digits, or it nests too deep.
    """
    try:
        text = body.decode("utf-8")
        return json.loads(text, object_pairs_hook=_each_key_once, parse_constant=_refuse, parse_float=_finite)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError("not a document that is read here", "", 0) from error


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands there twice")
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
    """A route that reads JSON strictly and takes no query that it does not know."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        handle = super().get_route_handler()
        known = {parameter.alias for parameter in self.dependant.query_params}

        async def handle_strictly(request: Request) -> Response:
            _check_query(request, known)
            return await handle(StrictRequest(request.scope, request.receive))

        return handle_strictly


def _check_query(request: Request, known: set[str]) -> None:
    """Refuse a key that would be ignored: `limt=5` is not a page of the usual size."""
    given = [key for key, _ in request.query_params.multi_items()]
    if not set(given) <= known:
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("query", "")}])
    if len(set(given)) < len(given):
        raise RequestValidationError([{"type": "key_given_twice", "loc": ("query",)}])


def answer_to_invalid_input(_: Request, error: Exception) -> Response:
    """Return what is wrong and where, and nothing of what was sent: neither values nor keys that we do not know."""
    assert isinstance(error, RequestValidationError)
    found = [{"where": _where(one), "what": str(one["type"]).replace("_", " ")} for one in error.errors()[:MOST_SHOWN]]
    first = f"{found[0]['where']}: {found[0]['what']}" if found else "cannot be read"
    return problem(422, f"The request is not as the OpenAPI document says: {first}.", errors=found)


def _where(one: dict[str, Any]) -> str:
    place = list(one["loc"])
    if one["type"] in ("extra_forbidden", "json_invalid", "invalid_key"):
        place = place[:-1]
    return ".".join(str(step) for step in place if isinstance(step, int) or (step.isidentifier() and len(step) < 40))
