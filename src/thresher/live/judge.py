"""From the rows of a campaign to its verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from thresher.campaign import Arm, Machine, Terms, Urgency, amount_of
from thresher.index.price import price
from thresher.live.verdicts import Verdict, Verdicts
from thresher.policy import Decisions, Doubt, Seen, decide, doubt, outlook, verdict_of
from thresher.problem import Question
from thresher.report.decisions import Said
from thresher.types import Bools, Floats, Ints

WORDS = {1: "above", -1: "below", 0: "undecided"}
_verdict_of: Any = getattr(verdict_of, "py_func", verdict_of)


def judge(
    machine: Machine,
    arms: Sequence[Arm],
    *,
    risk: float | None = None,
    guarantee: str | None = None,
    passes: str | None = None,
    unit: str | None = None,
) -> Verdicts:
    """Return the verdict on every arm, what is decided, how sure it is, and what its next measurement is worth.

    Parameters
    ----------
    machine : Machine
    arms : sequence of Arm
    risk, guarantee, passes, unit : optional
        Those of the campaign unless given; see :mod:`thresher.terms`.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If one of them breaks its rule.
    """
    terms = machine.terms.adjusted(risk=risk, guarantee=guarantee, passes=passes, unit=unit)
    question, seen = question_of(terms, arms), seen_of(arms)
    given: dict[str, Any] = {"risk": terms.risk, "guarantee": terms.guarantee}
    doubts = doubt(question, seen, tolerance=terms.tolerance, is_stopping=bool(terms.stop_mistakes))
    decided = decide(question, seen, _sides(machine, arms, doubts), doubts, **given, tolerance=terms.tolerance)
    rows = _rows(machine, arms, decided, doubts.within(), terms.passes)
    said = Said(**given, passes=terms.passes, unit=terms.unit)
    ahead = partial(_measurements_to_decide, question, seen, decided, **given)
    return Verdicts(rows, said=said, outlook=ahead).leaving_open(terms.abstain)


def _measurements_to_decide(question: Question, seen: Seen, decided: Decisions, **given: Any) -> float:
    """Return about how many more measurements decide most of the open arms; infinity if no number tried does."""
    if question.family == "two-point":
        return math.nan
    needed = outlook(question, seen, decided, **given).to_decide()
    return math.inf if math.isnan(needed) else needed


def _rows(machine: Machine, arms: Sequence[Arm], decided: Decisions, within: Bools, passes: str) -> list[Verdict]:
    # As lists: a number out of an array costs more than all that is done with it here.
    columns = (decided.sides, decided.is_proven, within, decided.limits.low, decided.limits.high, decided.p_wrong)
    words, prices = decided.words(passes), _pricing(machine)
    rows = zip(arms, words, *(column.tolist() for column in columns), strict=True)
    return [
        Verdict(
            arm=arm.name,
            verdict=WORDS[side],
            mean=arm.total / arm.pulls if arm.pulls else None,
            pulls=arm.pulls,
            low=low,
            high=high,
            p_wrong=p_wrong,
            price=_price(prices, arm, p_wrong, is_known=prices is machine.urgency),
            threshold=arm.threshold,
            outstanding=arm.outstanding,
            retired=bool(arm.retired),
            decision=word,
            proven=is_proven,
            within=is_within,
        )
        for arm, word, side, is_proven, is_within, low, high, p_wrong in rows
    ]


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


def _sides(machine: Machine, arms: Sequence[Arm], doubts: Doubt) -> Ints:
    """Return 1 for above, -1 for below, 0 for an arm that shows nothing.

    Where the two mistakes cost the same, the side of the mean; else the side whose mistake is expected to cost less.
    """
    terms, rule_of = machine.terms, machine.urgency.rule_of
    sides = np.array([_verdict_of(rule_of(arm), float(arm.pulls), arm.total) for arm in arms], dtype=np.int64)
    if terms.false_pass == terms.false_fail:
        return sides
    return np.where(sides == 0, 0, doubts.cheaper_sides(terms.false_pass, terms.false_fail))


def _pricing(machine: Machine) -> Urgency | None:
    """Return the urgency whose exponential is a price: that of optimal stopping, whatever policy the campaign has."""
    if machine.terms.policy == "stopping" and machine.terms.goal == "mistakes":
        return machine.urgency
    if machine.terms.family == "two-point":
        return None
    return Urgency(replace(machine.terms, policy="stopping", goal="mistakes"))


def _price(pricing: Urgency | None, arm: Arm, p_wrong: float, *, is_known: bool) -> float:
    """Return what the next measurement is worth; `is_known` if arms are ranked by just that: it is in their rows."""
    if pricing is None:
        return math.nan
    urgency = arm.urgency if is_known else pricing.of(arm)
    return price(urgency, count=arm.pulls, cost=pricing.rule_of(arm).cost, p_wrong=p_wrong)
