"""The rows of verdicts: sides, prices and statistics of arms, with a control or without."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thresher.campaign import Arm, Machine, Terms, Urgency
from thresher.index.price import price
from thresher.live.verdicts import Verdict
from thresher.policy import Doubt
from thresher.types import Bools, Floats, Ints

WORDS = {1: "above", -1: "below", 0: "undecided"}


class JudgedColumns(NamedTuple):
    """What is known of each arm that is judged, as columns."""

    sides: Ints
    is_proven: Bools
    is_within: Bools
    low: Floats
    high: Floats
    p_wrong: Floats
    means: Floats
    raw_means: Floats
    is_certain: Bools


def verdict_rows(
    arms: Sequence[Arm],
    words: Sequence[str],
    columns: JudgedColumns,
    *,
    prices: Sequence[float],
    thresholds: Sequence[float],
) -> list[Verdict]:
    """Return one row for each arm, with its decision in `words`."""
    # As lists: a number out of an array costs more than all that is done with it here.
    rows = zip(arms, words, prices, thresholds, *(column.tolist() for column in columns), strict=True)
    return [
        Verdict(
            arm=arm.name,
            verdict=WORDS[side],
            mean=mean if arm.pulls else None,
            pulls=arm.pulls,
            low=low,
            high=high,
            p_wrong=p_wrong,
            price=worth,
            threshold=threshold,
            outstanding=arm.outstanding,
            retired=bool(arm.retired),
            decision=word,
            proven=is_proven,
            within=is_within and arm.pulls > 0,
            raw_mean=raw_mean if arm.pulls else None,
            certain=is_certain,
        )
        for arm, word, worth, threshold, side, is_proven, is_within, low, high, p_wrong, mean, raw_mean, is_certain in (
            rows
        )
    ]


def cheaper_sides(terms: Terms, sides: Ints, doubts: Doubt) -> Ints:
    """Return these sides, or the side whose mistake is expected to cost less where the two costs differ."""
    if terms.false_pass == terms.false_fail:
        return sides
    return np.where(sides == 0, 0, doubts.cheaper_sides(terms.false_pass, terms.false_fail))


def pricing_of(machine: Machine) -> Urgency | None:
    """Return the urgency whose exponential is a price: that of optimal stopping, whatever policy the campaign has."""
    if machine.terms.policy == "stopping" and machine.terms.goal == "mistakes":
        return machine.urgency
    if machine.terms.family == "two-point":
        return None
    return Urgency(replace(machine.terms, policy="stopping", goal="mistakes"))


def prices_of(pricing: Urgency | None, arms: Sequence[Arm], urgencies: Sequence[float], p_wrong: Floats) -> list[float]:
    """Return what the next measurement of each arm is worth, given its urgency; NaN if that is not known."""
    if pricing is None:
        return [math.nan] * len(arms)
    return [
        price(urgency, count=arm.pulls, cost=pricing.rule_of(arm).cost, p_wrong=chance)
        for arm, urgency, chance in zip(arms, urgencies, p_wrong.tolist(), strict=True)
    ]
