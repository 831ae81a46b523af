"""FWT in the form of the paper's experiments."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def fwt_sqrt_formula(count: float, evidence: float, cost: float) -> float:
    r"""Return the FWT index of one arm in the smooth form of the paper's experiments.

    .. math:: F(n, x; a) = y - \log y + \log(n / a), \qquad y = (1 + \sqrt{x})^2

    :cite:p:`ouhamma2021`, appendix G, Eq. (FWT); the cost enters as in section 3. Since :math:`y = x + 2\sqrt{x} +
    1`, it is not within a constant of ``fwt``, so that Corollary 2 does not apply to it as it stands.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        :math:`a > 0`, what a mistake on this arm costs.
    """
    root = 1.0 + math.sqrt(evidence)
    smooth = root * root
    return smooth + math.log(count / (cost * smooth))


FWT_SQRT = Index(
    "fwt-sqrt", code=3, formula=fwt_sqrt_formula, source="ouhamma2021, appendix G, Eq. (FWT)", uses_structure=True
)
