"""Rows of campaigns with `pass_k`: the chance that all of several trials succeed is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thresher.campaign.verdicts import Verdict
from thresher.inference import ItemCells
from thresher.problem import finite_or_none


def of_all_trials(row: Verdict, threshold: float, k: int) -> Verdict:
    """Return a row about the rate at which one trial succeeds as one about the chance that all of `k` do.

    Trials are independent, so it is the rate to the power `k`; the limits are those of the rate to the same power. The
    plain mean stays in `raw_mean`.
    """
    return replace(
        row,
        mean=None if row.mean is None else row.mean**k,
        threshold=threshold,
        low=row.low**k,
        high=row.high**k,
        valid_low=row.valid_low**k,
        valid_high=row.valid_high**k,
    )


def with_trials(rows: Sequence[Verdict], cells: ItemCells, k: int) -> list[Verdict]:
    """Return rows with an estimate of the chance that all of `k` trials on an item succeed."""
    chances = cells.all_succeed(k).tolist()
    return [replace(row, pass_k=finite_or_none(chance)) for row, chance in zip(rows, chances, strict=True)]
