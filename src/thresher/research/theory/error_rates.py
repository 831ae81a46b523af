"""How often a verdict is wrong after a fixed number of samples, exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.types import Floats

__all__ = [
    "bernoulli_error_rates",
    "bernoulli_loss",
    "gaussian_error_rates",
    "gaussian_loss",
    "two_point_error_rates",
]


def gaussian_error_rates(counts: ArrayLike, gaps: ArrayLike) -> Floats:
    r"""Return the probability that the mean of `counts` Gaussian samples lies on the wrong side of the threshold.

    .. math:: \Phi\big(-\sqrt{2 n}\, \Delta\big)

    It is ½ at :math:`n = 0`, and 0 for a gap of 0: no verdict on an arm at its threshold is wrong.

    Parameters
    ----------
    counts : array of float
        :math:`n \ge 0`, whole or not; broadcast against `gaps`.
    gaps : array of float
        :math:`\Delta = |\mu - \theta| / \sqrt{2\sigma^2} \ge 0`.
    """
    from scipy.special import ndtr

    gaps = np.asarray(gaps, dtype=np.float64)
    rates = ndtr(-np.sqrt(2.0 * np.asarray(counts, dtype=np.float64)) * gaps)
    return np.asarray(np.where(gaps == 0.0, 0.0, rates), dtype=np.float64)


def bernoulli_error_rates(counts: ArrayLike, means: ArrayLike, thresholds: ArrayLike) -> Floats:
    r"""Return the probability of a wrong verdict after `counts` samples of 0 or 1.

    The verdict is `above` iff the sample mean exceeds the threshold; a mean that equals it is `below`. An arm without
    samples is wrong with probability ½, and an arm whose mean is its threshold never.

    .. math:: P\big(\mathrm{Bin}(n, \mu) \le \lfloor n \theta \rfloor\big) \text{ for } \mu > \theta, \qquad
              P\big(\mathrm{Bin}(n, \mu) > \lfloor n \theta \rfloor\big) \text{ for } \mu < \theta

    Parameters
    ----------
    counts : array of int
        :math:`n \ge 0`, below :math:`2^{53}`; broadcast against `means` and `thresholds`.
    means, thresholds : array of float
        :math:`\mu` and :math:`\theta` in [0, 1].

    Raises
    ------
    InvalidInputError
        For a number of samples that is not whole, or a mean or threshold outside [0, 1].
    """
    from scipy.special import betainc

    counts, means, thresholds = np.broadcast_arrays(np.asarray(counts, dtype=np.float64), means, thresholds)
    _check_bernoulli(counts, np.asarray(means), np.asarray(thresholds))
    most = most_below(counts, thresholds)
    # The two tails of the binomial as incomplete beta functions: each is exact to the last digits where it is small.
    # The arguments are kept positive where a tail is empty (all outcomes are below, or none).
    inside = (most >= 0.0) & (most < counts)
    zeros, ones = np.where(inside, counts - most, 1.0), np.where(inside, most + 1.0, 1.0)
    below = np.where(inside, betainc(zeros, ones, 1.0 - means), most >= 0.0)
    above = np.where(inside, betainc(ones, zeros, means), most < 0.0)
    rates = np.where(counts == 0.0, 0.5, np.where(means > thresholds, below, above))
    return np.asarray(np.where(means == thresholds, 0.0, rates), dtype=np.float64)


def most_below(counts: Floats, thresholds: Floats) -> Floats:
    """Return the largest number of ones among `counts` samples whose mean does not exceed the threshold.

    The mean is compared as a quotient, as a policy compares it. The product ``counts * threshold`` would not do: 0.07
    of 100 samples is 7.000000000000001. The quotient 7/100 is the double nearest to 0.07, which is what 0.07 is.
    """
    least = np.floor(counts * thresholds) - 1.0
    divisor = np.maximum(counts, 1.0)
    fits = sum(((least + step) / divisor <= thresholds).astype(np.float64) for step in (1.0, 2.0))
    return np.asarray(np.minimum(least + fits, counts), dtype=np.float64)


def two_point_error_rates(counts: ArrayLike) -> Floats:
    r"""Return the probability of a wrong verdict after `counts` samples of an arm that gives 0 or x, each with ½.

    .. math:: \tfrac12 \cdot 2^{-n}

    One sample that is not 0 tells the sign; an arm that has shown only zeros is a coin flip
    (:cite:p:`ouhamma2021`, section 4).

    Parameters
    ----------
    counts : array of float
        :math:`n \ge 0`.
    """
    return np.asarray(np.exp2(-1.0 - np.asarray(counts, dtype=np.float64)))


def gaussian_loss(counts: ArrayLike, gaps: ArrayLike, costs: ArrayLike = 1.0) -> float:
    r"""Return the expected loss of Gaussian arms sampled `counts` times each.

    .. math:: \sum_k a_k \Phi\big(-\sqrt{2 N_k}\, \Delta_k\big)

    Parameters
    ----------
    counts, gaps : array of float, shape (K,)
        :math:`N_k \ge 0` and :math:`\Delta_k \ge 0`.
    costs : array of float, shape (K,), or float
        :math:`a_k > 0`.
    """
    return float(np.sum(np.asarray(costs) * gaussian_error_rates(counts, gaps)))


def bernoulli_loss(counts: ArrayLike, means: ArrayLike, thresholds: ArrayLike, costs: ArrayLike = 1.0) -> float:
    """Return the expected loss of Bernoulli arms sampled `counts` times each: costs times error rates, summed.

    Parameters
    ----------
    counts : array of int, shape (K,)
        Samples of each arm.
    means, thresholds, costs : array of float, shape (K,), or float
        As for `bernoulli_error_rates`; the costs are positive.
    """
    return float(np.sum(np.asarray(costs) * bernoulli_error_rates(counts, means, thresholds)))


def _check_bernoulli(counts: Floats, means: Floats, thresholds: Floats) -> None:
    broken = (counts < 0) | (counts != np.floor(counts))
    if np.any(broken):
        raise InvalidInputError(
            "number of 0/1 samples", float(counts[broken][0]), rule="must be whole", fix="round the allocation first"
        )
    for name, values in (("mean", means), ("threshold", thresholds)):
        outside = ~((values >= 0.0) & (values <= 1.0))
        if np.any(outside):
            raise InvalidInputError(f"{name} of 0/1 samples", float(values[outside][0]), rule="must be from 0 to 1")
