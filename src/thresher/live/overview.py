"""The overview of a campaign, for the dashboard and for reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.campaign import Terms
from thresher.live.items import Items
from thresher.live.messages import Standing
from thresher.live.trajectory import Point, projected
from thresher.live.verdicts import Verdict, Verdicts
from thresher.report.item_view import item_view


@dataclass(frozen=True)
class Overview:
    """The overview of a campaign.

    Parameters
    ----------
    standing : Standing
    verdicts : Verdicts
    next_arm : Verdict, optional
        The arm whose next measurement is worth most; None if the campaign has ended.
    points, end : list of Point, Point or None
        Expected mistakes against the amount spent; the projection to the end of the budget.
    """

    standing: Standing
    verdicts: Verdicts
    next_arm: Verdict | None
    points: list[Point]
    end: Point | None


def overview_of(standing: Standing, verdicts: Verdicts, past: Sequence[Point]) -> Overview:
    """Return the overview of a campaign; `past` are its expected mistakes against the amount spent, as far as known."""
    best, highest = None, -math.inf
    for row in verdicts:
        worth = -1.0 if math.isnan(row.price) else row.price
        if not row.retired and worth > highest:
            best, highest = row, worth
    points = list(past)
    if standing.told and math.isfinite(verdicts.expected_mistakes):
        now = Point(standing.spent, verdicts.expected_mistakes)
        points = [point for point in points if point.spent < now.spent] + [now]
    if not standing.is_open:
        return Overview(standing, verdicts, None, points, None)
    return Overview(standing, verdicts, best, points, projected(points, standing.budget))


def view_of_items(items: Items, terms: Terms) -> str:
    """Return what is known of the items of a campaign as markup, with the picture of all outcomes."""
    low, high = items.range_of(terms)
    return item_view(items, items.unanimous(terms), low=low, high=high)
