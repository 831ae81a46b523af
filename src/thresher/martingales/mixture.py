r"""Mixtures over how far the alternatives of a test martingale are: narrow intervals at few outcomes and at many.

A test martingale :math:`M_n^\rho` whose alternatives are spread as if :math:`\rho` samples had shown them is strongest
about one number of outcomes. With :math:`\rho` fixed for 50 of them, intervals at 10,000 are a quarter wider than they
need be. So :math:`\rho` takes a few values with weights that add up to 1, all fixed before the first outcome:

.. math:: M_n = \sum_j w_j M_n^{\rho_j}

A convex combination of nonnegative (super)martingales that start at 1 is one, so Ville's inequality holds for it as for
each part :cite:p:`robbins1970,howard2021`. It follows from the same sums of outcomes as its parts, whatever their
order. For two means together the parts are products with the *same* ρ: one mixture of products costs its weights once,
a product of two mixtures would cost them twice.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thresher.types import Floats

TUNED_AT = (40.0, 12_000.0, 2e6)  # outcomes
WEIGHTS = (0.44, 0.5, 0.06)
HALVINGS = 60
DIRECTIONS = 24  # golden sections: the largest difference is then known to 1 in 10⁹


class Mixture(NamedTuple):
    r"""Values of ρ and the logarithms of their weights, shape (J,) each."""

    rhos: Floats
    logs: Floats

    def of(self, parts: Floats) -> Floats:
        r"""Return :math:`\log \sum_j w_j e^{x_j}` over the first axis of `parts`, shape (J, ...)."""
        logs = self.logs.reshape((-1,) + (1,) * (parts.ndim - 1))
        return np.asarray(np.logaddexp.reduce(parts + logs, axis=0))


def tuned(outcomes: float, alpha: float) -> float:
    r"""Return :math:`\rho = m / (2 \log \frac1\alpha + \log(1 + 2 \log \frac1\alpha))`, the tuning for `m` outcomes.

    :cite:p:`howard2021`, on tuning the normal mixture; there it is an approximation of a Lambert function.
    """
    twice = 2.0 * math.log(1.0 / alpha)
    return outcomes / (twice + math.log1p(twice))


@lru_cache(maxsize=64)
def mixture_of(alpha: float) -> Mixture:
    """Return the mixture of the intervals at error rate `alpha`."""
    return Mixture(np.array([tuned(outcomes, alpha) for outcomes in TUNED_AT]), np.log(WEIGHTS))


def single(rho: float) -> Mixture:
    """Return the mixture that has one part."""
    return Mixture(np.array([rho]), np.zeros(1))


def normal_boundary(counts: Floats, alpha: float, mixture: Mixture) -> Floats:
    r"""Return the largest sum :math:`|S|` of `n` outcomes less their mean, in units of σ, that is not refuted.

    The root of :math:`\sum_j w_j \sqrt{\rho_j/(n + \rho_j)} \, e^{S^2/(2(n + \rho_j))} = 1/\alpha`, shape (K,), by
    halving between 0 and the least root of a part.

    Parameters
    ----------
    counts : ndarray of float64, shape (K,)
        :math:`n > 0`, or the variance of the sum in units of :math:`\sigma^2`.
    alpha : float
    mixture : Mixture
    """
    distinct, places = np.unique(counts, return_inverse=True)
    wide, penalties = parts_of(distinct, mixture)
    level = math.log(1.0 / alpha)
    low, high = np.zeros(distinct.size), (2.0 * wide * (level + penalties - mixture.logs[:, None])).min(axis=0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        is_refuted = mixture.of(0.5 * middle / wide - penalties) >= level
        low, high = np.where(is_refuted, low, middle), np.where(is_refuted, middle, high)
    return np.asarray(np.sqrt(high)[places.reshape(-1)])


def parts_of(counts: Floats, mixture: Mixture) -> tuple[Floats, Floats]:
    r"""Return :math:`n + \rho_j` and :math:`\frac12 \log((n + \rho_j)/\rho_j)`, shape (J, K) each."""
    wide = counts + mixture.rhos[:, None]
    return wide, 0.5 * np.log(wide / mixture.rhos[:, None])
