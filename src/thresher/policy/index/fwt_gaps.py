"""FWT for the sum-of-gaps loss."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def fwt_gaps_formula(count: float, evidence: float, cost: float) -> float:  # noqa: ARG001
    r"""Return the FWT index of one arm when a mistake costs its gap; mistake costs are ignored.

    .. math:: F(n, x) = x' - \tfrac32 \log x' + \tfrac32 \log n, \qquad x' = \max(x, \tfrac32)

    :cite:p:`ouhamma2021`, section 3.3 and appendix E.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        Not used.
    """
    kept = max(evidence, 1.5)
    return kept + 1.5 * math.log(count / kept)


FWT_GAPS = Index("fwt-gaps", code=4, formula=fwt_gaps_formula, source="ouhamma2021, section 3.3")
