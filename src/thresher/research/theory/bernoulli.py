"""Divergences of 0/1 outcomes, and the mean that is as far on the other side of a threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.types import Floats

__all__ = ["divergence", "opposite_mean"]


def divergence(means: ArrayLike, others: ArrayLike) -> Floats:
    r"""Return the Kullback-Leibler divergence of Bernoulli outcomes.

    .. math:: \mathrm{kl}(p, q) = p \log\frac pq + (1-p) \log\frac{1-p}{1-q}

    It is inf where an outcome possible under p is impossible under q.

    Parameters
    ----------
    means, others : array of float
        p and q, in [0, 1].
    """
    from scipy.special import rel_entr

    here, there = np.asarray(means, dtype=np.float64), np.asarray(others, dtype=np.float64)
    return np.asarray(rel_entr(here, there) + rel_entr(1.0 - here, 1.0 - there), dtype=np.float64)


def opposite_mean(means: ArrayLike, thresholds: ArrayLike) -> Floats:
    r"""Return the mean on the other side of the threshold at the same divergence from it.

    .. math:: \mathrm{kl}(\tilde\mu, \theta) = \mathrm{kl}(\mu, \theta), \qquad
              (\tilde\mu - \theta)(\mu - \theta) < 0

    Where no mean in [0, 1] is as far, it is the end of the interval; a mean on its threshold is its own opposite.

    Parameters
    ----------
    means : array of float
        :math:`\mu \in [0, 1]`.
    thresholds : array of float
        :math:`\theta \in (0, 1)`; broadcast against `means`.

    Raises
    ------
    InvalidInputError
        For a mean outside [0, 1] or a threshold outside (0, 1).
    """
    here, bar = np.broadcast_arrays(np.asarray(means, dtype=np.float64), np.asarray(thresholds, dtype=np.float64))
    if not np.all((here >= 0.0) & (here <= 1.0)):
        raise InvalidInputError("means", here.tolist(), rule="must be from 0 to 1")
    if not np.all((bar > 0.0) & (bar < 1.0)):
        raise InvalidInputError("thresholds", bar.tolist(), rule="must be between 0 and 1 (exclusive)")
    distance = divergence(here, bar)
    near, far = bar.copy(), np.where(here > bar, 0.0, 1.0)
    within = divergence(far, bar) > distance
    # Bisection on the distance from the threshold, along which the divergence grows.
    for _ in range(70):
        middle = 0.5 * (near + far)
        beyond = within & (divergence(middle, bar) > distance)
        near, far = np.where(beyond, near, middle), np.where(beyond, middle, far)
    return np.asarray(np.where(here == bar, here, np.where(within, 0.5 * (near + far), far)), dtype=np.float64)
