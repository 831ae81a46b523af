"""APT-G: sample where the side is least clear."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.confidence.policy import ANY_MISTAKE, ConfidencePolicy
from thresher.policy.confidence.trial import APT_G


@njit(cache=True)
def apt_g_score(gap: float, count: float, sigma: float) -> float:
    r"""Return the score of one arm; the open arm of highest score is pulled next.

    .. math:: - \sqrt n \, |\hat\mu_n - \theta| / \sigma

    :cite:p:`kano2019`, Algorithm 1 (APT-G), after the index of :cite:p:`locatelli2016`, Eq. (4), with ε = 0; dividing
    by :math:`\sigma` is ours and changes nothing where it is common. The formula was read in a public reproduction.
    """
    return -math.sqrt(count) * abs(gap) / sigma


def apt_g() -> ConfidencePolicy:
    """Return the rule that outputs good arms one by one and pulls the one whose side is least clear."""
    return ConfidencePolicy("apt-g", APT_G, ANY_MISTAKE, "kano2019, Algorithm 1 (APT-G)")
