"""Templates with automatic escaping."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from thresher.dashboard.assets import asset_url
from thresher.report import (
    BIAS,
    SIGNS,
    WORDS,
    amount,
    badge_of,
    breakable,
    chance,
    exact,
    figure,
    interval_cell,
    rate,
    sentence_of,
)
from thresher.terms import in_words

# Entries of the menu: path, label, and the scope that they need.
MENU = (
    ("/", "Campaigns", ""),
    ("/new", "New campaign", "admin"),
    ("/import", "Import a log", "admin"),
    ("/tokens", "Tokens", "admin"),
    ("/settings", "Settings", "admin"),
)


@cache
def environment() -> Environment:
    """Return the templates."""
    made = Environment(
        loader=PackageLoader("thresher.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"amount": amount, "chance": chance, "exact": exact, "figure": figure, "rate": rate}
    made.filters |= {
        "moment": moment,
        "minute": minute,
        "sentence": sentence_of,
        "interval": interval_cell,
        "breakable": lambda name: Markup(breakable(name)),  # noqa: S704
        "in_words": lambda value, name: in_words(name, value),
    }
    made.globals |= {
        "asset": asset_url,
        "campaign_url": campaign_url,
        "menu": MENU,
        "signs": SIGNS,
        "decision_words": WORDS,
        "drawn": Markup,
        "badge_of": badge_of,
        "bias": BIAS,
    }
    return made


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page for the caller."""
    caller = getattr(request.state, "caller", None)
    text = environment().get_template(template).render(caller=caller, here=_menu_entry(request), **values)
    return HTMLResponse(text, status_code=status)


def _menu_entry(request: Request) -> str:
    """Return the entry of the menu that a page belongs to: its own path, or the list for the pages of a campaign."""
    path: str = request.scope["path"]
    return "/" if path.startswith("/campaigns/") else path


def campaign_url(name: str, *rest: object) -> str:
    """Return the URL of a campaign's page, or of a page below it."""
    return "/".join(["/campaigns", quote(name, safe=""), *map(str, rest)])


def moment(value: datetime) -> str:
    """Return a readable time in UTC."""
    return value.strftime("%Y-%m-%d %H:%M:%S")


def minute(value: datetime) -> str:
    """Return a readable time in UTC without seconds."""
    return value.strftime("%Y-%m-%d %H:%M")
