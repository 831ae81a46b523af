"""APT, the anytime parameter-free thresholding index."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def apt_formula(count: float, evidence: float, cost: float, epsilon: float) -> float:  # noqa: ARG001
    r"""Return the APT index of one arm: its evidence; mistake costs are ignored.

    .. math:: F(n, x) = x \quad (\epsilon = 0), \qquad
              F(n, x) = \sqrt{x} + \sqrt{n}\,\epsilon' \quad (\epsilon > 0)

    :cite:p:`locatelli2016`, Eq. (4)-(5): :math:`\sqrt{n}(|\hat\mu - \theta| + \epsilon)`, here divided by
    :math:`\sqrt{2\sigma^2}`, which changes no choice when all arms have the same σ. :cite:p:`ouhamma2021` has the case
    :math:`\epsilon = 0` as :math:`F(n, x) = x`.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        Not used.
    epsilon : float
        :math:`\epsilon' = \epsilon/\sqrt{2\sigma^2} \ge 0`.
    """
    if epsilon == 0.0:
        return evidence
    return math.sqrt(evidence) + math.sqrt(count) * epsilon


APT = Index(
    "apt", code=0, formula=apt_formula, source="locatelli2016, Eq. (4)", parameter="epsilon", scales_with_noise=True
)
