"""From values to pages: templates that escape whatever they are given."""

from __future__ import annotations

import math
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from thresher.dashboard.assets import asset_url
from thresher.report.svg import number
from thresher.report.verdict_rows import look_of

SIGNS = {"above": "▲", "below": "▼", "undecided": "●"}


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
    made.filters |= {"number": number, "share": share, "moment": moment, "look": look_of, "words": words_of}
    made.filters["sentence"] = sentence_of
    made.tests["finite"] = math.isfinite
    made.globals |= {"asset": asset_url, "campaign_url": campaign_url, "signs": SIGNS, "drawn": Markup}
    return made


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """Return a page for whoever is calling."""
    caller = getattr(request.state, "caller", None)
    text = environment().get_template(template).render(caller=caller, **values)
    return HTMLResponse(text, status_code=status)


def campaign_url(name: str, *rest: object) -> str:
    """Return the address of a campaign's page, or of something of it."""
    return "/".join(["/campaigns", quote(name, safe=""), *map(str, rest)])


def words_of(row: Any) -> str:
    """Return a verdict in words: what is not sure is only likely."""
    return row.verdict if row.sure or row.verdict == "undecided" else f"likely {row.verdict}"


def sentence_of(text: str) -> str:
    """Return what an error or a note says as a sentence: a capital in front, a full stop behind."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '…')) else '.'}"


def share(value: float | None) -> str:
    """Return a probability for people."""
    if value is None or value != value:
        return "–"
    return "< 0.01 %" if 0 < value < 1e-4 else f"{100 * value:.2g} %"


def moment(value: datetime) -> str:
    """Return a time for people, in UTC."""
    return value.strftime("%Y-%m-%d %H:%M:%S")
