"""What the verdicts of one run cost: the losses of the paper, and whether any arm was misjudged."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.engine.draws import Arms
from thresher.jit import kernel
from thresher.policy.ranking import Ranking, rule_of, verdict_of
from thresher.types import Floats, Ints

COSTS, GAPS, ANY = 0, 1, 2
LOSSES = {"costs": COSTS, "gaps": GAPS, "any": ANY}


class Judged(NamedTuple):
    """The loss of one run, and the probability (0, 1, or between if arms are undecided) that some verdict is wrong."""

    loss: float
    any_mistake: float


@kernel
def weight_of(arms: Arms, k: int, mean: float, loss: int, tolerance: float) -> float:
    r"""Return what a mistake on an arm counts: :math:`a_k`, or :math:`\Delta_k`; 0 on the bar or within the tolerance.

    :cite:p:`ouhamma2021`, Eq. (1), for both losses; the tolerance is that of :cite:p:`locatelli2016`, where an
    arm counts if its mean is at least :math:`\theta + \epsilon` or below :math:`\theta - \epsilon`.
    """
    gap = mean - arms.thresholds[k]
    if gap == 0.0 or (tolerance > 0.0 and -tolerance <= gap < tolerance):
        return 0.0
    if loss == GAPS:
        return float(abs(gap) / math.sqrt(2.0 * arms.sigma[k] ** 2))
    return float(arms.costs[k])


@kernel
def judge(
    ranking: Ranking, arms: Arms, means: Floats, counts: Ints, totals: Floats, loss: int, tolerance: float
) -> Judged:
    """Return what the verdicts of a ranking on all arms cost."""
    verdicts = np.empty(counts.size, np.int64)
    for k in range(counts.size):
        verdicts[k] = verdict_of(rule_of(ranking, k), float(counts[k]), totals[k])
    return cost_of(arms, means, verdicts, loss, tolerance)


@kernel
def cost_of(arms: Arms, means: Floats, verdicts: Ints, loss: int, tolerance: float) -> Judged:
    """Return what verdicts (1 above, -1 below, 0 none) on all arms cost; an arm without one counts half."""
    whole, wrong, undecided = 0.0, 0, 0
    for k in range(verdicts.size):
        weight = weight_of(arms, k, means[k], loss, tolerance)
        if weight == 0.0:
            continue
        if verdicts[k] == 0:
            undecided += 1
            whole += 0.5 * weight
        elif (verdicts[k] > 0) != (means[k] > arms.thresholds[k]):
            wrong += 1
            whole += weight
    any_mistake = 1.0 if wrong > 0 else 1.0 - 0.5**undecided
    return Judged(any_mistake if loss == ANY else whole, any_mistake)
