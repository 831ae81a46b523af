r"""The free boundary of optimal stopping: up to which evidence a measurement pays.

One arm, a flat prior on its mean, a price :math:`c` for each sample, and the loss :math:`a |\mu|^p` for the wrong sign
(:math:`\sigma = 1`, threshold 0): :math:`p = 0` counts mistakes, :math:`p = 1` is the sum of gaps. After :math:`n`
samples, at the level :math:`z = |S| / \sqrt n`, stopping costs :math:`a n^{-p/2} g_p(z)` with

.. math:: g_p(z) = \int_0^\infty y^p \varphi(y + z) \, dy,

and with :math:`u = \log t`, :math:`t = n (c / a)^{1/\kappa}`, :math:`\kappa = 1 + p/2`, no parameter is left: the
least cost still to come, :math:`V(u, z)` in units of :math:`a (c/a)^{p / 2\kappa}`, solves

.. math:: V_u + \tfrac z2 V_z + \tfrac12 V_{zz} + e^u = 0 \quad (0 \le z < h(u)), \qquad V_z(u, 0) = 0,
   \qquad V = e^{-pu/2} g_p, \; V_z = e^{-pu/2} g_p' \quad (z = h(u)).

An arm is indifferent between stopping and going on where :math:`z = h(u)`, that is at the price
:math:`c = a\, n^{-\kappa} \exp(-\psi_p(z))` with :math:`\psi_p(h(u)) = -\kappa u`. That price makes its index,
:math:`F = -\log c = \kappa \log n + \psi_p(z) - \log a`.

The boundary is an unknown of the scheme, not a point of a grid. Space is the fraction :math:`z / h(u)`;
the equation for :math:`e^{-u} V`, which is smooth up to the boundary, is stepped backward in :math:`u` by the two-step
backward differentiation formula, and each step finds the :math:`h` at which both value and slope fit. The error is of
second order in both steps, and one Richardson extrapolation takes its leading part off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.jit import njit
from thresher.number_text import exact
from thresher.types import Floats

LARGEST_POWER = 10.0
NEAREST_LEVEL = 1e-3  # the march starts here, where the expansion at the bar errs by 1e-12
FARTHEST_LEVEL = 8.0
LEVELS = 100  # between the bar and the boundary, at which the cost still to come is kept: linear in between within 1e-5


@dataclass(frozen=True, eq=False)
class Boundary:
    r"""The solved boundary of one loss, and the cost still to come of an arm inside it.

    Parameters
    ----------
    power : float
        :math:`p`: a mistake costs the p-th power of the gap.
    log_time : array of float, shape (m,)
        :math:`u`, increasing.
    height : array of float, shape (m,)
        :math:`h(u)`, decreasing: the level at which to stop.
    inside : array of float, shape (f + 1, m)
        :math:`V(u, z)` at evenly spaced levels from the bar to the boundary.
    """

    power: float
    log_time: Floats
    height: Floats
    inside: Floats

    def __post_init__(self) -> None:
        assert np.all(np.diff(self.log_time) > 0.0), "log-time increases"
        assert np.all(np.diff(self.height) < 0.0), "the boundary comes down as time goes on"

    @property
    def value(self) -> Floats:
        """:math:`V(u, 0)`, the cost still to come of an arm at the bar, shape (m,)."""
        return np.asarray(self.inside[0])

    def value_at(self, level: float) -> Floats:
        r"""Return :math:`V(u, z)` of an arm at one level, shape (m,); beyond the boundary it is the cost of stopping.

        Parameters
        ----------
        level : float
            :math:`z \ge 0`.
        """
        share = level / self.height * (self.inside.shape[0] - 1)
        cell = np.minimum(share.astype(np.int64), self.inside.shape[0] - 2)
        here = np.arange(share.size)
        below, above = self.inside[cell, here], self.inside[cell + 1, here]
        on = below + (share - cell) * (above - below)
        stopped = np.exp(-0.5 * self.power * self.log_time) * _stopping_cost(_loss_of(self.power), float(level))[0]
        return np.where(level < self.height, on, stopped)

    def lift(self, level: Floats) -> Floats:
        r"""Return :math:`\psi_p(z) - \log z`, finite at the bar.

        Parameters
        ----------
        level : array of float
            :math:`z`, from 0 to 8.
        """
        log_price = (1.0 + self.power / 2.0) * self.log_time
        lifts = np.append(-log_price - np.log(self.height), math.log(2.0 / flux(self.power)))
        # In z^2 the lift is all but linear at both ends.
        return np.asarray(np.interp(level**2, np.append(self.height, 0.0)[::-1] ** 2, lifts[::-1]))

    def psi(self, level: Floats) -> Floats:
        r"""Return :math:`\psi_p(z)`, minus the log of the indifferent price after one sample, for mistakes that cost 1.

        Parameters
        ----------
        level : array of float
            :math:`z`, above 0 and up to 8.
        """
        return np.log(level) + self.lift(level)


def flux(power: float) -> float:
    r"""Return :math:`-g_p'(0) = \int_0^\infty y^{p+1} \varphi(y) \, dy`, how fast certainty grows away from the bar."""
    return float(2.0 ** (power / 2.0) * math.gamma(1.0 + power / 2.0) / math.sqrt(2.0 * math.pi))


def psi_near(power: float, level: Floats) -> Floats:
    r"""Return the expansion of :math:`\psi_p` near the bar.

    .. math:: \psi_p(z) = \log \frac{2 z}{-g_p'(0)} + \Bigl(\kappa - \frac16\Bigr) z^2 + O(z^4)

    For p = 0 that is :math:`h(u) = \frac14 \sqrt{2/\pi}\, (e^{-u} - \frac{5}{48\pi} e^{-3u})`, the last branch of
    :cite:p:`lai1988`, Eq. (2.12).
    """
    kappa = 1.0 + power / 2.0
    return np.log(2.0 * level / flux(power)) + (kappa - 1.0 / 6.0) * level**2


def psi_far(power: float, level: Floats) -> Floats:
    r"""Return the expansion of :math:`\psi_p` far from the bar.

    .. math:: \psi_p(z) = \frac{z^2}{2} - (1 - p) \log z + \tfrac12 \log 8\pi - \log \Gamma(p + 1)
       + \frac{6 - p + p^2}{2 z^2} + O(z^{-4})

    For p = 0 the terms before the last are :math:`h(u)^2 = 2L + \log L - \log 4\pi`, :math:`L = -u`, of
    :cite:p:`lai1988`.
    """
    constant = 0.5 * math.log(8.0 * math.pi) - math.lgamma(power + 1.0)
    bend = 0.5 * (6.0 - power + power**2)
    return 0.5 * level**2 - (1.0 - power) * np.log(level) + constant + bend / level**2


@lru_cache(maxsize=16)
def solve_boundary(power: float = 0.0, *, cells: int = 400, log_step: float = 0.005) -> Boundary:
    r"""Return the boundary for the loss :math:`|\mu|^p`, for levels from 0.001 to 8.

    Parameters
    ----------
    power : float
        :math:`p`, from 0 to 10.
    cells : int
        Cells between the bar and the boundary, at least 20; an even number.
    log_step : float
        Steps of :math:`\kappa u`, the logarithm of the price; above 0 and at most 0.05.

    Raises
    ------
    InvalidInputError
        If the power is not in its range.
    """
    if not 0.0 <= power <= LARGEST_POWER:
        raise InvalidInputError("power of the gap", power, rule=f"must be from 0 to {exact(LARGEST_POWER)}")
    assert cells >= 20, "too few cells to tell a slope"
    assert cells % 2 == 0, "cells are halved"
    assert 0.0 < log_step <= 0.05, "a step is a small factor of the price"
    fine = _solve_once(power, cells, log_step)[:, 1::2]
    coarse = _solve_once(power, cells // 2, 2.0 * log_step)
    steps = min(fine.shape[1], coarse.shape[1])
    solved = (4.0 * fine[:, :steps] - coarse[:, :steps]) / 3.0
    return Boundary(power, solved[0, ::-1], solved[1, ::-1], solved[2:, ::-1])


class _Loss(NamedTuple):
    """A power of the gap: kappa, and points and weights of the quadrature for g_p, of shape (q,)."""

    kappa: float
    points: Floats
    weights: Floats


class _Past(NamedTuple):
    """The last two steps, newest first: the boundary, and e^-u V from the bar up to it, of shape (cells + 1,)."""

    height: float
    values: Floats
    earlier_height: float
    earlier_values: Floats


def _loss_of(power: float) -> _Loss:
    # In s = log y the trapezoid converges exponentially whatever the power.
    spacing = 0.125
    points = np.exp(np.arange(-37.0 / (power + 1.0), 2.25, spacing))
    weights = points ** (power + 1.0) * spacing / math.sqrt(2.0 * math.pi)
    return _Loss(1.0 + power / 2.0, points, weights)


def _solve_once(power: float, cells: int, log_step: float) -> Floats:
    """Return rows u, h(u) and V(u, z) at `LEVELS` + 1 levels, u decreasing, on one grid."""
    loss = _loss_of(power)
    start = math.log(0.5 * flux(power) / NEAREST_LEVEL) / loss.kappa
    return _march(loss, start, log_step / loss.kappa, cells, int(60.0 / log_step))


@njit(cache=True)
def _stopping_cost(loss: _Loss, level: float) -> tuple[float, float]:
    """Return g_p and its slope at the level."""
    cost = slope = 0.0
    for i in range(loss.points.size):
        away = loss.points[i] + level
        part = loss.weights[i] * math.exp(-0.5 * away * away)
        cost += part
        slope -= away * part
    return cost, slope


@njit(cache=True)
def _march(loss: _Loss, start: float, step: float, cells: int, most: int) -> Floats:
    """Return rows u, h(u), V(u, z), stepping down from `start` until the farthest level is passed."""
    rows = np.empty((LEVELS + 3, most))
    height, values = _open(loss, start, cells)
    past = _Past(height, values, *_open(loss, start + step, cells))
    for taken in range(most):
        u = start - (taken + 1) * step
        height, values = _step(loss, past, u, step)
        past = _Past(height, values, past.height, past.values)
        rows[0, taken], rows[1, taken] = u, height
        for i in range(LEVELS + 1):
            place = i * cells / LEVELS
            cell = min(int(place), cells - 1)
            on = values[cell] + (place - cell) * (values[cell + 1] - values[cell])
            rows[2 + i, taken] = on * math.exp(u)
        if height >= FARTHEST_LEVEL:
            return rows[:, : taken + 1]
    return rows


@njit(cache=True)
def _open(loss: _Loss, u: float, cells: int) -> tuple[float, Floats]:
    """Return the boundary and e^-u V at a late time, where going on gains e^u (h - z)^2."""
    scale = math.exp(-loss.kappa * u)
    height = -0.5 * _stopping_cost(loss, 0.0)[1] * scale
    height /= 1.0 + (loss.kappa - 1.0 / 6.0) * height * height
    values = np.empty(cells + 1)
    for cell in range(cells + 1):
        level = height * cell / cells
        values[cell] = scale * _stopping_cost(loss, level)[0] - (height - level) * (height - level)
    return height, values


@njit(cache=True)
def _step(loss: _Loss, past: _Past, u: float, step: float) -> tuple[float, Floats]:
    """Return the boundary and e^-u V one step earlier: secants for the height at which the slope fits too."""
    values = np.empty_like(past.values)
    height = past.height * past.height / past.earlier_height
    other = height * 1.0001
    miss = _sweep(loss, past, u, step, other, values)
    for _ in range(30):
        missed, miss = miss, _sweep(loss, past, u, step, height, values)
        if abs(height - other) <= 1e-11 * height or miss == missed:
            break
        other, height = height, height - miss * (height - other) / (miss - missed)
    return height, values


@njit(cache=True)
def _sweep(loss: _Loss, past: _Past, u: float, step: float, height: float, values: Floats) -> float:
    """Fill in e^-u V as if the boundary were at this height; return by how much its slope there misses."""
    cells = values.size - 1
    cost, slope = _stopping_cost(loss, height)
    scale = math.exp(-loss.kappa * u)
    # The grid stretches with the boundary: its speed h'/h, in u, adds to the drift z/2 of the level.
    stretch = (4.0 * past.height - past.earlier_height - 3.0 * height) / (2.0 * step * height)
    drift = 0.5 - stretch
    spread = 0.5 * ((cells / height) * (cells / height))
    diagonal = 1.5 / step - 1.0 + 2.0 * spread
    carry = np.empty(cells)
    for cell in range(cells):
        below, above = spread - 0.5 * drift * cell, spread + 0.5 * drift * cell
        source = 1.0 + (4.0 * past.values[cell] - past.earlier_values[cell]) / (2.0 * step)
        if cell == 0:  # reflection at the bar
            carry[0], values[0] = 2.0 * spread / diagonal, source / diagonal
        else:
            pivot = diagonal - below * carry[cell - 1]
            carry[cell], values[cell] = above / pivot, (source + below * values[cell - 1]) / pivot
    values[cells] = scale * cost
    for cell in range(cells - 1, -1, -1):
        values[cell] += carry[cell] * values[cell + 1]
    end = 1.5 * values[cells] - 2.0 * values[cells - 1] + 0.5 * values[cells - 2]
    return float(end) * cells / height - scale * slope
