"""The routes of the service: each reads its input, makes one call and returns the result."""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.service.routes import campaigns, health, pulls, reads, tokens, verbs

import_lazily(__name__)

__all__ = [
    "campaigns",
    "health",
    "pulls",
    "reads",
    "tokens",
    "verbs",
]
