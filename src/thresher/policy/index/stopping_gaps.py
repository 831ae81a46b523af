"""The stopping index for the sum of gaps: a mistake costs more the farther the arm is from its bar."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index
from thresher.policy.index.curves import lift_of, load_curve

_CURVE = load_curve("power-1")
_KNOTS, _OFFSET, _BEND = _CURVE.knots, _CURVE.offset, _CURVE.bend


@njit(cache=True)
def stopping_gaps_formula(count: float, evidence: float, cost: float) -> float:
    r"""Return the stopping index of one arm when a mistake costs its distance from the bar, in units of σ.

    .. math:: F(n, x; a) = \tfrac32 \bigl(\log n - \log t(x)\bigr) - \log a
       = \tfrac32 \log n + \psi_1(\sqrt{2x}) - \log a

    with :math:`t(x)` the scaled time at which the boundary of the problem with linear loss passes :math:`z =
    \sqrt{2x}` (:mod:`thresher.research.theory.boundary`); :math:`\psi_1 = x + \tfrac12 \log 8\pi + o(1)` for large `x`,
    :math:`\tfrac12 \log 32 x + o(1)` for small. An arm exactly at its bar has the index −∞. The boundary is that of
    :cite:p:`chick2012` for sampling with a cost and a known standard.

    Parameters
    ----------
    count : float
        :math:`n > 0`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        :math:`a > 0`, a factor on the gap; 1 in the paper's sum of gaps.
    """
    if evidence <= 0.0:
        return -math.inf
    root = math.sqrt(evidence)
    weight = count * math.sqrt(count) / cost
    return math.log(weight * root) + lift_of(evidence, root, 1.0, _KNOTS, _OFFSET, _BEND)


STOPPING_GAPS = Index(
    "stopping-gaps", code=8, formula=stopping_gaps_formula, source="chick2012; chernoff1965", bernoulli_evidence="kl"
)
