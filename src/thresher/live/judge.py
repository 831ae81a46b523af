"""From the rows of a campaign to its verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from thresher.campaign import Arm, Ledger, Machine, Urgency
from thresher.live.control_judgement import judge_beside_control
from thresher.live.judged_rows import cheaper_sides, prices_of, pricing_of, verdict_rows
from thresher.live.seen_arms import question_of, seen_of
from thresher.live.verdicts import Verdicts, said_under
from thresher.policy import Decisions, DecisionTerms, Offer, Seen, decide, doubt, outlook, verdict_of
from thresher.policy.answers import answers_of, doubt_of_answers, sides_of
from thresher.policy.pool_intervals import certain_sides
from thresher.problem import Question, sizes_of
from thresher.types import Floats, Ints

_verdict_of: Any = getattr(verdict_of, "py_func", verdict_of)


def judge(machine: Machine, arms: Sequence[Arm], outcomes: Floats | None = None, **given: Any) -> Verdicts:
    """Return the verdict on every arm, what is decided, how sure it is, and what its next measurement is worth.

    Parameters
    ----------
    machine : Machine
    arms : sequence of Arm
    outcomes : ndarray of float64, shape (K, N), optional
        Of all arms on all items, NaN where there is none; None in a campaign without items.
    **given
        Terms instead of those of the campaign, see :meth:`thresher.campaign.Terms.adjusted`.
    """
    terms, goal = machine.terms.adjusted(**given), machine.terms.goal
    under: dict[str, Any] = {"risk": terms.risk, "guarantee": terms.guarantee}
    how: dict[str, Any] = {"tolerance": terms.tolerance, "is_stopping": bool(terms.stop_mistakes)}
    if terms.control:
        return judge_beside_control(machine, arms, terms, outcomes, how=how)
    question = question_of(terms, arms, items=0 if outcomes is None else outcomes.shape[1])
    if outcomes is None:
        seen = worth = seen_of(arms)
        doubts, means = doubt(question, seen, **how), seen.means
        sides = _sides(machine, arms)
    else:
        answers = answers_of(question, outcomes)
        doubts, seen, means = doubt_of_answers(question, answers, **how), answers.seen, answers.means
        sides, worth = sides_of(question, answers), answers.effective(question)
    sides = cheaper_sides(terms, sides, doubts)
    decided = decide(question, seen, sides, doubts, **under, tolerance=terms.tolerance)
    pricing = pricing_of(machine)
    rows = verdict_rows(
        arms,
        decided,
        terms.passes,
        is_within=doubts.within(),
        is_certain=certain_sides(question, seen, question.thresholds) != 0,
        means=means,
        raw_means=seen.means,
        prices=prices_of(pricing, arms, _urgencies(machine, pricing, arms, question), decided.p_wrong),
        thresholds=[arm.threshold for arm in arms],
    )
    judging = DecisionTerms(**under, **how, goal=goal, policy=terms.policy)
    offer = partial(_offer, arms, question, seen, worth, decided, judging)
    return Verdicts(rows, said=said_under(terms, goal), offer=offer).leaving_open(terms.abstain)


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


def _sides(machine: Machine, arms: Sequence[Arm]) -> Ints:
    """Return 1 for a mean above the bar, -1 for one below it, 0 for an arm that shows nothing."""
    rule_of = machine.urgency.rule_of
    return np.array([_verdict_of(rule_of(arm), float(arm.pulls), arm.total) for arm in arms], dtype=np.int64)


def _urgencies(machine: Machine, pricing: Urgency | None, arms: Sequence[Arm], question: Question) -> list[float]:
    """Return the urgencies of optimal stopping; if the campaign has that policy, they are in the rows of its arms."""
    if pricing is None or pricing is machine.urgency:
        return [arm.urgency for arm in arms]
    pool = Ledger(pools="" if question.structure is None else str(question.structure.sizes[0]))
    return [pricing.of(arm, pool) for arm in arms]
