"""HDoC: sample as UCB does, so that good arms come early; judge by wider intervals."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.confidence.policy import ANY_MISTAKE, ConfidencePolicy
from thresher.policy.confidence.trial import HDOC


@njit(cache=True)
def hdoc_score(gap: float, count: float, sigma: float, pulls: float) -> float:
    r"""Return the score of one arm; the open arm of highest score is pulled next.

    .. math:: \hat\mu_n - \theta + \sigma \sqrt{2 \log(t) / n}

    :cite:p:`kano2019`, Algorithm 1 (HDoC), there :math:`\hat\mu + \sqrt{\log t / (2n)}` for outcomes in [0, 1]. t is
    the number of the next pull, K + 1 when the rule chooses first. The formula was read in a public reproduction.

    Parameters
    ----------
    gap : float
        :math:`\hat\mu_n - \theta`.
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`.
    pulls : float
        Pulls of all arms so far, :math:`t - 1 \ge 1`.
    """
    return gap + sigma * math.sqrt(2.0 * math.log(pulls + 1.0) / count)


def hdoc() -> ConfidencePolicy:
    """Return the rule that outputs good arms one by one and samples as UCB does."""
    return ConfidencePolicy("hdoc", HDOC, ANY_MISTAKE, "kano2019, Algorithm 1 (HDoC)")
