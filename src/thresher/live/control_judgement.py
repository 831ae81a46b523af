"""From the rows of a campaign with a control to its verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from thresher.campaign import Arm, Ledger, Machine, Terms
from thresher.campaign.item_decisions import check_pool_guarantee
from thresher.live.judged_rows import cheaper_sides, prices_of, pricing_of, verdict_rows
from thresher.live.seen_arms import question_of, seen_of
from thresher.live.verdicts import ControlStatistics, Verdict, Verdicts, said_under
from thresher.policy import Decisions, Seen, decide, difference_sides, doubt, intervals, lift_intervals
from thresher.policy.answers import answers_of
from thresher.policy.decisions import limits_of
from thresher.policy.differences import certain_differences
from thresher.problem import Control, Question
from thresher.problem.control import control_of
from thresher.problem.numbers import finite_or_none
from thresher.types import Bools, Floats, Ints


class _Shown(NamedTuple):
    """What all arms show: with items, their means are adjusted for them, and `worth` are the effective samples."""

    arms: Sequence[Arm]
    seen: Seen
    worth: Seen
    means: Floats
    pool: Ledger


def judge_beside_control(
    machine: Machine, arms: Sequence[Arm], terms: Terms, outcomes: Floats | None, *, how: dict[str, Any]
) -> Verdicts:
    """Return the verdicts on all arms but the control, which is their bar.

    With items the means of arms and control are adjusted for them; intervals are those of the outcomes as they are.

    No extension is offered: how much of one would go to the control is not computed yet.
    """
    control = control_of(terms.control, terms.margin, [arm.name for arm in arms])
    if outcomes is not None:
        check_pool_guarantee(terms)
    question = replace(question_of(terms, arms, items=0 if outcomes is None else outcomes.shape[1]), control=control)
    shown = _shown(question, arms, outcomes)
    doubts, certain = doubt(question, shown.worth, **how), certain_differences(question, shown.seen)
    sides = cheaper_sides(terms, np.where(certain != 0, certain, difference_sides(question, shown.worth)), doubts)
    decided = decide(
        question, shown.seen, sides, doubts, risk=terms.risk, guarantee=terms.guarantee, tolerance=terms.tolerance
    )
    rows = _rows(machine, terms, question, shown, _settled(decided, certain), doubts.within(), certain != 0)
    said, statistics = said_under(terms, machine.terms.goal), _control_statistics(question, shown, terms)
    return Verdicts(rows, said=said, control=statistics)


def _shown(question: Question, arms: Sequence[Arm], outcomes: Floats | None) -> _Shown:
    if outcomes is None:
        seen = seen_of(arms)
        return _Shown(arms, seen, seen, seen.means, Ledger())
    answers = answers_of(question, outcomes)
    pool = Ledger(pools=str(outcomes.shape[1]), share=float(answers.fit.share))
    moved = [arm.refit(0.0, _shift(arm, mean)) for arm, mean in zip(arms, answers.means.tolist(), strict=True)]
    return _Shown(moved, answers.seen, answers.effective(question), answers.means, pool)


def _shift(arm: Arm, mean: float) -> float:
    """Return how far an adjusted mean is above the plain one; 0 where nothing was told."""
    return mean - arm.total / arm.pulls if arm.pulls else 0.0


def _settled(decided: Decisions, certain: Ints) -> Decisions:
    """Return decisions with certain ones settled: what is left of the pools cannot change their sides."""
    is_certain = certain != 0
    return decided._replace(
        is_decided=decided.is_decided | is_certain,
        is_proven=decided.is_proven | is_certain,
        p_wrong=np.where(is_certain, 0.0, decided.p_wrong),
    )


def _rows(
    machine: Machine,
    terms: Terms,
    question: Question,
    shown: _Shown,
    decided: Decisions,
    is_within: Bools,
    is_certain: Bools,
) -> list[Verdict]:
    """Return one row for each arm but the control, with its difference from the control."""
    control, places = question.control, question.judged
    assert control is not None
    judged, base = [shown.arms[k] for k in places], _mean_of_control(shown, control)
    pricing = pricing_of(machine)
    assert pricing is not None
    urgencies = pricing.of_all(shown.arms, shown.pool)
    plain = replace(question, control=Control(control.arm))  # the difference itself, without the margin
    bar = math.nan if base is None else control.bar(base)
    rows = verdict_rows(
        judged,
        decided._replace(limits=limits_of(plain, shown.seen, alpha=terms.risk)),
        terms.passes,
        is_within=is_within & (base is not None),
        is_certain=is_certain,
        means=shown.means[places],
        raw_means=shown.seen.means[places],
        prices=prices_of(pricing, judged, [urgencies[k] for k in places], decided.p_wrong),
        thresholds=[bar] * len(judged),
    )
    lifts = zip(*(limit.tolist() for limit in lift_intervals(question, shown.seen, alpha=terms.risk)), strict=True)
    return [_beside(row, base, *lift) for row, lift in zip(rows, lifts, strict=True)]


def _mean_of_control(shown: _Shown, control: Control) -> float | None:
    return float(shown.means[control.arm]) if shown.arms[control.arm].pulls else None


def _beside(row: Verdict, base: float | None, lift_low: float, lift_high: float) -> Verdict:
    """Return a row with the difference and the lift of the arm against the mean of the control."""
    found = row._replace(lift_low=finite_or_none(lift_low), lift_high=finite_or_none(lift_high))
    if row.mean is None or base is None:
        return found
    lift = 100.0 * (row.mean / base - 1.0) if base > 0.0 else None
    return found._replace(difference=row.mean - base, lift=lift)


def _control_statistics(question: Question, shown: _Shown, terms: Terms) -> ControlStatistics:
    """Return what is known of the control itself."""
    assert question.control is not None
    arm, mean = shown.arms[question.control.arm], _mean_of_control(shown, question.control)
    limits = intervals(replace(question, control=None), shown.seen, alpha=terms.risk)
    low, high = float(limits.low[arm.position]), float(limits.high[arm.position])
    return ControlStatistics(arm.name, mean, arm.pulls, arm.outstanding, low, high, str(terms.margin))
