r"""Against more than m mistakes: the stopping index, each arm weighed by what the others leave open.

With independent mistakes of probability :math:`p_k` the chance of more than m of them moves with :math:`p_k` by
:math:`P(\text{the others make exactly } m)`, which is what a mistake on arm k costs as long as the others stay as they
are. The weights change without a pull of the arm.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.inference import evidence_of
from thresher.jit import kernel, njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.index import STOPPING
from thresher.policy.index_policy import IndexPolicy
from thresher.policy.policy import Traits
from thresher.policy.ranking import ArmRule, arm_index, rule_of
from thresher.policy.rule import RuleSetup, State, Turn, least
from thresher.types import Floats

LEAST_WEIGHT = 1e-300  # where every chance underflows, all arms are equal
# Their weights and fits are for independent draws.
BY_STOPPING = IndexPolicy("stopping", (STOPPING,), (0.0,), structure="none")


@kernel  # it makes arrays
def more_than_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm of least stopping index, weighed by the chance that the others make exactly m mistakes.

    .. math:: F_k = \log(n_k / a_k) + \psi(\sqrt{2 x_k}) - \log w_k, \qquad
              w_k = P\Big(\sum_{j \ne k} E_j = m\Big), \qquad P(E_j = 1) = \Phi(-\sqrt{2 x_j})

    The discussion of :cite:p:`ouhamma2021` asks for losses that are not sums over arms; this policy is new. Mistake
    costs are ignored: the loss counts mistakes.
    """
    n_arms, most = state.counts.size, int(known.parameters[0])
    indices, chances, weights = state.memory[:n_arms], state.memory[n_arms : 2 * n_arms], state.keys
    after = state.memory[2 * n_arms :].reshape(n_arms + 1, most + 1)
    for i in range(turn.n_changed):
        k = state.changed[i]
        rule, count = rule_of(known.ranking, k), float(state.counts[k])
        indices[k] = arm_index(rule, count, state.totals[k], state.squares[k])
        chances[k] = chance_of_mistake(evidence_by(rule, count, state.totals[k], state.squares[k]))
    weigh_by_others(chances, most, weights, after)
    for k in range(n_arms):
        state.keys[k] = indices[k] - math.log(weights[k])
    return least(state)


@njit(cache=True)
def evidence_by(rule: ArmRule, count: float, total: float, squares: float) -> float:
    r"""Return the evidence of an arm by its rule, pseudo-samples included.

    Parameters
    ----------
    rule : ArmRule
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


MORE_THAN = Algorithm(
    "more-than",
    choose=more_than_choose,
    source="thresher; the loss is asked for in the discussion of ouhamma2021",
    parameters=(Parameter("m", 0.0, is_open=False, is_whole=True),),
    traits=Traits(in_flight=False),
    memory=lambda n_arms, m: 2 * n_arms + (n_arms + 1) * (int(m) + 1),
    index=BY_STOPPING,
    ignores_costs=True,
)
