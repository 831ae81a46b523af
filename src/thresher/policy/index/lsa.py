"""LSA, the logarithmic-sample index."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index


@njit(cache=True)
def lsa_formula(count: float, evidence: float, cost: float, alpha: float) -> float:
    r"""Return the LSA index of one arm: evidence plus the logarithm of its pulls.

    .. math:: F(n, x; a) = \alpha x + \log(n / a)

    :cite:p:`tao2019` (with raw gaps, :math:`\alpha n d^2 + \tfrac12 \log n`: half of this for σ = ½) and
    :cite:p:`ouhamma2021`, section 3, with α = 1. The cost was added here: those papers have :math:`a = 1`.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        :math:`a > 0`, what a mistake on this arm costs.
    alpha : float
        :math:`\alpha > 0`; 1 in the theory of the paper, 1.35 in the experiments of Tao et al.
    """
    return alpha * evidence + math.log(count / cost)


LSA = Index(
    "lsa", code=1, formula=lsa_formula, source="tao2019; ouhamma2021, section 3", parameter="alpha", default=1.0,
    uses_structure=True,
)  # fmt: skip
