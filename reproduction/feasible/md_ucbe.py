"""MD-UCBE: the arm of least margin less a bonus, for which it is told how hard the problem is."""

from __future__ import annotations

import math

from reproduction.feasible.policy import MD_UCBE, SOURCE, FeasiblePolicy
from thresher.jit import formula


@formula
def md_ucbe_key(count: float, margin: float, bonus: float) -> float:
    r"""Return the index of one arm; the least is pulled next.

    .. math:: \hat\Delta_i - \sqrt{a / n_i}

    :cite:p:`katz-samuels2018`, Algorithm 1. Ties go to the lowest arm, which the paper leaves open.
    """
    return margin - math.sqrt(bonus / count)


def md_ucbe_bonus(scale: float, horizon: int, n_arms: int, difficulty: float) -> float:
    r"""Return the number `a` of the bonus.

    .. math:: a = s\,\frac{25}{36}\,\frac{T - K}{H}

    :cite:p:`katz-samuels2018`, Theorem 2 with s = 1; the paper's MD-UCBE[i] has s = i. An arm of margin 0 makes H
    infinite and the bonus 0.
    """
    return scale * 25.0 / 36.0 * (horizon - n_arms) / difficulty


def md_ucbe(scale: float = 1.0, horizon: int = 0) -> FeasiblePolicy:
    """Return the arm of least margin less a bonus for few pulls, which is set by the true difficulty."""
    return FeasiblePolicy(
        "md-ucbe", MD_UCBE, f"{SOURCE}, Algorithm 1", scale, horizon, needs_truth=True, needs_horizon=True
    )
