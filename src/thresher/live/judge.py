"""From the rows of a campaign to its verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from thresher.campaign import Arm, Ledger, Machine, Terms, Urgency, amount_of
from thresher.campaign.item_decisions import check_pool_guarantee
from thresher.index.price import price
from thresher.live.verdicts import ControlStatistics, Verdict, Verdicts
from thresher.policy import (
    Decisions,
    DecisionTerms,
    Doubt,
    Offer,
    Seen,
    decide,
    difference_sides,
    doubt,
    intervals,
    lift_intervals,
    outlook,
    verdict_of,
)
from thresher.policy.answers import answers_of, doubt_of_answers, sides_of
from thresher.policy.decisions import limits_of
from thresher.policy.differences import certain_differences
from thresher.policy.pool_intervals import certain_sides
from thresher.problem import Control, Question, Structure, sizes_of
from thresher.report.decisions import Said
from thresher.types import Bools, Floats, Ints

WORDS = {1: "above", -1: "below", 0: "undecided"}
_verdict_of: Any = getattr(verdict_of, "py_func", verdict_of)


def judge(
    machine: Machine,
    arms: Sequence[Arm],
    outcomes: Floats | None = None,
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
    outcomes : ndarray of float64, shape (K, N), optional
        Of all arms on all items, NaN where there is none; None in a campaign without items.
    risk, guarantee, passes, unit : optional
        Those of the campaign unless given; see :mod:`thresher.terms`.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If one of them breaks its rule.
    """
    terms = machine.terms.adjusted(risk=risk, guarantee=guarantee, passes=passes, unit=unit)
    given: dict[str, Any] = {"risk": terms.risk, "guarantee": terms.guarantee}
    judging = DecisionTerms(
        **given,
        tolerance=terms.tolerance,
        is_stopping=bool(terms.stop_mistakes),
        goal=terms.goal,
        policy=terms.policy,
    )
    how: dict[str, Any] = {"tolerance": judging.tolerance, "is_stopping": judging.is_stopping}
    if terms.control:
        question = question_of(terms, arms, items=0 if outcomes is None else outcomes.shape[1])
        return _judge_beside_control(machine, arms, question, judging, terms, outcomes)
    if outcomes is None:
        question, seen = question_of(terms, arms), seen_of(arms)
        doubts, worth, means = doubt(question, seen, **how), seen, seen.means
        sides = _sides(machine, arms, doubts)
    else:
        question = question_of(terms, arms, items=outcomes.shape[1])
        answers = answers_of(question, outcomes)
        doubts, seen, means = doubt_of_answers(question, answers, **how), answers.seen, answers.means
        sides, worth = _cheaper(terms, sides_of(question, answers), doubts), answers.effective(question)
    decided = decide(question, seen, sides, doubts, **given, tolerance=terms.tolerance)
    rows = _rows(machine, arms, question, decided, doubts.within(), terms.passes, seen, means)
    said = Said(**given, passes=terms.passes, unit=terms.unit)
    offer = partial(_offer, arms, question, seen, worth, decided, judging)
    return Verdicts(rows, said=said, offer=offer).leaving_open(terms.abstain)


def _judge_beside_control(
    machine: Machine,
    arms: Sequence[Arm],
    question: Question,
    judging: DecisionTerms,
    terms: Terms,
    outcomes: Floats | None,
) -> Verdicts:
    """Return the verdicts on all arms but the control, which is their bar.

    With items the means of arms and control are adjusted for them; intervals are those of the outcomes as they are.

    No extension is offered: how much of one would go to the control is not computed yet.
    """
    control = terms.control_among(question.arms)
    assert control is not None
    if question.structure is not None:
        check_pool_guarantee(terms)
    question, seen = replace(question, control=control), seen_of(arms)
    worth, means, pool = seen, seen.means, Ledger()
    if outcomes is not None:
        answers = answers_of(question, outcomes)
        seen, worth, means = answers.seen, answers.effective(question), answers.means
        pool = Ledger(pools=str(outcomes.shape[1]), share=float(answers.fit.share))
        arms = [arm.refit(0.0, _shift(arm, mean)) for arm, mean in zip(arms, means.tolist(), strict=True)]
    how: dict[str, Any] = {"tolerance": judging.tolerance, "is_stopping": judging.is_stopping}
    given: dict[str, Any] = {"risk": terms.risk, "guarantee": terms.guarantee}
    doubts = doubt(question, worth, **how)
    certain = certain_differences(question, seen)
    sides = np.where(certain != 0, certain, difference_sides(question, worth))
    decided = decide(question, seen, _cheaper(terms, sides, doubts), doubts, **given, tolerance=terms.tolerance)
    decided = _settled(decided, certain)
    plain = replace(question, control=Control(control.arm))  # the difference itself, without the margin
    columns = (
        decided.sides, decided.is_proven, doubts.within(), *limits_of(plain, seen, alpha=terms.risk), decided.p_wrong,
        means[question.judged], seen.means[question.judged], *lift_intervals(question, seen, alpha=terms.risk),
        certain != 0,
    )  # fmt: skip
    other, judged = arms[control.arm], [arms[k] for k in question.judged]
    base = float(means[control.arm]) if other.pulls else None
    prices = dict(zip([arm.position for arm in arms], _control_prices(machine, arms, pool), strict=True))
    rule_of = machine.urgency.rule_of
    words, rows = decided.words(terms.passes), zip(*(column.tolist() for column in columns), strict=True)
    verdicts = [
        Verdict(
            arm=arm.name,
            verdict=WORDS[side],
            mean=mean if arm.pulls else None,
            pulls=arm.pulls,
            low=low,
            high=high,
            p_wrong=p_wrong,
            price=price(prices[arm.position], count=arm.pulls, cost=rule_of(arm).cost, p_wrong=p_wrong),
            threshold=math.nan if base is None else control.bar(base),
            outstanding=arm.outstanding,
            retired=bool(arm.retired),
            decision=word,
            proven=is_proven,
            within=is_within and arm.pulls > 0 and base is not None,
            raw_mean=raw_mean if arm.pulls else None,
            certain=is_certain,
            difference=mean - base if arm.pulls and base is not None else None,
            lift=100.0 * (mean / base - 1.0) if arm.pulls and base is not None and base > 0.0 else None,
            lift_low=_finite(lift[0]),
            lift_high=_finite(lift[1]),
        )
        for arm, word, (side, is_proven, is_within, low, high, p_wrong, mean, raw_mean, *lift, is_certain) in zip(
            judged, words, rows, strict=True
        )
    ]
    said = Said(**given, passes=terms.passes, unit=terms.unit, control=terms.control, margin=str(terms.margin))
    return Verdicts(verdicts, said=said, control=_control_statistics(question, seen, other, base, terms))


def _shift(arm: Arm, mean: float) -> float:
    """Return how far an adjusted mean is above the plain one; 0 where nothing was told."""
    return mean - arm.total / arm.pulls if arm.pulls else 0.0


def _control_statistics(
    question: Question, seen: Seen, arm: Arm, mean: float | None, terms: Terms
) -> ControlStatistics:
    """Return what is known of the control itself."""
    limits = intervals(replace(question, control=None), seen, alpha=terms.risk)
    low, high = float(limits.low[arm.position]), float(limits.high[arm.position])
    return ControlStatistics(arm.name, mean, arm.pulls, arm.outstanding, low, high, str(terms.margin))


def _settled(decided: Decisions, certain: Ints) -> Decisions:
    """Return decisions with certain ones settled: what is left of the pools cannot change their sides."""
    is_certain = certain != 0
    return decided._replace(
        is_decided=decided.is_decided | is_certain,
        is_proven=decided.is_proven | is_certain,
        p_wrong=np.where(is_certain, 0.0, decided.p_wrong),
    )


def _control_prices(machine: Machine, arms: Sequence[Arm], pool: Ledger) -> list[float]:
    """Return the urgencies whose exponentials are prices: those of optimal stopping, whatever the policy is."""
    pricing = _pricing(machine)
    assert pricing is not None
    return pricing.of_all(arms, pool)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _offer(
    arms: Sequence[Arm], question: Question, seen: Seen, worth: Seen, decided: Decisions, judging: DecisionTerms
) -> Offer | None:
    """Return the extension that is worth offering; None if nothing was measured or one outcome decides an arm.

    With items, more answers count as independent draws on top of the effective samples `worth`, which underrates them;
    all items that are left decide every arm.
    """
    told = float(seen.counts.sum())
    if question.family == "two-point" or not told:
        return None
    retired = np.array([bool(arm.retired) for arm in arms])
    is_open = ~retired & ~decided.is_decided
    found = outlook(question, worth, is_open, judging=judging, is_retired=retired).offer(told)
    left = float((sizes_of(question.structure, question.n_arms) - seen.counts)[is_open].sum())
    return found if found.measurements < left or not found.n_open else Offer(left, float(found.n_open), found.n_open)


def _rows(
    machine: Machine,
    arms: Sequence[Arm],
    question: Question,
    decided: Decisions,
    within: Bools,
    passes: str,
    seen: Seen,
    means: Floats,
) -> list[Verdict]:
    # As lists: a number out of an array costs more than all that is done with it here.
    limits, is_certain = decided.limits, certain_sides(question, seen, question.thresholds) != 0
    columns = (
        decided.sides, decided.is_proven, within, limits.low, limits.high, decided.p_wrong, means, seen.means,
        is_certain,
    )  # fmt: skip
    words, prices = decided.words(passes), _pricing(machine)
    pool = Ledger(pools="" if question.structure is None else str(question.structure.sizes[0]))
    rows = zip(arms, words, *(column.tolist() for column in columns), strict=True)
    return [
        Verdict(
            arm=arm.name,
            verdict=WORDS[side],
            mean=mean if arm.pulls else None,
            pulls=arm.pulls,
            low=low,
            high=high,
            p_wrong=p_wrong,
            price=_price(prices, arm, pool, p_wrong, is_known=prices is machine.urgency),
            threshold=arm.threshold,
            outstanding=arm.outstanding,
            retired=bool(arm.retired),
            decision=word,
            proven=is_proven,
            within=is_within and arm.pulls > 0,
            raw_mean=raw_mean if arm.pulls else None,
            certain=is_certain,
        )
        for arm, word, side, is_proven, is_within, low, high, p_wrong, mean, raw_mean, is_certain in rows
    ]


def question_of(terms: Terms, arms: Sequence[Arm], *, items: int = 0) -> Question:
    """Return the question that these arms ask, each with so many items."""
    return Question.of(
        terms.family,
        thresholds=[arm.threshold for arm in arms],
        sigma=[arm.sigma for arm in arms] if terms.kind.noise == "given" else None,
        arms=[arm.name for arm in arms],
        costs=[arm.cost for arm in arms],
        pull_costs=[amount_of(arm.pull_cost) for arm in arms],
        low=terms.low,
        high=terms.high,
        structure=Structure(np.full(len(arms), items)) if items else None,
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
    return _cheaper(terms, sides, doubts)


def _cheaper(terms: Terms, sides: Ints, doubts: Doubt) -> Ints:
    """Return these sides, or the side whose mistake is expected to cost less where the two costs differ."""
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


def _price(pricing: Urgency | None, arm: Arm, pool: Ledger, p_wrong: float, *, is_known: bool) -> float:
    """Return what the next measurement is worth; `is_known` if arms are ranked by just that: it is in their rows."""
    if pricing is None:
        return math.nan
    urgency = arm.urgency if is_known else pricing.of(arm, pool)
    return price(urgency, count=arm.pulls, cost=pricing.rule_of(arm).cost, p_wrong=p_wrong)
