"""Bernstein supermartingales: bounded outcomes whose variance is seen."""

from __future__ import annotations

import math

import numpy as np

from thresher.types import Floats

STEEPEST, SLOPES = 0.58, 7  # the slopes of the limits: each half of the one before
SIDE_SLOPES = 0.95 * 0.5 ** np.arange(8)  # of the e-values
HALVINGS = 50


def bernstein_radius(counts: Floats, variances: Floats, alpha: float) -> Floats:
    r"""Return half the width of the intervals for outcomes within [0, 1] that use their variance, shape (K,).

    The least :math:`d` at which the mean over `J` slopes λ has

    .. math:: \frac1J \sum_\lambda \exp n \big(\lambda d - \psi(\lambda) (\hat\sigma^2 + d^2)\big) \ge \frac2\alpha,
              \qquad \psi(\lambda) = -\log(1 - \lambda) - \lambda

    If :math:`m = \hat\mu - d` is the mean and :math:`\xi_i = X_i - m \ge -1`, then :math:`\exp(\lambda \sum \xi_i -
    \psi(\lambda) \sum \xi_i^2)` is a supermartingale, by :math:`e^{\lambda \xi - \psi(\lambda) \xi^2} \le 1 +
    \lambda \xi` :cite:p:`fan2015`, and so is the mean of several. Since :math:`\sum \xi_i^2 = n(\hat\sigma^2 + d^2)` it
    needs no order of the outcomes. The other side mirrors it. Every distance from `d` to 1 is refuted too, because
    :math:`\lambda \ge 2 \psi(\lambda)` for these slopes, so each part grows with `d`. It is infinite if no distance up
    to 1 is refuted.
    """
    level = math.log(2.0 / alpha)
    low, high = np.zeros(counts.size), np.ones(counts.size)
    is_finite = (counts > 0.0) & (bernstein_refutation(high, counts, variances) >= level)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        is_refuted = bernstein_refutation(middle, counts, variances) >= level
        low, high = np.where(is_refuted, low, middle), np.where(is_refuted, middle, high)
    return np.where(is_finite, high, np.inf)


def bernstein_refutation(distances: Floats, counts: Floats, variances: Floats) -> Floats:
    """Return the logarithm of the mean over the slopes in :func:`bernstein_radius`, shape (K,)."""
    slopes = (STEEPEST * 0.5 ** np.arange(SLOPES))[:, None]
    psi = -np.log1p(-slopes) - slopes
    parts = counts * (slopes * distances - psi * (variances + distances**2))
    return np.asarray(np.logaddexp.reduce(parts, axis=0) - math.log(SLOPES))


def log_e_of_bounded_sums(sums: Floats, squares: Floats) -> Floats:
    r"""Return the log of the mean over :data:`SIDE_SLOPES` of :math:`\exp(\lambda S - \psi(\lambda) Q)`, shape (K,).

    Parameters
    ----------
    sums, squares : ndarray of float64, shape (K,)
        :math:`S = \sum \xi_i` and :math:`Q = \sum \xi_i^2` of outcomes :math:`\xi_i \ge -1`. Each factor is at most
        :math:`1 + \lambda \xi` :cite:p:`fan2015`, so its expectation is at most 1 if that of :math:`\xi` is at most 0.
    """
    psi = -np.log1p(-SIDE_SLOPES) - SIDE_SLOPES
    parts = SIDE_SLOPES * sums[:, None] - psi * squares[:, None]
    return np.asarray(np.logaddexp.reduce(parts, axis=1) - math.log(SIDE_SLOPES.size))
