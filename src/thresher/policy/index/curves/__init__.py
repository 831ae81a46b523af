r"""The solved curves of optimal stopping, as data, and their evaluation in compiled code.

For the loss :math:`\Delta^p` the index is :math:`F(n, x; a) = (1 + \tfrac p2) \log n - \log a + \psi_p(\sqrt{2x})`,
with :math:`\psi_p` the solution of a free-boundary problem (:mod:`thresher.research.theory.boundary`). What is kept in
``power-<p>.json`` is the lift :math:`\ell_p(x) = \psi_p(\sqrt{2x}) - \tfrac12 \log x`, finite at :math:`x = 0`, at
:math:`\sqrt x = 0, \tfrac1{128}, \ldots, 5.625`; beyond that the expansion of the solution goes on.
``thresher.research.theory.curves.write_curves()`` makes the files again.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib import resources

import numpy as np

from thresher.jit import njit
from thresher.types import Floats

CELLS_PER_UNIT = (
    128.0  # of the square root of evidence: straight lines between the knots are then within 3e-5 of the curve
)
REACH = 5.625
QUANTUM = 2.0**-32  # knots are whole multiples of it: see SolvedCurve


@dataclass(frozen=True, eq=False)
class SolvedCurve:
    r"""The lift of one solved curve.

    Sums and differences of whole multiples of a power of two are exact, so that neither rounding within a cell nor the
    step from one cell to the next can make the lift decrease: it is non-decreasing for every double, as Assumption 1 of
    :cite:p:`ouhamma2021` demands.

    Parameters
    ----------
    power : float
        :math:`p \ge 0`: a mistake costs the p-th power of the gap.
    knots : array of float, shape (721,)
        :math:`\ell_p` where :math:`\sqrt x` is 0, 1/128, …, 5.625; increasing, whole multiples of :math:`2^{-32}`.
    """

    power: float
    knots: Floats

    def __post_init__(self) -> None:
        assert self.knots.shape == (int(REACH * CELLS_PER_UNIT) + 1,), "one knot at each end of each cell"
        assert np.all(np.diff(self.knots) > 0.0), "a lift increases with evidence"
        assert np.all(np.fmod(self.knots, QUANTUM) == 0.0), "knots are whole multiples of the quantum"

    @property
    def offset(self) -> float:
        """The constant in the expansion beyond the last knot."""
        p = self.power
        return 0.5 * math.log(8.0 * math.pi) - 0.5 * (1.0 - p) * math.log(2.0) - math.lgamma(p + 1.0)

    @property
    def bend(self) -> float:
        """The coefficient of 1/x in that expansion, such that it starts one quantum above the last knot."""
        evidence = REACH * REACH
        plain = evidence - (1.0 - 0.5 * self.power) * math.log(evidence) + self.offset
        return float(evidence * (self.knots[-1] + QUANTUM - plain))


def load_curve(name: str) -> SolvedCurve:
    """Return a curve that ships with thresher: ``"power-0"`` (mistakes) or ``"power-1"`` (gaps)."""
    stored = json.loads(resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return SolvedCurve(stored["power"], np.array(stored["knots"], dtype=np.float64) * QUANTUM)


@njit(cache=True)
def lift_of(evidence: float, root: float, power: float, knots: Floats, offset: float, bend: float) -> float:
    r"""Return the lift :math:`\ell_p(x)`, non-decreasing in `x` for every double.

    Between knots a straight line in :math:`\sqrt x`; beyond the last one, with the bend `b` that joins the two,

    .. math:: \ell_p(x) = x - \bigl(1 - \tfrac p2\bigr) \log x + \frac bx
       + \tfrac12 \log 8\pi - \tfrac{1-p}2 \log 2 - \log \Gamma(p + 1)

    Parameters
    ----------
    evidence, root : float
        :math:`x > 0` and :math:`\sqrt x`.
    power, knots, offset, bend : float, array of float, float, float
        Those of a :class:`SolvedCurve`.
    """
    if root < REACH:
        place = root * CELLS_PER_UNIT
        cell = int(place)
        left, right = float(knots[cell]), float(knots[cell + 1])
        return left + (place - cell) * (right - left)
    if evidence == math.inf:
        return math.inf
    # All that could decrease is subtracted at once: its rounding is far below that of the evidence, which increases.
    return evidence - ((1.0 - 0.5 * power) * math.log(evidence) - bend / evidence) + offset


__all__ = ["CELLS_PER_UNIT", "QUANTUM", "REACH", "SolvedCurve", "lift_of", "load_curve"]
