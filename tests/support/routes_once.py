"""The routes of all applications of a process are built once: FastAPI takes longer to build them than most tests.

Each application includes the same routers, and FastAPI would build the fields and the parameters of each route anew for
each of them. What depends on the application, its overrides of dependencies, stays its own.
"""

from __future__ import annotations

import copy
import dataclasses
from collections import defaultdict
from typing import Any

from fastapi import routing
from fastapi.routing import APIRoute


def build_routes_once() -> None:
    """Let FastAPI build what applications share of a route once in this process, if this version builds it so."""
    context_class: Any = getattr(routing, "_EffectiveRouteContext", None)
    if context_class is None:
        return
    build = context_class.from_api_route
    built = defaultdict[int, list[tuple[Any, Any]]](list)  # of each route, how it was included and what came of it

    def from_api_route(*, original_route: APIRoute, include_context: Any) -> Any:
        included = dataclasses.replace(include_context, dependency_overrides_provider=None)
        known = built[id(original_route)]  # what came of it holds the route: no other one is given its number
        whole = next((whole for how, whole in known if how == included), None)
        if whole is None:
            whole = build(original_route=original_route, include_context=included)
            known.append((included, whole))
        context = copy.copy(whole)
        context.dependency_overrides_provider = include_context.dependency_overrides_provider
        token = routing._effective_route_context_var.set(context)
        try:
            context.app = routing.request_response(original_route.get_route_handler())
        finally:
            routing._effective_route_context_var.reset(token)
        return context

    context_class.from_api_route = staticmethod(from_api_route)
