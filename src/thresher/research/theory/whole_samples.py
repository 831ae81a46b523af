"""The best sequential test of one Gaussian arm over whole samples: a linear system for each boundary."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np

from thresher.research.theory.sequential_test import symmetric_boundary
from thresher.types import Floats, Ints

STEPS, FAR = 50.0, 600.0  # boundaries: no more steps away, and not where errors are below 1e-260
SIZES = np.array([12, 16, 24, 32, 48, 64, 80, 100])  # nodes of the quadrature; the last is enough for STEPS
BATCH = 2_000_000  # numbers in the matrices that are solved at once
TINY = 1e-5  # steps below it are replaced by their limit, exact to TINY², where differences would cancel

Solved = tuple[Floats, Floats, Floats]


def first_sample_gain(gaps: Floats) -> Floats:
    r"""Return by how much one sample lowers the chance of a mistake: :math:`\frac12 - \Phi(-\sqrt2\Delta)`.

    Parameters
    ----------
    gaps : array of float
        :math:`\Delta > 0`.
    """
    from scipy.special import erf

    return np.asarray(0.5 * erf(gaps), dtype=np.float64)


def best_whole_test(log_prices: Floats, gaps: Floats) -> tuple[Floats, Floats]:
    r"""Return the errors and the expected samples of the tests that minimise mistakes plus priced whole samples.

    With the log-likelihood ratio :math:`\ell` of the two signs, whose steps are :math:`N(\pm s^2/2, s^2)`,
    :math:`s^2 = 8\Delta^2`, the value of an arm solves

    .. math:: V(\ell) = \min\left\{ \frac{1}{1+e^{|\ell|}},\; c + E[V(\ell')] \right\}.

    It stops where :math:`|\ell| \ge B`. For a given B errors, samples and the price c that makes B the best boundary
    come from one linear system (`whole_test`); the B of a price is found by secant steps. The first sample is not
    forced: above the price of `first_sample_gain` an arm is left a coin flip.

    Where B is large, 50 s at most, the test of continuous time is taken, corrected by what whole samples change at that
    B: a factor of the error and a constant in the samples. Far from the start whole samples only move the boundary
    inwards, by :math:`0.5826\,s` :cite:p:`chernoff1965`, the mean of the overshoot, and cost its variance in units of
    :math:`s^2`, a quarter of a sample; so the correction hardly depends on B.

    Parameters
    ----------
    log_prices : array of float, shape (J,)
        :math:`\log c`, the price of a sample in mistakes.
    gaps : array of float, shape (J,)
        :math:`\Delta > 0`.
    """
    log_rates = math.log(4.0) + 2.0 * np.log(gaps)
    target = symmetric_boundary(log_rates - log_prices)
    start = target - symmetric_boundary(log_rates - np.log(first_sample_gain(gaps)))
    steps = math.sqrt(8.0) * gaps
    errors, counts = np.full(gaps.size, 0.5), np.zeros(gaps.size)
    near = np.flatnonzero((start > 0.0) & (start <= _furthest(steps)))
    if near.size:
        errors[near], counts[near] = _at_target(start[near], target[near], steps[near], log_rates[near])
    far = np.flatnonzero(start > _furthest(steps))
    change = np.array([_correction(step) for step in steps[far]]).reshape(-1, 2)
    errors[far] = change[:, 0] * np.exp(-np.logaddexp(0.0, target[far]))
    counts[far] = change[:, 1] + _continuous_samples(target[far], log_rates[far])
    return errors, counts


def _at_target(start: Floats, target: Floats, steps: Floats, log_rates: Floats) -> tuple[Floats, Floats]:
    """Return errors and counts at the prices for which continuous time would have the boundaries `target`.

    That boundary grows with B almost by equal amounts, so that secant steps on it are few; they start from B = 0,
    where it is `target` - `start`.
    """
    bounds, before, miss_before = start, np.zeros(start.size), -start
    for _ in range(20):
        log_prices, errors, counts = whole_test(bounds, steps)
        miss = symmetric_boundary(log_rates - log_prices) - target
        if np.all(np.abs(miss) < 1e-7 * steps):
            break
        apart = bounds - before
        slopes = np.where(apart == 0.0, 1.0, (miss - miss_before) / np.where(apart == 0.0, 1.0, apart))
        before, miss_before = bounds, miss
        bounds = np.maximum(bounds - miss / np.clip(slopes, 0.5, 2.0), 0.0)
    return errors, counts


@lru_cache(maxsize=100_000)
def _correction(step: float) -> tuple[float, float]:
    """Return the corrections for whole samples in long tests: a factor of the error, and additional samples."""
    steps = np.array([step])
    log_rates = 2.0 * np.log(steps) - math.log(2.0)
    log_prices, errors, counts = whole_test(_furthest(steps), steps)
    bound = symmetric_boundary(log_rates - log_prices)
    more = counts - _continuous_samples(bound, log_rates)
    # An error that is 0 is one of e^(-s²/8) with an enormous step.
    factor = math.exp(math.log(errors[0]) + np.logaddexp(0.0, bound[0])) if errors[0] else 0.0
    return factor, float(more[0])


def _furthest(steps: Floats) -> Floats:
    """Return the boundaries beyond which continuous time is taken.

    The overshoot forgets the start after B = 20, to e^-20, but long steps reach B in a few strides of about s²/2 and
    forget more slowly: after s⁴/2 the correction had eight digits.
    """
    settled = np.maximum(20.0, 0.5 * np.minimum(steps, 100.0) ** 4)
    return np.minimum(np.minimum(settled, STEPS * steps), FAR)


def _continuous_samples(bounds: Floats, log_rates: Floats) -> Floats:
    return np.asarray(bounds * np.tanh(0.5 * bounds) * np.exp(-log_rates))


def whole_test(bounds: Floats, steps: Floats, *, refine: int = 1) -> Solved:
    r"""Return the log price, the error and the expected samples of the test that stops at :math:`|\ell| \ge B`.

    The price is the one at which that test is the best: stopping and going on cost the same at B.

    Parameters
    ----------
    bounds : array of float, shape (J,)
        :math:`0 \le B \le 50 s`.
    steps : array of float, shape (J,)
        :math:`s = \sqrt 8\Delta > 0`, the standard deviation of one step.
    refine : int
        How many times the usual number of nodes is taken; 1 is right to about ten digits.
    """
    log_prices, errors, counts = (np.empty(bounds.size) for _ in range(3))
    sizes = refine * SIZES[np.searchsorted(SIZES, np.minimum(10.0 + 1.8 * bounds / steps, SIZES[-1]))]
    for size in map(int, np.unique(sizes)):
        for some in _batches(np.flatnonzero(sizes == size), BATCH // (size * (size + 2)) + 1):
            log_prices[some], errors[some], counts[some] = _solve(bounds[some], steps[some], size)
    return log_prices, errors, counts


def _batches(arms: Ints, size: int) -> list[Ints]:
    return [arms[start : start + size] for start in range(0, arms.size, size)]


def _solve(bounds: Floats, steps: Floats, size: int) -> Solved:
    r"""Return log price, error and samples by Gauss-Legendre quadrature of the integral equations on [0, B].

    With the two signs mixed by the posterior, one step from :math:`\ell` to :math:`\ell'` has the density
    :math:`\varphi_s(\ell'-\ell)\, e^{-s^2/8} \cosh(\ell'/2)/\cosh(\ell/2)`; by symmetry :math:`\pm\ell'` are added.
    Three right sides share the matrix: 1 gives the samples, the chance of a mistake at the first exit the error, and
    what one more sample gains the gain over stopping at once.
    """
    nodes, weights = _legendre(size)
    inner = bounds[:, None] * nodes
    rows = np.concatenate([inner, np.zeros((bounds.size, 1)), bounds[:, None]], axis=1)
    scale = steps[:, None]
    kernel = _kernel(rows / scale, inner / scale, rows, inner, scale) * (weights * bounds[:, None] / scale)[:, None, :]
    right = np.stack([np.ones_like(rows), _exit_error(rows, bounds[:, None], scale), _gain(rows, scale)], axis=2)
    inside = np.linalg.solve(np.eye(size) - kernel[:, :size], right[:, :size])
    ends = right[:, size:] + kernel[:, size:] @ inside
    return np.log(ends[:, 1, 2]) - np.log(ends[:, 1, 0]), ends[:, 0, 1], ends[:, 0, 0]


def _kernel(here: Floats, there: Floats, rows: Floats, inner: Floats, scale: Floats) -> Floats:
    tilt = _log_cosh(inner)[:, None, :] - _log_cosh(rows)[:, :, None] - (scale**2 / 8.0)[:, :, None]
    apart, across = here[:, :, None] - there[:, None, :], here[:, :, None] + there[:, None, :]
    return (np.exp(tilt - 0.5 * apart**2) + np.exp(tilt - 0.5 * across**2)) / math.sqrt(2.0 * math.pi)


def _log_cosh(ratios: Floats) -> Floats:
    """Return log(2 cosh(ℓ/2)) for ℓ ≥ 0."""
    return 0.5 * ratios + np.log1p(np.exp(-ratios))


def _exit_error(rows: Floats, bounds: Floats, scale: Floats) -> Floats:
    """Return the chance that the next step leaves [-B, B] on the wrong side."""
    from scipy.special import expit, ndtr

    drift = 0.5 * scale**2
    wrong = expit(-rows) * ndtr((rows - drift - bounds) / scale)
    return np.asarray(wrong + expit(rows) * ndtr((-rows - drift - bounds) / scale))


def _gain(rows: Floats, scale: Floats) -> Floats:
    """Return the decrease in the error probability from one more sample."""
    from scipy.special import expit, ndtr

    ahead, half = rows / scale, 0.5 * scale
    exact = expit(-rows) * ndtr(half - ahead) - expit(rows) * ndtr(-half - ahead)
    limit = half * (np.exp(-0.5 * ahead**2) / math.sqrt(2.0 * math.pi) - ahead * ndtr(-ahead))
    return np.asarray(np.where(scale < TINY, limit, exact))


@cache
def _legendre(size: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(size)
    return 0.5 * (nodes + 1.0), 0.5 * weights
