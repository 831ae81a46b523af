"""The rows of verdicts, from columns with the names of their fields."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from thresher.campaign.ledger import Machine, SortKeys, Terms
from thresher.campaign.statistics import CampaignStatistics
from thresher.campaign.verdicts import Verdict
from thresher.inference import Decisions, Doubt
from thresher.inference.bars import QuestionBar
from thresher.inference.guarantees import RULES
from thresher.policy.index import price
from thresher.problem import finite_or_none
from thresher.types import Floats

WORDS = {1: "above", -1: "below", 0: "undecided"}


def rows_of(
    machine: Machine, terms: Terms, told: CampaignStatistics, bar: QuestionBar, decided: Decisions, doubts: Doubt
) -> list[Verdict]:
    """Return one row for each judged arm."""
    judged = told.question.judged
    arms = [told.arms[k] for k in judged.tolist()]
    shown = bar.columns(told.seen, told.means, alpha=terms.risk)
    alpha = RULES[terms.guarantee].valid_level(terms.risk, len(arms))
    interval = bar.in_row(decided.interval, told.seen, told.means, alpha=alpha)
    valid = bar.in_row(decided.limits, told.seen, told.means, alpha=terms.risk)
    is_known = [bool(arm.pulls) for arm in arms]
    is_within = doubts.within() & (shown.thresholds == shown.thresholds)  # not before a control is measured
    # As lists: indexing NumPy scalars would dominate.
    return _rows(
        arm=[arm.name for arm in arms],
        verdict=[WORDS[side] for side in decided.sides.tolist()],
        mean=_where(is_known, told.means[judged]),
        pulls=[arm.pulls for arm in arms],
        low=interval.low.tolist(),
        high=interval.high.tolist(),
        p_wrong=decided.p_wrong.tolist(),
        price=_prices(machine, told, decided.p_wrong),
        threshold=shown.thresholds.tolist(),
        outstanding=[arm.outstanding for arm in arms],
        retired=[bool(arm.retired) for arm in arms],
        decision=decided.words(terms.passes),
        proven=decided.is_proven.tolist(),
        within=[within and known for within, known in zip(is_within.tolist(), is_known, strict=True)],
        raw_mean=_where(is_known, told.seen.means[judged]),
        certain=(bar.certain(told.seen) != 0).tolist(),
        difference=_finite(shown.differences),
        lift=_finite(shown.lifts),
        lift_low=_finite(shown.lift_limits.low),
        lift_high=_finite(shown.lift_limits.high),
        valid_low=valid.low.tolist(),
        valid_high=valid.high.tolist(),
    )


def _rows(**columns: Sequence[Any]) -> list[Verdict]:
    """Return the rows of these columns, named as the fields of a row."""
    return [Verdict(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]


def _where(is_known: Sequence[bool], values: Floats) -> list[float | None]:
    return [value if known else None for known, value in zip(is_known, values.tolist(), strict=True)]


def _finite(values: Floats) -> list[float | None]:
    return [finite_or_none(value) for value in values.tolist()]


def _prices(machine: Machine, told: CampaignStatistics, p_wrong: Floats) -> list[float]:
    """Return the value of the next measurement of each judged arm; NaN if unknown."""
    places, pricing = told.question.judged.tolist(), _pricing_of(machine)
    if pricing is None:
        return [math.nan] * len(places)
    keys = _keys(machine, pricing, told)
    return [
        price(keys[k], count=told.arms[k].pulls, cost=pricing.rule_of(told.arms[k]).cost, p_wrong=chance)
        for k, chance in zip(places, p_wrong.tolist(), strict=True)
    ]


def _pricing_of(machine: Machine) -> SortKeys | None:
    """Return the index whose exponential is a price: that of optimal stopping, whatever policy the campaign has."""
    if machine.terms.policy == "stopping" and machine.terms.goal == "mistakes":
        return machine.urgency
    if machine.terms.kind.tells_all:
        return None
    return SortKeys(replace(machine.terms, policy="stopping", goal="mistakes"))


def _keys(machine: Machine, pricing: SortKeys, told: CampaignStatistics) -> list[float]:
    """Return the sort keys of all arms; those of the campaign's own policy are in the rows of its arms."""
    if pricing is machine.urgency and not pricing.needs_all_arms:
        return [arm.urgency for arm in told.arms]
    return pricing.of_all(told.arms, told.pool)
