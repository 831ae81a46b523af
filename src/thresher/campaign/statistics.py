"""The question of a campaign, and the statistics of its outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger import NOTHING, Arm, KnownSignals, Ledger, Machine, Terms, score_table
from thresher.inference import answers_of, foreseen_of
from thresher.jit import plain
from thresher.policy import judged_mean
from thresher.problem import Question, Statistics, amount_of
from thresher.types import Floats

_judged_mean = plain(judged_mean)
KEPT = 8  # questions of campaigns that were last looked at


class CampaignStatistics(NamedTuple):
    """What all arms show, a control among them.

    Attributes
    ----------
    question : Question
    arms : sequence of Arm
        With items, each with what these add to its sum.
    seen : Statistics
        Outcomes as they were told.
    worth : Statistics
        Independent outcomes that would say as much: with items, effective samples at the adjusted means.
    means : ndarray of float64, shape (K,)
        As shown: with items adjusted for them. NaN where nothing was told.
    judged_means : ndarray of float64, shape (K,)
        By which verdicts are given: those shown, or with the prior of the policy. NaN where nothing is known.
    pool : Ledger
        The number of items, and what they leave of the variance.
    """

    question: Question
    arms: Sequence[Arm]
    seen: Statistics
    worth: Statistics
    means: Floats
    judged_means: Floats
    pool: Ledger


def statistics_of(
    machine: Machine, terms: Terms, arms: Sequence[Arm], outcomes: Floats | None, known: KnownSignals = NOTHING
) -> CampaignStatistics:
    """Return what these arms show.

    Parameters
    ----------
    machine : Machine
    terms : Terms
        To judge by.
    arms : sequence of Arm
    outcomes : ndarray of float64, shape (K, N) or (R, K, N)
        Of all arms on all items, NaN where there is none; None for independent draws.
    known : KnownSignals
        Outcomes of past arms, and scores of answers.
    """
    if outcomes is None:
        question, seen = _compared(terms, _asked(arms)), seen_of(arms)
        return CampaignStatistics(question, arms, seen, seen, seen.means, _judged_means(machine, arms), Ledger())
    question = _with_control(question_of(terms, arms, items=outcomes.shape[-1], known=known), terms)
    scores = score_table(terms, arms, outcomes)
    answers = answers_of(question, scores)
    foreseen = None if known.asked is None else foreseen_of(question, scores, known.asked)
    fit = Ledger().refit(answers.seen.counts.sum(), answers.fit.slope, float(answers.fit.share), answers.told.rho)
    pool = fit._replace(pools=str(outcomes.shape[-1]), repeats=terms.repeats)
    moved = [arm.refit(0.0, _shift(arm, mean)) for arm, mean in zip(arms, answers.means.tolist(), strict=True)]
    return CampaignStatistics(
        question,
        moved,
        replace(answers.seen, foreseen=foreseen),
        answers.effective(question),
        answers.means,
        answers.means,
        pool,
    )


def _judged_means(machine: Machine, arms: Sequence[Arm]) -> Floats:
    rule_of = machine.urgency.rule_of
    return np.array([_judged_mean(rule_of(arm), float(arm.pulls), arm.total) for arm in arms])


def _shift(arm: Arm, mean: float) -> float:
    """Return how far an adjusted mean is above the plain one; 0 where nothing was told."""
    return mean - arm.total / arm.pulls if arm.pulls else 0.0


class AskedArm(NamedTuple):
    """What the question has of an arm, which never changes once the arm is there."""

    name: str
    threshold: float
    sigma: float
    cost: float
    pull_cost: int


def _asked(arms: Sequence[Arm]) -> tuple[AskedArm, ...]:
    return tuple(AskedArm(arm.name, arm.threshold, arm.sigma, arm.cost, arm.pull_cost) for arm in arms)


@lru_cache(maxsize=KEPT)
def _compared(terms: Terms, arms: tuple[AskedArm, ...]) -> Question:
    """Return the question of arms without items, with a control if the terms name one; checked once."""
    return _with_control(question_of(terms, arms), terms)


def _with_control(question: Question, terms: Terms) -> Question:
    return replace(question, control=terms.control_among(question.arms))


def question_of(
    terms: Terms, arms: Sequence[Arm | AskedArm], *, items: int = 0, known: KnownSignals = NOTHING
) -> Question:
    """Return the question that these arms ask, without a control, each with this number of items."""
    sizes = np.full(len(arms), items)
    return terms.question(
        thresholds=[arm.threshold for arm in arms],
        sigma=[arm.sigma for arm in arms],
        arms=[arm.name for arm in arms],
        costs=[arm.cost for arm in arms],
        pull_costs=[amount_of(arm.pull_cost) for arm in arms],
        structure=terms.structure(sizes, history=known.history, proxy=known.proxy) if items else None,
    )


def seen_of(arms: Sequence[Arm]) -> Statistics:
    """Return the statistics of these arms."""

    def column(name: str) -> Floats:
        return np.array([getattr(arm, name) for arm in arms], dtype=np.float64)

    return Statistics(column("pulls"), column("total"), column("squares"))
