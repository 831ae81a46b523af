r"""What more budget would decide: how many of the open arms, for how many more measurements.

The campaign is carried on in a simulation a few times. Means are drawn from the posterior under the fitted population,
arms are measured in the order of the goal and policy in force, and after every round they are judged again, with the
population fitted again and the same guarantee and tolerance as now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.jit import njit
from thresher.policy.decisions import Decisions, decide
from thresher.policy.doubt import doubt
from thresher.policy.fixed_budget.decide import decide_formula, level_to_decide
from thresher.policy.fixed_budget.more_than import evidence_by
from thresher.policy.population import draw_means, fit_population
from thresher.policy.ranking import Ranking, rule_of, urgency_of
from thresher.policy.registry import find_index_policy
from thresher.policy.seen import Seen
from thresher.problem import Question
from thresher.problem.family import BERNOULLI, GAUSSIAN
from thresher.types import Bools, Floats, Ints

MOST_ARMS = 200  # that are simulated; of more a sample stands for all
RUNS, ROUNDS = 8, 10
FARTHEST = 8.0  # times what was measured so far
NEARLY_ALL = 0.95  # of the open arms: a simulation ends when so many are decided
MOST = 0.9  # of the open arms
GOALS = ("uniform", "mistakes", "decide")


class Offer(NamedTuple):
    """An extension that is worth offering.

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
        """Return how many of the open arms so many more measurements are expected to decide."""
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
        See :func:`thresher.policy.doubt.doubt`.
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

    def decide(self, question: Question, seen: Seen) -> Decisions:
        """Return what is decided by the sign of each mean."""
        sides = np.where(seen.means > question.thresholds, 1, np.where(seen.counts > 0.0, -1, 0)).astype(np.int64)
        found = doubt(question, seen, tolerance=self.tolerance, is_stopping=self.is_stopping)
        return decide(question, seen, sides, found, risk=self.risk, guarantee=self.guarantee, tolerance=self.tolerance)

    def carry_on(
        self, question: Question, means: Floats, deviations: Floats, sums: Floats, more: int, seed: int
    ) -> None:
        """Measure on in a simulation: see :func:`carry_on`."""
        ranking = find_index_policy(self.policy if self.goal == "mistakes" else "stopping").rank(question)
        level = np.array(level_to_decide(self.guarantee, self.risk, n_arms=question.n_arms))
        goal, is_coin = GOALS.index(self.goal), question.kind is BERNOULLI
        carry_on(ranking, means, deviations, sums, more, goal, level, is_coin, seed)


@njit(cache=True)
def carry_on(
    ranking: Ranking,
    means: Floats,
    deviations: Floats,
    sums: Floats,
    more: int,
    goal: int,
    level: Floats,
    is_coin: bool,
    seed: int,
) -> None:
    """Add simulated outcomes to counts, totals and squares, the rows of `sums`.

    Parameters
    ----------
    ranking : Ranking
    means, deviations : ndarray of float64, shape (K,)
        Of the outcomes, which are normal, or 0 and 1 if `is_coin`. An arm of infinite deviation is not measured.
    sums : ndarray of float64, shape (3, K)
        Changed.
    more : int
        How many outcomes.
    goal : int
        0 for uniform sampling, 1 for the least urgency of the ranking, 2 for the arm that is nearest to a decision.
    level : ndarray of float64, shape (4,)
        Of :func:`thresher.policy.fixed_budget.decide.level_to_decide`.
    is_coin : bool
    seed : int
    """
    np.random.seed(seed)
    n_arms = means.size
    counts, totals, squares, keys = sums[0], sums[1], sums[2], np.full(n_arms, -1e300)
    for t in range(-n_arms, more):  # first the keys of what is known
        k = t + n_arms
        if t >= 0:
            k = int(np.argmin(keys))
            outcome = means[k] + deviations[k] * np.random.normal()
            if is_coin:
                outcome = 1.0 if np.random.random() < means[k] else 0.0
            counts[k] += 1.0
            totals[k] += outcome
            squares[k] += (outcome - ranking.thresholds[k]) ** 2
        if deviations[k] == np.inf:
            keys[k] = np.inf
        elif counts[k] > 0.0:
            rule = rule_of(ranking, k)
            if goal == 0:
                keys[k] = counts[k]
            elif goal == 1:
                keys[k] = urgency_of(rule, counts[k], totals[k], squares[k])
            else:
                evidence, seen = evidence_by(rule, counts[k], totals[k], squares[k]), counts[k] + rule.pseudo_count
                keys[k] = decide_formula(seen, evidence, level[0], level[1], level[2], level[3])


def outlook(
    question: Question,
    seen: Seen,
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
    seen : Seen
    is_open : ndarray of bool, shape (K,)
        Arms that are open and can be measured.
    judging : DecisionTerms, optional
    is_retired : ndarray of bool, shape (K,), optional
        Arms that are not measured any more.
    seed : int
        Of the simulation.
    """
    rng, terms, n_open = np.random.default_rng(seed), judging or DecisionTerms(), int(is_open.sum())
    if n_open == 0:
        return Outlook(0, np.ones(1), np.zeros(1))
    chosen = _sample(is_open, rng)
    part, seen_part, scale = _part(question, chosen), seen.part(chosen), n_open / int(is_open[chosen].sum())
    if terms.guarantee == "fwer":
        terms = terms._replace(risk=terms.risk * chosen.size / question.n_arms)
    spreads = _deviations(part, seen_part)
    if is_retired is not None:
        spreads = np.where(is_retired[chosen], np.inf, spreads)
    most = max(FARTHEST * float(seen_part.counts.sum()), 8.0 * n_open / scale)
    steps = np.unique(np.ceil(np.geomspace(max(most / 256.0, 1.0), most, ROUNDS)))
    means = draw_means(question, seen, fit_population(question, seen), chosen, RUNS, rng)
    runs = [_decided_after(part, seen_part, drawn, spreads, steps, terms, rng) for drawn in means]
    decided = scale * np.maximum(np.mean(runs, axis=0), 0.0)
    return Outlook(n_open, scale * steps, np.maximum.accumulate(decided))


def _sample(is_open: Bools, rng: np.random.Generator) -> Ints:
    """Return the arms that are simulated, by their numbers: all, or a sample with some that are open."""
    if is_open.size <= MOST_ARMS:
        return np.arange(is_open.size)
    open_, rest = np.flatnonzero(is_open), np.flatnonzero(~is_open)
    n_open = max(round(MOST_ARMS * open_.size / is_open.size), 1)
    n_rest = min(MOST_ARMS - n_open, rest.size)
    return np.concatenate([rng.choice(open_, n_open, replace=False), rng.choice(rest, n_rest, replace=False)])


def _part(question: Question, chosen: Ints) -> Question:
    return Question.of(
        question.family,
        thresholds=question.thresholds[chosen],
        sigma=question.sigma[chosen] if question.kind.noise == "given" else None,
        costs=question.costs[chosen],
        pull_costs=question.pull_costs[chosen],
        low=question.low,
        high=question.high,
    )


def _deviations(question: Question, seen: Seen) -> Floats:
    """Return the standard deviation of each arm: as given, or the empirical one, or that of all arms together."""
    if question.kind is GAUSSIAN:
        return question.sigma
    squares, freedom = seen.counts * seen.variances(question), np.maximum(seen.counts - 1.0, 0.0)
    common = float(squares.sum()) / max(float(freedom.sum()), 1.0)
    return np.sqrt(np.where(freedom > 0.0, squares / np.maximum(freedom, 1.0), common))


def _decided_after(
    question: Question,
    seen: Seen,
    means: Floats,
    deviations: Floats,
    steps: Floats,
    terms: DecisionTerms,
    rng: np.random.Generator,
) -> list[int]:
    """Return how many more arms are decided in one simulated campaign after each number of measurements."""
    sums, found, before = np.stack([seen.counts, seen.totals, seen.squares]), list[int](), 0
    first = int(terms.decide(question, seen).is_decided.sum())
    n_decided, enough = first, first + NEARLY_ALL * (question.n_arms - first)
    for step in steps.astype(np.int64).tolist():
        if n_decided < enough:
            terms.carry_on(question, means, deviations, sums, step - before, int(rng.integers(1 << 31)))
            n_decided = int(terms.decide(question, Seen(*sums)).is_decided.sum())
        before = step
        found.append(n_decided - first)
    return found
