"""LUCB-G: sample by the same intervals by which arms are judged."""

from __future__ import annotations

from thresher.jit import njit
from thresher.policy.confidence.good_arms import good_arm_radius
from thresher.policy.confidence.policy import ANY_MISTAKE, ConfidencePolicy
from thresher.policy.confidence.trial import LUCB_G


@njit(cache=True)
def lucb_g_score(gap: float, count: float, sigma: float, n_arms: float, delta: float) -> float:
    r"""Return the score of one arm, the upper end of its interval; the open arm of highest score is pulled next.

    .. math:: \hat\mu_n - \theta + U_n

    :cite:p:`kano2019`, Algorithm 1 (LUCB-G), with the :math:`U_n` of
    :func:`~thresher.policy.confidence.good_arms.good_arm_radius`. The formula was read in a public reproduction.
    """
    return gap + good_arm_radius(count, sigma, n_arms, delta)


def lucb_g() -> ConfidencePolicy:
    """Return the rule that outputs good arms one by one and pulls the highest upper end."""
    return ConfidencePolicy("lucb-g", LUCB_G, ANY_MISTAKE, "kano2019, Algorithm 1 (LUCB-G)")
