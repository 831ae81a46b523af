"""FWT, the Frank-Wolfe index for thresholding bandits, in the form that the paper analyses."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def fwt_formula(count: float, evidence: float, cost: float) -> float:
    r"""Return the FWT index of one arm, cut at evidence 1.

    .. math:: F(n, x; a) = \max(x, 1) - \log \max(x, 1) + \log(n / a)

    :cite:p:`ouhamma2021`, Eq. (FWT), a step of :cite:p:`frank1956` on a bound of the loss. The cut at 1 keeps it
    non-decreasing in `x` (Assumption 1). At small budgets it behaves like uniform sampling; the paper's experiments
    use ``fwt-sqrt``. The two logarithms are taken as one.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        :math:`a > 0`, what a mistake on this arm costs.
    """
    kept = max(evidence, 1.0)
    return kept + math.log(count / (cost * kept))


FWT = Index("fwt", code=2, formula=fwt_formula, source="ouhamma2021, Eq. (FWT)", uses_structure=True)
