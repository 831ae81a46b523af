r"""What more budget would decide: how many of the open arms, for how many more measurements.

The campaign is carried on in a simulation a few times. Each time one of the values that the bar may have is chosen, and
means are drawn from the posterior behind the chance of error, given that bar. Arms, and a control among them, are
measured in the order of the goal and policy in force, and after every round they are judged again, with the population
fitted again and the same guarantee and tolerance as now.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from thresher.inference import Decisions, decide, decided_arms, posterior_at, posterior_of
from thresher.inference.bars import bar_of
from thresher.inference.guarantees import RULES
from thresher.jit import quickest
from thresher.policy.carrying_on import ControlledOrder, MeasuringOrder, carry_on, carry_on_with_control
from thresher.policy.goals import level_to_decide
from thresher.policy.registry import find_index_policy
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats, Ints

MOST_ARMS = 200  # largest number of simulated arms; of more arms a sample is simulated
RUNS, ROUNDS = 8, 7
FARTHEST, NEAREST = 2.0, 1.0 / 32.0  # times what was measured so far
CHOICES = 2000  # most choices of an arm in a round; in a longer round each chosen arm is measured more than once
NEARLY_ALL = 0.95  # share of the open arms after whose decision a simulation ends
MOST = 0.9  # of the open arms
CHOOSING = 0.02  # milliseconds for the choice of an arm and its outcome, interpreted
GOALS = ("uniform", "mistakes", "decide")


class Offer(NamedTuple):
    """An extension to offer.

    Attributes
    ----------
    measurements : float
        How many more.
    decided : float
        How many of the open arms they are expected to decide.
    n_open : int
        Arms that are open now and can be measured.
    """

    measurements: float
    decided: float
    n_open: int


class Outlook(NamedTuple):
    """What more measurements would decide.

    Attributes
    ----------
    n_open : int
        Arms that are open now and can be measured.
    measurements : ndarray of float64, shape (L,)
        More measurements in all, increasing.
    decided : ndarray of float64, shape (L,)
        How many more arms are then expected to be decided.
    """

    n_open: int
    measurements: Floats
    decided: Floats

    def after(self, measurements: float) -> float:
        """Return the expected number of open arms that this many more measurements decide."""
        return float(np.interp(measurements, [0.0, *self.measurements], [0.0, *self.decided]))

    def to_decide(self, share: float = MOST) -> float:
        """Return how many more measurements decide this share of the open arms; NaN if no number tried does."""
        enough = np.flatnonzero(self.decided >= share * self.n_open)
        if self.n_open == 0 or enough.size == 0:
            return 0.0 if self.n_open == 0 else float("nan")
        last = int(enough[0])
        known = [0.0, *self.decided[: last + 1]], [0.0, *self.measurements[: last + 1]]
        return float(np.interp(share * self.n_open, *known))

    def offer(self, spent: float) -> Offer:
        """Return the number that decides most of the open arms, at most the number of measurements so far."""
        needed = self.to_decide()
        measurements = needed if needed <= spent else spent  # NaN is not
        return Offer(measurements, self.after(measurements), self.n_open)


class DecisionTerms(NamedTuple):
    """The terms under which arms are measured and decided, now and after more measurements.

    Attributes
    ----------
    risk : float
    guarantee : str
    tolerance : float
    is_stopping : bool
        See :func:`thresher.inference.chance_of_error.posterior_of`.
    goal : str
        One of :data:`GOALS`.
    policy : str
        Of the goal ``mistakes``.
    """

    risk: float = 0.05
    guarantee: str = "calibrated"
    tolerance: float = 0.0
    is_stopping: bool = False
    goal: str = "mistakes"
    policy: str = "stopping"

    def decide(self, question: Question, seen: Statistics) -> Decisions:
        """Return the decisions by the side of each mean, with intervals."""
        bar = bar_of(question)
        sides, found = bar.sides(seen.means), posterior_of(bar, seen, is_stopping=self.is_stopping)
        return decide(bar, seen, sides, found, risk=self.risk, guarantee=self.guarantee, tolerance=self.tolerance)

    def n_decided(self, question: Question, seen: Statistics) -> int:
        """Return how many arms are decided by the side of each mean."""
        bar = bar_of(question)
        sides, found = bar.sides(seen.means), posterior_of(bar, seen, is_stopping=self.is_stopping)
        terms = {"risk": self.risk, "tolerance": self.tolerance}
        return int(decided_arms(bar, seen, sides, found, guarantee=self.guarantee, **terms).sum())

    def carry_on(
        self,
        question: Question,
        means: Floats,
        deviations: Floats,
        sums: Floats,
        more: int,
        seed: int,
        at_once: int = 1,
    ) -> None:
        """Measure on in a simulation: see :func:`carry_on`."""
        policy = find_index_policy(self.policy if self.goal == "mistakes" else "stopping")
        is_even = self.goal == "uniform" or all(index.ignores_outcomes for index in policy.indices)
        ranking, given = policy.rank(question), (means, deviations, sums, more, at_once, question.kind.is_coin, seed)
        control = None if is_even else question.control
        if control:
            carry_on_with_control(ControlledOrder(ranking, control, np.array(question.pull_costs)), *given)
        else:
            level = np.array(level_to_decide(self.guarantee, self.risk, n_arms=question.judged.size))
            # Numba draws as RandomState does, but for several outcomes at once.
            milliseconds = CHOOSING * more if at_once == 1 else math.inf
            measure = quickest(carry_on, milliseconds, random=np.random.RandomState())
            measure(MeasuringOrder(ranking, GOALS.index(self.goal), level), *given)


def outlook(
    question: Question,
    seen: Statistics,
    is_open: Bools,
    *,
    judging: DecisionTerms | None = None,
    is_retired: Bools | None = None,
    seed: int = 0,
) -> Outlook:
    """Return what more measurements would decide.

    Parameters
    ----------
    question : Question
        Not of the family ``two-point``.
    seen : Statistics
        Of all arms, a control among them.
    is_open : ndarray of bool, shape (K,)
        Judged arms that are open and can be measured.
    judging : DecisionTerms, optional
    is_retired : ndarray of bool, optional
        Arms that are not measured any more; a control is one of them.
    seed : int
        Of the simulation.
    """
    rng, terms, n_open = np.random.default_rng(seed), judging or DecisionTerms(), int(is_open.sum())
    if n_open == 0:
        return Outlook(0, np.ones(1), np.zeros(1))
    chosen = _sample(is_open, rng)
    arms = _with_control(question, chosen)
    part, seen_part, scale = _part(question, arms), seen.part(arms).alone, n_open / int(is_open[chosen].sum())
    if RULES[terms.guarantee].is_shared:
        terms = terms._replace(risk=terms.risk * chosen.size / is_open.size)
    spreads = part.kind.deviations(part, seen_part)
    if is_retired is not None:
        spreads = np.where(is_retired[arms], np.inf, spreads)
    told = max(float(seen_part.counts.sum()), 4.0 * n_open / scale)
    steps = np.unique(np.ceil(np.geomspace(max(NEAREST * told, 1.0), FARTHEST * told, ROUNDS)))
    means = _drawn_means(part, seen_part, terms.is_stopping, rng)
    runs = [_decided_after(part, seen_part, drawn, spreads, steps, terms, rng) for drawn in means]
    decided = scale * np.maximum(np.mean(runs, axis=0), 0.0)
    return Outlook(n_open, scale * steps, np.maximum.accumulate(decided))


def _drawn_means(question: Question, seen: Statistics, is_stopping: bool, rng: np.random.Generator) -> list[Floats]:
    """Return the means of all arms in each run, drawn from their posterior; the bar is the same for all of them."""
    bar, at = bar_of(question), partial(posterior_at, is_stopping=is_stopping)
    values = bar.possible(seen, at)
    levels = (np.arange(RUNS) + rng.random()) / RUNS  # stratified: every part of the bar's distribution has its share
    places = np.searchsorted(np.cumsum([one.weight for one in values]), levels).clip(max=len(values) - 1)
    posteriors = {place: at(values[place].question, values[place].seen) for place in set(places.tolist())}
    means = []
    for place in places.tolist():
        gaps = posteriors[place].quantile(rng.random(question.judged.size))
        means.append(bar.means_at(values[place], values[place].question.thresholds + gaps))
    return means


def _with_control(question: Question, chosen: Ints) -> Ints:
    """Return the positions of some of the judged arms, and of all that are not judged."""
    others = np.setdiff1d(np.arange(question.n_arms), question.judged)
    return np.sort(np.concatenate([question.judged[chosen], others]))


def _sample(is_open: Bools, rng: np.random.Generator) -> Ints:
    """Return the arms that are simulated, by their numbers: all, or a sample with some that are open."""
    if is_open.size <= MOST_ARMS:
        return np.arange(is_open.size)
    open_, rest = np.flatnonzero(is_open), np.flatnonzero(~is_open)
    n_open = max(round(MOST_ARMS * open_.size / is_open.size), 1)
    n_rest = min(MOST_ARMS - n_open, rest.size)
    return np.concatenate([rng.choice(open_, n_open, replace=False), rng.choice(rest, n_rest, replace=False)])


def _part(question: Question, arms: Ints) -> Question:
    """Return the question about some arms, as independent draws."""
    control = question.control
    return replace(
        question,
        thresholds=question.thresholds[arms],
        sigma=question.sigma[arms],
        costs=question.costs[arms],
        pull_costs=question.pull_costs[arms],
        arms=tuple(question.arms[k] for k in arms),
        structure=None,
        control=control and control._replace(arm=int(np.searchsorted(arms, control.arm))),
    )


def _decided_after(
    question: Question,
    seen: Statistics,
    means: Floats,
    deviations: Floats,
    steps: Floats,
    terms: DecisionTerms,
    rng: np.random.Generator,
) -> list[int]:
    """Return how many more arms are decided in one simulated campaign after each number of measurements."""
    sums, found, before = np.stack([seen.counts, seen.totals, seen.squares]), list[int](), 0
    first = terms.n_decided(question, seen)
    n_decided, enough = first, first + NEARLY_ALL * (question.judged.size - first)
    for step in steps.astype(np.int64).tolist():
        if n_decided < enough:
            more, at_once = step - before, math.ceil((step - before) / CHOICES)
            terms.carry_on(question, means, deviations, sums, more, int(rng.integers(1 << 31)), at_once)
            n_decided = terms.n_decided(question, Statistics(*sums))
        before = step
        found.append(n_decided - first)
    return found
