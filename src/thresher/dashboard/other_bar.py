"""What another bar would change: a slider on the page of a campaign, and the decisions that would differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from thresher.campaign import Verdict, flips, takes_another_bar
from thresher.dashboard.board import Board, boards_of
from thresher.dashboard.rendering import page
from thresher.dashboard.term_fields import number_in
from thresher.errors import InvalidInputError
from thresher.report import KEPT, bar_of, decided_clause, flips_clause, span_of, without_outliers
from thresher.service import Readable

router = APIRouter(include_in_schema=False)
BarText = Annotated[str, Query(max_length=40)]
STEPS = 100  # of the slider, about
SHOWN = 50  # decisions that would change, on a page


class Slider(NamedTuple):
    """The ends, the step and the first position of the slider, as a browser reads them."""

    low: str
    high: str
    step: str
    value: str


class Changed(NamedTuple):
    """An arm that another bar would decide otherwise: its place among the rows, its name, and both decisions."""

    place: int
    arm: str
    before: str
    after: str


@dataclass(frozen=True)
class OtherBar:
    """What a page says of another bar.

    Parameters
    ----------
    text : str
        The bar as it was typed; empty if none was.
    slider : Slider or None
        None if no two means or bars differ.
    are_many : bool
        Whether the arms have different bars now.
    complaint : str
        Why it cannot be a bar.
    sentence : str
        What would be decided.
    changed : sequence of Changed
        At most :data:`SHOWN`.
    hidden : int
        How many more would change.
    """

    text: str
    slider: Slider | None
    are_many: bool
    complaint: str = ""
    sentence: str = ""
    changed: Sequence[Changed] = ()
    hidden: int = 0


@router.get("/campaigns/{campaign:name}/other-bar")
def other_bar(request: Request, served: Readable, bar: BarText = "") -> Response:
    """Show what another bar would change, without the rest of the page."""
    shown = other_bar_of(boards_of(request).of(served), bar)
    return page(request, "other_bar.html", name=served.backend.name, other=shown)


def other_bar_of(board: Board, text: str) -> OtherBar | None:
    """Return what this bar would change; None if the campaign cannot be judged by another one."""
    if not takes_another_bar(board.served.terms):
        return None
    own = board.verdicts()
    shown = OtherBar(text.strip(), _slider(own, text), are_many=len({row.threshold for row in own}) > 1)
    if not shown.text:
        return shown
    try:
        found = board.served.verdicts(bar=number_in("threshold", text))[1]
    except InvalidInputError as error:
        return replace(shown, complaint=str(error.at("bar")))
    rows = list(found)[: len(own)]  # an arm may have been added in between
    differ = flips(own, rows)
    decided = f"{bar_of(rows, found.said)} {decided_clause(rows, found.said.passes)}."
    sentence = f"{decided} {flips_clause(differ, len(own))}. {KEPT}"
    places = {row.arm: place for place, row in enumerate(own)}
    changed = [Changed(places[one.arm], one.arm, one.before, one.after) for one in differ[:SHOWN]]
    return replace(shown, sentence=sentence, changed=changed, hidden=len(differ) - len(changed))


def _slider(rows: Sequence[Verdict], text: str) -> Slider | None:
    """Return the slider: between the lowest and the highest of all means and bars, at the bar that is shown."""
    bars = [row.threshold for row in rows]
    known = [*without_outliers([row.mean for row in rows if row.mean is not None]), *bars]
    if len(set(known)) < 2:
        return None
    low, high = span_of(known, margin=0.0)
    step = 10.0 ** math.floor(math.log10((high - low) / STEPS))
    first, last = math.floor(low / step + 1e-9) + 1, math.ceil(high / step - 1e-9) - 1
    if last <= first:
        return None
    middle = min(bars) if len(set(bars)) == 1 else 0.5 * (min(bars) + max(bars))
    return Slider(*(f"{value:.10g}" for value in (first * step, last * step, step, _number(text, middle))))


def _number(text: str, otherwise: float) -> float:
    try:
        return number_in("threshold", text)
    except InvalidInputError:
        return otherwise
