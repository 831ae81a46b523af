"""Bodies as they are read here: JSON in which every key stands once and every number is one."""

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
    """A route that reads JSON strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return handle_strictly


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
