"""The mean and the interval of one arm after each of its measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger import Pull, Terms
from thresher.inference import intervals
from thresher.problem import Statistics

MOST_POINTS = 300


class RunningInterval(NamedTuple):
    """The mean and the interval of an arm after `pulls` measurements; by a quantile, the share at or below the bar."""

    pulls: int
    mean: float
    low: float
    high: float


def running_intervals(
    terms: Terms, pulls: Sequence[Pull], *, threshold: float, sigma: float, items: int = 0
) -> list[RunningInterval]:
    """Return the mean and the interval of an arm after each of its pulls that count, at most 300 evenly spaced ones."""
    told = sorted((pull for pull in pulls if pull.state == "told"), key=lambda pull: (pull.told, pull.number))
    if not told:
        return []
    sizes = np.array([float(pull.size) for pull in told])
    values = terms.scoring.scores(np.array([pull.value for pull in told], dtype=np.float64), threshold)
    own = (values - terms.scoring.bars(threshold)) ** 2
    is_sum = [pull.squares is not None and terms.scoring.takes_aggregates for pull in told]
    squares = np.array([pull.squares if is_sum[i] else own[i] for i, pull in enumerate(told)])
    columns, repeats = np.array([sizes, values, squares]), np.array([pull.repeat for pull in told])
    chosen = np.unique(np.linspace(0, len(told) - 1, MOST_POINTS).round().astype(np.int64))
    ordinals = range(1, int(repeats.max()) + 1) if terms.repeats > 1 else ()
    layers = tuple(Statistics(*np.cumsum(columns * (repeats == r), axis=1)[:, chosen]) for r in ordinals)
    seen = Statistics(*np.cumsum(columns, axis=1)[:, chosen], layers=layers)
    question = terms.question(
        thresholds=[threshold] * chosen.size,
        sigma=sigma,
        structure=terms.structure(np.full(chosen.size, items)) if items else None,
    )
    limits = intervals(question, seen, alpha=terms.risk)
    shown = seen.means, limits.low, limits.high
    if terms.quantile:  # from shares above the bar to shares at or below it
        shown = 1.0 - seen.means, 1.0 - limits.high, 1.0 - limits.low
    if terms.trials > 1:  # from the rate of one trial to the chance that all succeed
        shown = seen.means**terms.trials, limits.low**terms.trials, limits.high**terms.trials
    rows = zip(seen.counts, *shown, strict=True)
    return [RunningInterval(int(count), float(mean), float(low), float(high)) for count, mean, low, high in rows]
