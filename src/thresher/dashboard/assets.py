"""Static files: read once, served by name, never looked up as paths."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

from thresher.service import problem_response

PREFIX = "/static/"
FOR_EVER = "public, max-age=31536000, immutable"
FILES = {
    "style.css": ("thresher.dashboard", "static/style.css", "text/css"),
    "pictures.css": ("thresher.report", "pictures.css", "text/css"),
    "live.js": ("thresher.dashboard", "static/live.js", "text/javascript"),
    "other_bar.js": ("thresher.dashboard", "static/other_bar.js", "text/javascript"),
    "charts.js": ("thresher.dashboard", "static/charts.js", "text/javascript"),
    "icon.svg": ("thresher.dashboard", "static/icon.svg", "image/svg+xml"),
    "uPlot.js": ("thresher.dashboard", "static/vendor/uPlot.iife.min.js", "text/javascript"),
    "uPlot.css": ("thresher.dashboard", "static/vendor/uPlot.min.css", "text/css"),
}


@dataclass(frozen=True)
class Asset:
    """A static file."""

    content: bytes
    media_type: str

    @property
    def digest(self) -> str:
        """The beginning of its SHA-256 hash; with it in the URL a browser may cache the file indefinitely."""
        return hashlib.sha256(self.content).hexdigest()[:16]


@cache
def assets() -> dict[str, Asset]:
    """Return all static files by name."""
    return {
        name: Asset(resources.files(package).joinpath(path).read_bytes(), f"{kind}; charset=utf-8")
        for name, (package, path, kind) in FILES.items()
    }


def asset_url(name: str) -> str:
    """Return the address of a static file."""
    return f"{PREFIX}{assets()[name].digest}/{name}"


async def static(request: Request, digest: str, name: str) -> Response:
    """Return a static file."""
    asset = assets().get(name)
    if asset is None or asset.digest != digest:
        return problem_response(404, f"There is no such file; {request.method} a page first.")
    return Response(asset.content, media_type=asset.media_type, headers={"Cache-Control": FOR_EVER})
