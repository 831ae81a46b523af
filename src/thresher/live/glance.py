"""A campaign at a glance, for the dashboard and for reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thresher.live.messages import Standing
from thresher.live.trajectory import Point, projected
from thresher.live.verdicts import Verdict, Verdicts


@dataclass(frozen=True)
class Glance:
    """A campaign at a glance.

    Parameters
    ----------
    standing : Standing
    verdicts : Verdicts
    counts : dict
        Arms by decision: ``pass``, ``fail`` and ``open``, and how many of them are ``proven``.
    next_arm : Verdict, optional
        The arm whose next measurement is worth most, if there is to be one.
    points, end : list of Point, Point or None
        Expected mistakes as the budget was spent; projected at its end.
    """

    standing: Standing
    verdicts: Verdicts
    counts: dict[str, int]
    next_arm: Verdict | None
    points: list[Point]
    end: Point | None


def glance_of(standing: Standing, verdicts: Verdicts, past: Sequence[Point]) -> Glance:
    """Return a campaign at a glance.

    Parameters
    ----------
    standing : Standing
    verdicts : Verdicts
    past : sequence of Point
        Expected mistakes as the budget was spent, as far as they are known.
    """
    counts = verdicts.counts
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
        return Glance(standing, verdicts, counts, None, points, None)
    return Glance(standing, verdicts, counts, best, points, projected(points, standing.budget))
