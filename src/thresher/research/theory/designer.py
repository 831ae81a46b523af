r"""Design an index from a loss: from the cost of a mistake to the formula that ranks the arms.

A loss is a weight of the gap, :math:`\sum_k a_k w(\Delta_k) E_k`: :func:`power`, or a function of the user's own. Two
ways lead to an index. :func:`frank_wolfe` is the method of the paper, on a bound of that loss;
:func:`optimal_stopping` solves the Bayesian problem of one arm, for powers. Both return plain functions of ``(count,
evidence, cost)`` that Numba can compile, to be used as they are or registered with
:func:`thresher.policy.index.register_index`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.jit import njit
from thresher.number_text import exact
from thresher.policy.index import Formula
from thresher.policy.index.curves import lift_of
from thresher.research.theory.boundary import LARGEST_POWER, solve_boundary
from thresher.research.theory.curves import curve_of
from thresher.types import Floats

GAPS = 2.0 ** np.arange(-20.0, 12.0, 1.0 / 16.0)  # where a user's weight is read; between them it is taken as a power

__all__ = ["Power", "frank_wolfe", "optimal_stopping", "power"]


@dataclass(frozen=True)
class Power:
    r"""The weight :math:`w(\Delta) = \Delta^p`, with p from 0 to 10."""

    exponent: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.exponent <= LARGEST_POWER:
            raise InvalidInputError("power of the gap", self.exponent, rule=f"must be from 0 to {exact(LARGEST_POWER)}")

    def __call__(self, gap: float) -> float:
        """Return what a mistake on an arm of this gap costs."""
        return float(gap**self.exponent)


def power(exponent: float) -> Power:
    r"""Return the weight :math:`w(\Delta) = \Delta^p`: 0 counts mistakes, 1 is the paper's sum of gaps."""
    return Power(float(exponent))


def optimal_stopping(weight: Power) -> Formula:
    r"""Return the index whose price makes optimal stopping indifferent, for the weight :math:`\Delta^p`.

    .. math:: F(n, x; a) = \bigl(1 + \tfrac p2\bigr) \log n + \psi_p(\sqrt{2x}) - \log a

    with :math:`\psi_p` solved on the spot (:mod:`thresher.research.theory.boundary`; under a second). A gap is counted
    here in units of σ, which is a constant away from the paper's and changes no choice. Powers 0 and 1 are ``stopping``
    and ``stopping-gaps``.
    """
    curve = curve_of(solve_boundary(weight.exponent))
    exponent, knots, offset, bend = curve.power, curve.knots, curve.offset, curve.bend
    kappa = 1.0 + 0.5 * exponent

    def formula(count: float, evidence: float, cost: float) -> float:
        """Return the optimal-stopping index of a designed loss."""
        if evidence <= 0.0:
            return -math.inf
        root = math.sqrt(evidence)
        return math.log(count**kappa * root / cost) + lift_of(evidence, root, exponent, knots, offset, bend)

    return formula


def frank_wolfe(weight: Callable[[float], float], *, bound: Literal["sum", "max"] = "sum") -> Formula:
    r"""Return the Frank-Wolfe index of a loss, made non-decreasing.

    The gradient of the bound :math:`\sum_k a_k w(\Delta_k) e^{-N_k \Delta_k^2}` in :math:`N_k` has the size :math:`a_k
    \Delta_k^2 w(\Delta_k) e^{-N_k \Delta_k^2}`. Pulling where it is largest, with estimated gaps, is to pull where

    .. math:: x - \log \frac{a x}{n} w\Bigl(\sqrt{\tfrac xn}\Bigr)

    is least; the index is the greatest function below this one that decreases neither in `n` nor in `x`. The bound
    :math:`\max_k a_k w(\Delta_k) e^{-N_k \Delta_k^2}` moves only with the arm where the maximum is, that of least
    :math:`x - \log a w(\sqrt{x/n})`. :cite:p:`ouhamma2021`, section 3.1. ``frank_wolfe(power(0))`` is FWT,
    ``frank_wolfe(power(1))`` its form for the sum of gaps, and ``frank_wolfe(power(0), bound="max")`` with unit costs
    APT.

    Parameters
    ----------
    weight : callable
        :math:`w(\Delta) \ge 0`, a :class:`Power` or any function of the gap; it is read on a grid of 16 gaps per
        octave and taken as a power in between, so that a jump is placed within 5 %.
    bound : {"sum", "max"}
        Which of the two bounds.

    Raises
    ------
    InvalidInputError
        If the weight is negative or not finite somewhere, or 0 everywhere.
    """
    # The sum has one factor of the squared gap more: the derivative of its exponential.
    extra = {"sum": 1.0, "max": 0.0}[bound]
    pieces = _one_piece(weight.exponent, extra) if isinstance(weight, Power) else _many_pieces(weight, extra)

    def formula(count: float, evidence: float, cost: float) -> float:
        """Return the Frank-Wolfe index of a designed loss."""
        return _least_beyond(count, evidence, pieces) - math.log(cost)

    return formula


class _Pieces(NamedTuple):
    """The log of a non-decreasing function of s, the squared gap: slope * log s + intercept from start to start.

    Shape (m,), but (m + 1,) for the starts, which go from 0 to infinity; `steepest` is the largest slope from each
    piece on.
    """

    starts: Floats
    slopes: Floats
    intercepts: Floats
    steepest: Floats


def _one_piece(exponent: float, extra: float) -> _Pieces:
    slope = np.array([0.5 * exponent + extra])
    return _Pieces(np.array([0.0, np.inf]), slope, np.zeros(1), slope)


def _many_pieces(weight: Callable[[float], float], extra: float) -> _Pieces:
    """Return the running maximum of the weight, times s to the extra power, as pieces between the gaps of the grid."""
    weights = np.array([weight(gap) for gap in GAPS.tolist()], dtype=np.float64)
    if not (np.all(np.isfinite(weights)) and np.all(weights >= 0.0) and np.any(weights > 0.0)):
        wrong = weights[~(np.isfinite(weights) & (weights >= 0.0))]
        raise InvalidInputError(
            "weight of a gap",
            float(wrong[0]) if wrong.size else 0.0,
            rule="must be finite and at least 0 for every gap, and positive for some",
        )
    logs = 2.0 * np.log(GAPS)
    heights = np.maximum.accumulate(np.log(np.maximum(weights, 1e-300)) + extra * logs)
    # A gap of weight 0 does not count: below the least gap that does, the index stays constant.
    empty = np.maximum.accumulate(weights)[:-1] == 0.0
    slopes = np.where(empty, 0.0, np.diff(heights) / np.diff(logs))
    intercepts = np.where(empty, -np.inf, heights[:-1] - slopes * logs[:-1])
    starts = np.concatenate([[0.0], GAPS[1:-1] ** 2, [np.inf]])
    return _Pieces(starts, slopes, intercepts, np.maximum.accumulate(slopes[::-1])[::-1].copy())


@njit(cache=True)
def _least_beyond(count: float, evidence: float, pieces: _Pieces) -> float:
    """Return the least of y - log of the function at y / count, over all y from the evidence up."""
    least = math.inf
    first = int(np.searchsorted(pieces.starts[1:-1], evidence / count, side="right"))
    for piece in range(first, pieces.slopes.size):
        slope = pieces.slopes[piece]
        low = max(evidence, count * pieces.starts[piece])
        # y - slope * log y falls until y = slope and rises from there.
        best = min(max(slope, low), count * pieces.starts[piece + 1])
        drop = slope * math.log(best / count) if slope > 0.0 else 0.0
        least = min(least, best - drop - pieces.intercepts[piece])
        if least < math.inf and low >= pieces.steepest[piece]:
            break
    return least
