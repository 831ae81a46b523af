r"""Policies for a loss that does not part into arms: the chance of more than `m` mistakes.

With independent mistakes of probability :math:`p_k` the chance of more than m of them moves with :math:`p_k` by
:math:`P(\text{the others make exactly } m)`. That is what a mistake on arm k costs, as long as the others stay as they
are: the weight by which an index is told what matters. It changes with every pull of any arm, so that such a policy is
no :class:`~thresher.policy.IndexPolicy`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit

from thresher.errors import InvalidProblemError
from thresher.index.evidence import evidence_of
from thresher.policy.ranking import Rule
from thresher.types import Floats

MORE_THAN = "more-than"
SOURCE = "ours; the loss is asked for in the discussion of ouhamma2021"
LEAST_WEIGHT = 1e-300  # where every chance underflows nothing is left to tell the arms apart


@dataclass(frozen=True)
class CoupledPolicy:
    r"""Rank arms by the stopping index, each mistake weighed by the chance that the others make exactly `m`.

    .. math:: F_k = \log n_k + \psi(\sqrt{2 x_k}) - \log P\Big(\sum_{j \ne k} E_j = m\Big), \qquad
              P(E_j = 1) = \Phi(-\sqrt{2 x_j})

    The discussion of :cite:p:`ouhamma2021` asks for losses that are no sum over arms; this one is ours. Mistake costs
    are ignored: the loss counts mistakes.

    Parameters
    ----------
    name : str
        What results call it.
    most : int
        :math:`m \ge 0`, the mistakes that are forgiven.
    """

    name: str
    most: int
    needs_truth: bool = False

    def __post_init__(self) -> None:
        if self.most < 0:
            raise InvalidProblemError(f"m={self.most} of {self.name!r}", instead="give 0 or a positive whole number")


def more_than(m: int = 0) -> CoupledPolicy:
    """Return the policy against more than `m` mistakes: stopping index, arms weighed by what the others leave open."""
    return CoupledPolicy(f"more-than:m={m}", m)


@njit(cache=True)
def chance_of_mistake(rule: Rule, count: float, total: float, squares: float) -> float:
    r"""Return how likely the verdict on an arm is wrong under a flat prior on its mean, :math:`\Phi(-\sqrt{2x})`.

    Parameters
    ----------
    rule : Rule
    count : float
        Pulls, at least one.
    total, squares : float
        :math:`\sum_i X_i` and :math:`\sum_i (X_i - \theta)^2`.
    """
    seen = count + rule.pseudo_count
    x = evidence_of(rule.evidence, seen, total + rule.pseudo_total, squares, rule.threshold, rule.precision)
    return 0.5 * math.erfc(math.sqrt(x))


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
def next_arm(urgencies: Floats, weights: Floats) -> int:
    """Return the arm of least index once each is weighed; ties go to the lowest arm."""
    best, least = 0, math.inf
    for k in range(urgencies.size):
        urgency = urgencies[k] - math.log(weights[k])
        if urgency < least:
            best, least = k, urgency
    return best
