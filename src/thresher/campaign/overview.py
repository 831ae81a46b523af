"""The overview of a campaign, for the dashboard and for reports."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from thresher.campaign.items import Items
from thresher.campaign.ledger import Terms
from thresher.campaign.messages import Standing
from thresher.campaign.trajectory import Point, Settled, projected, settled_in
from thresher.campaign.verdicts import Verdict, Verdicts
from thresher.errors import InvalidInputError
from thresher.inference import Agreement
from thresher.report import item_view, judge_view

READ = 0.9  # least share of the spending that the read part of the log must cover, to say when arms were decided


class HasJudge(Protocol):
    """A campaign, or what is concluded from it."""

    def judge_agreement(self) -> Agreement:
        """Return how well its scores agree with its outcomes, or raise InvalidInputError if it has none."""
        ...


@dataclass(frozen=True)
class Overview:
    """The overview of a campaign.

    Parameters
    ----------
    standing : Standing
    verdicts : Verdicts
    next_arm : Verdict, optional
        The arm whose next measurement is most valuable; None if the campaign has ended.
    points, end : list of Point, Point or None
        Expected mistakes against the amount spent; the projection to the end of the budget.
    settled : list of Settled
        The decisions in the order in which they were made; empty if the log has not been read up to now.
    """

    standing: Standing
    verdicts: Verdicts
    next_arm: Verdict | None
    points: list[Point]
    end: Point | None
    settled: list[Settled]


def overview_of(
    standing: Standing, verdicts: Verdicts, past: Sequence[Point], decided: Mapping[str, Settled] | None = None
) -> Overview:
    """Return the overview of a campaign.

    `past` are its expected mistakes against the amount spent, `decided` the decisions at the last of these points, both
    as far as the log has been read.
    """
    points = list(past)
    if standing.told and math.isfinite(verdicts.expected_mistakes):
        now = Point(standing.spent, verdicts.expected_mistakes)
        points = [point for point in points if point.spent < now.spent] + [now]
    is_read = bool(past) and past[-1].spent >= READ * standing.spent
    settled = _settled(standing, verdicts, decided) if decided is not None and is_read else []
    if not standing.is_open:
        return Overview(standing, verdicts, None, points, None, settled)
    return Overview(standing, verdicts, _next_arm(verdicts), points, projected(points, standing.budget), settled)


def _next_arm(verdicts: Verdicts) -> Verdict | None:
    """Return the arm whose next measurement is most valuable."""
    best, highest = None, -math.inf
    for row in verdicts:
        worth = -1.0 if math.isnan(row.price) else row.price
        if not row.retired and worth > highest:
            best, highest = row, worth
    return best


def _settled(standing: Standing, verdicts: Verdicts, decided: Mapping[str, Settled]) -> list[Settled]:
    """Return the decisions in the order in which they were made."""
    return sorted(settled_in(verdicts, decided, standing.spent).values(), key=lambda each: each.spent)


def view_of_judge(campaign: HasJudge) -> str:
    """Return the agreement of the judge of a campaign as markup; empty if it has no scores."""
    try:
        return judge_view(campaign.judge_agreement())
    except InvalidInputError:
        return ""


def view_of_items(items: Items, terms: Terms, *, is_judged: bool = False) -> str:
    """Return the items of a campaign as markup, with the picture of all outcomes."""
    (low, high), is_exact = items.range_of(terms), terms.item_sampling.ends_known
    return item_view(items, items.unanimous(terms), low=low, high=high, is_exact=is_exact, is_judged=is_judged)
