"""Health, readiness, metrics for Prometheus and the OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import JSONResponse, Response

from thresher.service import shapes
from thresher.service.context import READ, MetricsOf, RegistryOf, needs
from thresher.service.openapi import openapi_document
from thresher.service.settings import API

router = APIRouter(prefix=API, tags=["health"])


@router.get("/health", response_model=shapes.Health)
async def health() -> Any:
    """Report that the server is running; needs no token."""
    return shapes.Health()


@router.get("/ready", response_model=shapes.Health)
def ready(registry: RegistryOf) -> Any:
    """Report that the database is available too, else 503; needs no token."""
    registry.ping()
    return shapes.Health()


@router.get("/metrics", dependencies=[needs("read"), READ], response_class=Response)
def metrics(numbers: MetricsOf) -> Response:
    """Return the metrics of this server and of the newest campaigns for Prometheus."""
    return Response(generate_latest(numbers.registry), media_type=CONTENT_TYPE_LATEST)


@router.get("/openapi.json", dependencies=[needs("read")], response_model=dict[str, Any])
async def openapi(request: Request) -> JSONResponse:
    """Return the OpenAPI document."""
    return JSONResponse(openapi_document(request.app))
