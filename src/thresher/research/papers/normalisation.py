r"""The two readings of the gap in the paper, and policies that follow the second.

Section 2 of the paper defines :math:`\Delta = |\mu - \theta| / \sqrt{2\sigma^2}`; its appendix G, with outcomes of
variance 1, says :math:`\Delta = |\mu|`. The paper does not state which of the two its
experiments used: we show both.
Under the second reading the evidence of an arm, and the square of its gap, are twice what they are under the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from thresher.policy import IndexPolicy, Ranking, find_index_policy
from thresher.problem import Problem, Question
from thresher.types import Floats

RAW = ", Δ = |μ|"  # what the name of a policy or a curve ends with under the second reading


@dataclass(frozen=True)
class RawGapPolicy(IndexPolicy):
    r"""An index policy that reads the gap as :math:`|\mu - \theta|/\sigma`: twice the evidence, the same outcomes."""

    def rank(self, problem: Problem | Question) -> Ranking:
        """Return the policy bound to a problem, its evidence doubled."""
        ranking = super().rank(problem)
        return ranking._replace(precisions=2.0 * ranking.precisions)


def with_raw_gaps(name: str) -> RawGapPolicy:
    """Return the index policy of a name, under the reading of the paper's appendix G."""
    policy = find_index_policy(name)
    return RawGapPolicy(name + RAW, policy.indices, policy.parameters, policy.evidence, policy.prior)


def raw_gaps(problem: Problem) -> Floats:
    r"""Return :math:`|\mu_k - \theta_k| / \sigma_k`, shape (K,)."""
    return math.sqrt(2.0) * problem.gaps
