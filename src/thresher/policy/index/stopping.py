"""The stopping index: the price at which one more sample costs as much as it saves in mistakes."""

import math

from thresher.jit import njit
from thresher.policy.index.base import Index
from thresher.policy.index.curves import lift_of, load_curve

_CURVE = load_curve("power-0")
_KNOTS, _OFFSET, _BEND = _CURVE.knots, _CURVE.offset, _CURVE.bend


@njit(cache=True)
def stopping_formula(count: float, evidence: float, cost: float) -> float:
    r"""Return the stopping index of one arm: minus the log of the price at which optimal stopping is indifferent.

    .. math:: F(n, x; a) = \log(n / a) + \psi(\sqrt{2x}), \qquad \psi = -h^{-1}

    with :math:`h` the boundary of the problem with a flat prior and 0-1 loss, solved numerically
    (:mod:`thresher.research.theory.boundary`). Its ends are those of :cite:p:`lai1988`:
    :math:`\psi = x - \tfrac12 \log x + \tfrac12 \log 4\pi + o(1)` for large `x` and
    :math:`\tfrac12 \log(16 \pi x) + o(1)` for small. An arm exactly at its bar has the index −∞: another sample is
    worth any price.

    Parameters
    ----------
    count : float
        :math:`n > 0`, pulls of the arm so far.
    evidence : float
        :math:`x = n \hat\Delta^2 \ge 0`.
    cost : float
        :math:`a > 0`, what a mistake on this arm costs.
    """
    if evidence <= 0.0:
        return -math.inf
    root = math.sqrt(evidence)
    return math.log(count * root / cost) + lift_of(evidence, root, 0.0, _KNOTS, _OFFSET, _BEND)


STOPPING = Index(
    "stopping",
    code=7,
    formula=stopping_formula,
    source="thresher; lai1988",
    bernoulli_evidence="kl",
    uses_structure=True,
)
