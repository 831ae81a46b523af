"""From the rows of a campaign to its verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.campaign import Arm, Machine, Terms, Urgency, amount_of
from thresher.index.price import price
from thresher.live.verdicts import Verdict, Verdicts
from thresher.policy import verdict_of
from thresher.policy.intervals import intervals
from thresher.policy.population import p_above, p_above_alone
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.types import Floats

WORDS = {1: "above", -1: "below", 0: "undecided"}
_verdict_of: Any = getattr(verdict_of, "py_func", verdict_of)


def judge(machine: Machine, arms: Sequence[Arm]) -> Verdicts:
    """Return the verdict on every arm, how sure it is, and what its next measurement is worth.

    A campaign that stops by its expected mistakes looks for the moment at which the fitted population is most
    hopeful. So a verdict is there as likely wrong as that population says, or as the arm alone says if that is more.
    """
    terms = machine.terms
    question, seen = question_of(terms, arms), seen_of(arms)
    limits = intervals(question, seen, alpha=terms.confidence)
    # As lists: a number out of an array costs more than all that is done with it here.
    above, low, high = p_above(question, seen).tolist(), limits.low.tolist(), limits.high.tolist()
    alone = p_above_alone(question, seen).tolist() if terms.stop_mistakes else above
    sides = limits.sides(question.thresholds).tolist()
    prices = _pricing(machine)
    rows = []
    for k, arm in enumerate(arms):
        side = _side(machine, arm, above[k])
        p_wrong = 0.5 if side == 0 else 1.0 - min(above[k], alone[k]) if side > 0 else max(above[k], alone[k])
        rows.append(
            Verdict(
                arm=arm.name,
                verdict=WORDS[side],
                sure=bool(side != 0 and sides[k] == side),
                mean=arm.total / arm.pulls if arm.pulls else None,
                pulls=arm.pulls,
                low=low[k],
                high=high[k],
                p_wrong=p_wrong,
                price=_price(prices, arm, p_wrong, is_known=prices is machine.urgency),
                threshold=arm.threshold,
                outstanding=arm.outstanding,
                retired=bool(arm.retired),
            )
        )
    # An arm never measured counts half a mistake.
    expected = math.fsum(row.p_wrong for row in rows)
    return Verdicts(rows, expected_mistakes=expected).leaving_open(terms.abstain)


def question_of(terms: Terms, arms: Sequence[Arm]) -> Question:
    """Return the question that these arms ask."""
    return Question.of(
        terms.family,
        thresholds=[arm.threshold for arm in arms],
        sigma=[arm.sigma for arm in arms] if terms.kind.noise == "given" else None,
        arms=[arm.name for arm in arms],
        costs=[arm.cost for arm in arms],
        pull_costs=[amount_of(arm.pull_cost) for arm in arms],
        low=terms.low,
        high=terms.high,
    )


def seen_of(arms: Sequence[Arm]) -> Seen:
    """Return what was seen of these arms."""

    def column(name: str) -> Floats:
        return np.array([getattr(arm, name) for arm in arms], dtype=np.float64)

    return Seen(column("pulls"), column("total"), column("squares"))


def _side(machine: Machine, arm: Arm, above: float) -> int:
    """Return 1 for above, -1 for below, 0 for an arm that shows nothing.

    Where the two mistakes cost the same, the side of the mean; else the side whose mistake is expected to cost less.
    """
    terms = machine.terms
    side = int(_verdict_of(machine.urgency.rule_of(arm), float(arm.pulls), arm.total))
    if side == 0 or terms.false_pass == terms.false_fail:
        return side
    return 1 if (1.0 - above) * terms.false_pass < above * terms.false_fail else -1


def _pricing(machine: Machine) -> Urgency | None:
    """Return the urgency whose exponential is a price: that of optimal stopping, whatever policy the campaign has."""
    if machine.terms.policy == "stopping":
        return machine.urgency
    if machine.terms.family == "two-point":
        return None
    return Urgency(replace(machine.terms, policy="stopping"))


def _price(pricing: Urgency | None, arm: Arm, p_wrong: float, *, is_known: bool) -> float:
    """Return what the next measurement is worth; `is_known` if arms are ranked by just that: it is in their rows."""
    if pricing is None:
        return math.nan
    urgency = arm.urgency if is_known else pricing.of(arm)
    return price(urgency, cost=pricing.rule_of(arm).cost, p_wrong=p_wrong)
