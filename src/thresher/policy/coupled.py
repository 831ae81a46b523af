r"""Policies whose arms are coupled: each is ranked by the stopping index, and weighed by what was seen of all others.

There are two reasons to weigh. The loss may not part into arms: with independent mistakes of probability :math:`p_k`
the chance of more than m of them moves with :math:`p_k` by :math:`P(\text{the others make exactly } m)`, which is what
a mistake on arm k costs as long as the others stay as they are. Or the others tell what to expect of an arm
(:mod:`thresher.policy.fitted`). Weights change without a pull of the arm, so that such a policy is no
:class:`~thresher.policy.IndexPolicy`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidProblemError
from thresher.index.evidence import evidence_of
from thresher.jit import njit
from thresher.policy.fitted import Fit, Trust, new_fit, weigh_by_population
from thresher.policy.ranking import Rule
from thresher.problem import Problem
from thresher.types import Floats, Ints

OTHERS, POPULATION = 0, 1  # what arms are weighed by
FITTED_FAMILIES = ("gaussian", "gaussian-unknown-variance", "bounded")  # a population is fitted by a normal likelihood
LEAST_WEIGHT = 1e-300  # where every chance underflows nothing is left to tell the arms apart


class Coupling(NamedTuple):
    """What arms are weighed by: a code for compiled code, the mistakes forgiven, how far a fit is trusted."""

    code: int
    most: int = 0
    trust: Trust = Trust(0.0, 0.0)


@dataclass(frozen=True)
class CoupledPolicy:
    r"""Rank arms by the stopping index, each weighed by what was seen of all.

    .. math:: F_k = \log(n_k / a_k) + \psi(\sqrt{2 x_k}) - \log w_k

    Parameters
    ----------
    name : str
        What results call it.
    coupling : Coupling
    ignores_costs : bool
        Mistakes are counted, whatever they cost.
    """

    name: str
    coupling: Coupling
    ignores_costs: bool = False
    needs_truth: bool = False

    def why_not(self, problem: Problem) -> str | None:
        """Return why it cannot play a problem, or None."""
        if self.coupling.code == POPULATION and problem.family not in FITTED_FAMILIES:
            return f"plays {', '.join(FITTED_FAMILIES)} and not {problem.family}"
        return None


def more_than(m: int = 0) -> CoupledPolicy:
    r"""Return the policy against more than `m` mistakes: stopping index, arms weighed by what the others leave open.

    .. math:: w_k = P\Big(\sum_{j \ne k} E_j = m\Big), \qquad P(E_j = 1) = \Phi(-\sqrt{2 x_j})

    The discussion of :cite:p:`ouhamma2021` asks for losses that are no sum over arms; this one is ours. Mistake costs
    are ignored: the loss counts mistakes.
    """
    if m < 0:
        raise InvalidProblemError(f"m={m} of 'more-than'", instead="give 0 or a positive whole number")
    return CoupledPolicy(f"more-than:m={m}", Coupling(OTHERS, most=m), ignores_costs=True)


def stopping_fitted(arms: float = 60.0, share: float = 0.5) -> CoupledPolicy:
    """Return the stopping index under a population of gaps fitted to all arms, beside `arms` arms of the flat prior.

    Ours, for outcomes whose mean is about normal: near a bar of 0 or 1 the two sides of a 0/1 arm are too unlike for
    one gap. The more pseudo-arms and the less of the weights' logarithm that counts (`share`, 0 to 1), the closer to
    `stopping`; :func:`~thresher.policy.fitted.log_price_ratio` has the weights.
    """
    if not 1.0 <= arms < math.inf:
        raise InvalidProblemError(f"arms={arms:g} of 'stopping-fitted'", instead="give a number of at least 1")
    if not 0.0 <= share <= 1.0:
        raise InvalidProblemError(f"share={share:g} of 'stopping-fitted'", instead="give a number from 0 to 1")
    name = f"stopping-fitted:arms={arms:g},share={share:g}"
    return CoupledPolicy(name, Coupling(POPULATION, trust=Trust(float(arms), float(share))))


COUPLED: dict[str, Callable[..., CoupledPolicy]] = {"more-than": more_than, "stopping-fitted": stopping_fitted}
SOURCES = {
    "more-than": "ours; the loss is asked for in the discussion of ouhamma2021",
    "stopping-fitted": "ours; the stopping index with an empirical Bayes prior",
}


class Seen(NamedTuple):
    r"""What was seen of every arm in one run, and what follows for it; arrays of shape (K,).

    Attributes
    ----------
    counts, totals, squares : ndarray
        Pulls, :math:`\sum_i X_i` and :math:`\sum_i (X_i - \theta)^2`.
    sizes, evidences, urgencies : ndarray of float64
        :math:`n` with pseudo-samples, :math:`x`, and the stopping index.
    logs : ndarray of float64
        Logarithms of the weights.
    """

    counts: Ints
    totals: Floats
    squares: Floats
    sizes: Floats
    evidences: Floats
    urgencies: Floats
    logs: Floats


class Room(NamedTuple):
    """Where weights are worked out: chances of a mistake, the Poisson-binomial table, the fitted population."""

    chances: Floats
    after: Floats
    fit: Fit


@njit(cache=True, nogil=True)
def nothing_seen(n_arms: int) -> Seen:
    """Return what is known before the first pull."""
    return Seen(
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.zeros(n_arms),
        np.full(n_arms, -math.inf),
        np.zeros(n_arms),
    )


@njit(cache=True, nogil=True)
def new_room(coupling: Coupling, n_arms: int) -> Room:
    """Return room for the weights of so many arms."""
    return Room(np.zeros(n_arms), np.empty((n_arms + 1, coupling.most + 1)), new_fit(n_arms))


@njit(cache=True, nogil=True)
def weigh(coupling: Coupling, seen: Seen, last: int, room: Room) -> None:
    """Bring the weights up to date after a pull of arm `last`; below 0, at the start of a run."""
    if coupling.code == POPULATION:
        weigh_by_population(seen.sizes, seen.evidences, seen.counts, last, coupling.trust, room.fit, seen.logs)
        return
    for k in range(seen.counts.size):
        if last < 0 or k == last:
            room.chances[k] = chance_of_mistake(seen.evidences[k])
    weigh_by_others(room.chances, coupling.most, seen.logs, room.after)
    for k in range(seen.counts.size):
        seen.logs[k] = math.log(seen.logs[k])


@njit(cache=True)
def evidence_by(rule: Rule, count: float, total: float, squares: float) -> float:
    r"""Return the evidence of an arm by its rule, pseudo-samples included.

    Parameters
    ----------
    rule : Rule
    count : float
        Pulls, at least one.
    total, squares : float
        :math:`\sum_i X_i` and :math:`\sum_i (X_i - \theta)^2`.
    """
    seen = count + rule.pseudo_count
    return evidence_of(rule.evidence, seen, total + rule.pseudo_total, squares, rule.threshold, rule.precision)


@njit(cache=True)
def chance_of_mistake(evidence: float) -> float:
    r"""Return how likely a verdict is wrong under a flat prior on the arm's mean, :math:`\Phi(-\sqrt{2x})`."""
    return 0.5 * math.erfc(math.sqrt(evidence))


@njit(cache=True, nogil=True)
def weigh_by_others(chances: Floats, most: int, weights: Floats, after: Floats) -> None:
    r"""Fill in the chance that all others make exactly `most` mistakes, for each arm.

    The distribution of a sum of independent 0/1 numbers (Poisson-binomial) of the arms before k, and of those after k,
    is built up arm by arm: only sums of products of chances, so that even tiny weights keep all their digits.

    Parameters
    ----------
    chances : ndarray of float64, shape (K,)
        :math:`p_k`.
    most : int
        :math:`m \ge 0`.
    weights : ndarray of float64, shape (K,)
        Filled in.
    after : ndarray of float64, shape (K + 1, m + 1)
        Room for the distributions of the arms from k on.
    """
    n_arms = chances.size
    after[n_arms, :] = 0.0
    after[n_arms, 0] = 1.0
    for k in range(n_arms - 1, -1, -1):
        _add_arm(after[k + 1], chances[k], after[k])
    before = np.zeros(most + 1)
    before[0] = 1.0
    for k in range(n_arms):
        chance = 0.0
        for mistakes in range(most + 1):
            chance += before[mistakes] * after[k + 1, most - mistakes]
        weights[k] = max(chance, LEAST_WEIGHT)
        _add_arm(before, chances[k], before)


@njit(cache=True, inline="always")
def _add_arm(counts: Floats, chance: float, target: Floats) -> None:
    """Write the distribution of the number of mistakes with one arm more; both may be the same array."""
    for mistakes in range(counts.size - 1, 0, -1):
        target[mistakes] = (1.0 - chance) * counts[mistakes] + chance * counts[mistakes - 1]
    target[0] = (1.0 - chance) * counts[0]


@njit(cache=True, nogil=True)
def next_arm(urgencies: Floats, logs: Floats) -> int:
    """Return the arm of least index once each is weighed; ties go to the lowest arm."""
    best, least = 0, math.inf
    for k in range(urgencies.size):
        urgency = urgencies[k] - logs[k]
        if urgency < least:
            best, least = k, urgency
    return best
