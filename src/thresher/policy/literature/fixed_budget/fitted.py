r"""Weights of arms from a population of gaps that is fitted to all arms.

The stopping index puts a flat prior on every mean, as if nothing were known of the others. If forty-nine arms turn out
to be far from the bar, then a fiftieth whose mean is still open is likely to be far too, and settled arms deserve even
less. So the gaps :math:`|\mu_k - \theta_k|/\sigma_k` are treated as draws of a distribution on a grid, which is fitted
by maximum likelihood with a few pseudo-arms that follow the flat prior, and an arm is weighed by its price under the
fit over its price under the flat prior. Refits come at ever longer intervals, since every one of them looks at all
arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import formula, njit
from thresher.types import Floats, Ints

GRID = 0.01 * 1.15 ** np.arange(46)  # gaps in units of σ, up to 5.4
FIRST_FIT = 4.0  # pulls for each arm before there is anything to fit
LATER = 1.07  # times the pulls so far: when to fit again
FIRST_STEPS, STEPS = 25, 6  # steps of the EM algorithm, from the flat prior and from the last fit
FRESH = 0.1  # share of the flat prior in the start of a refit, so no gap is excluded forever
LEAST_LOG_WEIGHT = -20.0


def _flat() -> Floats:
    """Return the lengths of the grid's cells, the first from 0."""
    lengths = np.asarray(np.gradient(GRID))
    lengths[0] += GRID[0]
    return lengths


CELLS = _flat()


class Trust(NamedTuple):
    """How far a fit is trusted: the weight of the flat prior in arms, and the share of a log weight that counts."""

    pseudo_arms: float
    share: float


class Fit(NamedTuple):
    """The population as it was last fitted; arrays over the grid have shape (J,).

    Attributes
    ----------
    masses, flat : ndarray of float64
        Of the fit, and of the flat prior cut off where no arm is.
    likelihoods : ndarray of float64, shape (K, J)
        Room for what each gap makes of each arm.
    due : ndarray of float64, shape (1,)
        After how many pulls to fit again.
    """

    masses: Floats
    flat: Floats
    likelihoods: Floats
    due: Floats


@njit(cache=True, nogil=True)
def weigh_by_population(
    sizes: Floats, evidences: Floats, counts: Ints, last: int, trust: Trust, fit: Fit, logs: Floats
) -> None:
    r"""Bring the logarithms of the weights up to date after a pull.

    Parameters
    ----------
    sizes, evidences : ndarray of float64, shape (K,)
        :math:`n` (with pseudo-samples) and :math:`x`, so that the empirical gap is :math:`y = \sqrt{2x/n}`.
    counts : ndarray of int64, shape (K,)
        Pulls.
    last : int
        The arm that was pulled; below 0 at the start of a run.
    trust : Trust
    fit : Fit
    logs : ndarray of float64, shape (K,)
        Filled in.
    """
    if last < 0:
        logs[:] = 0.0
        fit.due[0] = FIRST_FIT * counts.size
        fit.masses[0] = -1.0
    pulls = counts.sum()
    if pulls >= fit.due[0]:
        _refit(sizes, evidences, trust.pseudo_arms, fit)
        fit.due[0] = LATER * pulls + 1.0
        for k in range(counts.size):
            gap = math.sqrt(2.0 * evidences[k] / sizes[k])
            logs[k] = trust.share * log_price_ratio(sizes[k], gap, fit.masses, fit.flat)
    elif last >= 0 and fit.masses[0] >= 0.0:
        gap = math.sqrt(2.0 * evidences[last] / sizes[last])
        logs[last] = trust.share * log_price_ratio(sizes[last], gap, fit.masses, fit.flat)


@njit(cache=True, nogil=True)
def _refit(sizes: Floats, evidences: Floats, pseudo_arms: float, fit: Fit) -> None:
    """Fit the population to all arms: a few steps of the EM algorithm with pseudo-arms of the flat prior."""
    masses, flat, likelihoods = fit.masses, fit.flat, fit.likelihoods
    top = 0.0
    for k in range(sizes.size):
        top = max(top, math.sqrt(2.0 * evidences[k] / sizes[k]))
    for j in range(GRID.size):
        flat[j] = CELLS[j] if j == 0 or GRID[j - 1] <= top else 0.0
    flat /= flat.sum()
    steps = STEPS if masses[0] >= 0.0 else FIRST_STEPS
    for j in range(GRID.size):
        masses[j] = flat[j] if steps == FIRST_STEPS else (1.0 - FRESH) * masses[j] + FRESH * flat[j]
    for k in range(sizes.size):
        _fill_likelihoods(sizes[k], math.sqrt(2.0 * evidences[k] / sizes[k]), likelihoods[k])
    new = np.empty(GRID.size)
    for _ in range(steps):
        for j in range(GRID.size):
            new[j] = pseudo_arms * flat[j]
        for k in range(sizes.size):
            row, whole = likelihoods[k], 0.0
            for j in range(GRID.size):
                whole += masses[j] * row[j]
            for j in range(GRID.size):
                new[j] += masses[j] * row[j] / whole
        whole = 0.0
        for j in range(GRID.size):
            whole += new[j]
        for j in range(GRID.size):
            masses[j] = new[j] / whole


@formula
def _square(number: float) -> float:
    return number * number


@njit(cache=True)
def _fill_likelihoods(size: float, gap: float, row: Floats) -> None:
    r"""Fill in the likelihood of each gap m on either side of the bar, up to a factor.

    .. math:: e^{-n(y - m)^2/2} + e^{-n(y + m)^2/2}
    """
    nearest = _square(np.abs(GRID - gap).min())
    for j in range(GRID.size):
        right = math.exp(-0.5 * size * (_square(GRID[j] - gap) - nearest))
        wrong = math.exp(max(-0.5 * size * (_square(GRID[j] + gap) - nearest), -700.0))
        row[j] = right + wrong


@njit(cache=True)
def log_price_ratio(size: float, gap: float, masses: Floats, flat: Floats) -> float:
    r"""Return the logarithm of an arm's price under a fitted population over its price under the flat prior.

    The value of a sample is the chance that the verdict is wrong, each way to be wrong weighed by how soon samples
    would show it. With :math:`\hat m` the posterior mean of the gap if the verdict is right and :math:`\ell` the
    likelihoods,

    .. math:: P = \frac{\sum_j w_j\, \ell_j^{\mathrm{wrong}}\, (\hat m + m_j)^2}
                       {\sum_j w_j\, (\ell_j^{\mathrm{right}} + \ell_j^{\mathrm{wrong}})}.

    Parameters
    ----------
    size, gap : float
        :math:`n > 0` and :math:`y \ge 0`.
    masses, flat : ndarray of float64, shape (J,)
        Of the fit and of the flat prior.
    """
    nearest = _square(np.abs(GRID - gap).min())
    right = np.empty(GRID.size)
    fitted_right = fitted_mean = flat_right = flat_mean = 0.0
    for j in range(GRID.size):
        right[j] = math.exp(-0.5 * size * (_square(GRID[j] - gap) - nearest))
        fitted_right += masses[j] * right[j]
        fitted_mean += masses[j] * right[j] * GRID[j]
        flat_right += flat[j] * right[j]
        flat_mean += flat[j] * right[j] * GRID[j]
    if fitted_right <= 0.0 or flat_right <= 0.0:
        return 0.0
    fitted_mean /= fitted_right
    flat_mean /= flat_right
    fitted_wrong = fitted_value = flat_wrong = flat_value = 0.0
    for j in range(GRID.size):
        wrong = math.exp(max(-0.5 * size * (_square(GRID[j] + gap) - nearest), -700.0))
        fitted_wrong += masses[j] * wrong
        fitted_value += masses[j] * wrong * _square(fitted_mean + GRID[j])
        flat_wrong += flat[j] * wrong
        flat_value += flat[j] * wrong * _square(flat_mean + GRID[j])
    if fitted_value <= 0.0 or flat_value <= 0.0:
        return LEAST_LOG_WEIGHT
    fitted = math.log(fitted_value / (fitted_right + fitted_wrong))
    return max(fitted - math.log(flat_value / (flat_right + flat_wrong)), LEAST_LOG_WEIGHT)
