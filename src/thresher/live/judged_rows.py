"""The rows of verdicts: sides, prices and statistics of arms, with a control or without."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thresher.campaign import Arm, Machine, Terms, Urgency
from thresher.index.price import price
from thresher.live.verdicts import Verdict
from thresher.policy import Decisions, Doubt
from thresher.types import Bools, Floats, Ints

WORDS = {1: "above", -1: "below", 0: "undecided"}


def verdict_rows(
    arms: Sequence[Arm],
    decided: Decisions,
    passes: str,
    *,
    is_within: Bools,
    is_certain: Bools,
    means: Floats,
    raw_means: Floats,
    prices: Sequence[float],
    thresholds: Sequence[float],
) -> list[Verdict]:
    """Return one row for each arm; `passes` names the side that passes."""
    found = (decided.sides, decided.is_proven, *decided.limits, decided.p_wrong)
    columns = (*found, is_within, is_certain, means, raw_means)
    # As lists: a number out of an array costs more than all that is done with it here.
    rows = zip(arms, decided.words(passes), prices, thresholds, *(column.tolist() for column in columns), strict=True)
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
            proven=proven,
            within=within and arm.pulls > 0,
            raw_mean=raw if arm.pulls else None,
            certain=certain,
        )
        for arm, word, worth, threshold, side, proven, low, high, p_wrong, within, certain, mean, raw in rows
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
