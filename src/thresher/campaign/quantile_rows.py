"""Rows of campaigns that compare a quantile: shares of outcomes, with the mean and the quantile of the outcomes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger import Arm
from thresher.campaign.verdicts import Verdict
from thresher.errors import CorruptionError
from thresher.types import Floats


class OutcomeStatistics(NamedTuple):
    """The mean and a quantile of the outcomes of each arm, by position; NaN without outcomes."""

    means: list[float]
    quantiles: list[float]


def outcome_statistics(
    campaign: str, outcomes: Sequence[tuple[int, float]], n_arms: int, *, quantile: float
) -> OutcomeStatistics:
    """Return the statistics of outcomes, given as pairs of a position of an arm and an outcome.

    Raises
    ------
    CorruptionError
        If a stored outcome is not that of an arm and a number.
    """
    try:
        table = np.array(outcomes, dtype=np.float64).reshape(-1, 2)
        counts = np.bincount(table[:, 0].astype(np.int64), minlength=n_arms)
    except (TypeError, ValueError) as error:
        raise CorruptionError(campaign, ["a row of pulls has no arm or no outcome"], was_audited=False) from error
    if counts.size > n_arms or not np.isfinite(table).all():
        raise CorruptionError(campaign, ["a row of pulls has no arm or no outcome"], was_audited=False)
    ordered = table[np.lexsort((table[:, 1], table[:, 0])), 1]
    parts = np.split(ordered, np.cumsum(counts)[:-1])
    means = [math.fsum(part) / part.size if part.size else math.nan for part in parts]
    return OutcomeStatistics(means, [quantile_of(part, quantile) for part in parts])


def quantile_of(ordered: Floats, quantile: float) -> float:
    """Return the least outcome that at least a share `quantile` does not exceed; NaN without outcomes.

    It is at most the bar exactly if at least that share of the outcomes is.
    """
    rank = math.ceil(round(quantile * ordered.size, 9))
    return float(ordered[max(rank, 1) - 1]) if ordered.size else math.nan


def with_shares(rows: Sequence[Verdict], arms: Sequence[Arm], found: OutcomeStatistics | None) -> list[Verdict]:
    """Return rows about shares of outcomes above the bar as rows about shares at or below it.

    The mean and the quantile of a row are those of the outcomes, None if they are not given.
    """
    n = len(rows)
    means, quantiles = found or OutcomeStatistics([math.nan] * n, [math.nan] * n)
    return [
        replace(
            row,
            mean=None if math.isnan(mean) else mean,
            raw_mean=None if math.isnan(mean) else mean,
            share=None if row.mean is None else 1.0 - row.mean,
            quantile=None if math.isnan(quantile) else quantile,
            threshold=arm.threshold,
            low=1.0 - row.high,
            high=1.0 - row.low,
            valid_low=1.0 - row.valid_high,
            valid_high=1.0 - row.valid_low,
        )
        for row, arm, mean, quantile in zip(rows, arms, means, quantiles, strict=True)
    ]
