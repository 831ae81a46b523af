"""The toy problem of the paper: arms that show 0 or their sign, and the gain from adapting."""

from __future__ import annotations

import math

import numpy as np

from thresher.errors import InvalidInputError
from thresher.research.theory.error_rates import two_point_error_rates

__all__ = ["toy_adaptive_bound", "toy_adaptive_loss", "toy_printed_bound", "toy_uniform_loss"]


def toy_uniform_loss(n_arms: int, *, budget: int) -> float:
    r"""Return the expected mistakes of uniform sampling on the toy problem.

    .. math:: \frac12 \sum_k 2^{-N_k} \ge \frac{K}{2^{T/K+1}}

    :cite:p:`ouhamma2021`, section 4. It is the best fixed allocation; where K does not divide T the first arms are
    pulled once more.

    Parameters
    ----------
    n_arms, budget : int
        :math:`K \ge 1` and :math:`T \ge 0`.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    _check(n_arms, budget)
    each, more = divmod(budget, n_arms)
    few, many = two_point_error_rates(np.array([each, each + 1]))
    return float((n_arms - more) * few + more * many)


def toy_adaptive_loss(n_arms: int, *, budget: int) -> float:
    r"""Return the expected mistakes of the rule that leaves an arm once it has shown a value other than 0.

    .. math:: \tfrac12 E\big[(K - \mathrm{Bin}(T, \tfrac12))_+\big]
              = \tfrac12 \sum_{j=0}^{K-1} P\big(\mathrm{Bin}(T, \tfrac12) \le j\big)

    Exact, in whatever order the arms are taken: while some arm has shown only zeros, each pull reveals one with
    probability ½, so the arms revealed are :math:`\min(K, \mathrm{Bin}(T, ½))`, and each of the others is a coin
    flip.

    Parameters
    ----------
    n_arms, budget : int
        :math:`K \ge 1` and :math:`T \ge 0`.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    from scipy.special import betainc

    _check(n_arms, budget)
    ones = np.arange(min(n_arms, budget), dtype=np.float64)
    below = betainc(budget - ones, ones + 1.0, 0.5)
    return float(0.5 * (below.sum() + max(n_arms - budget, 0)))


def toy_printed_bound(n_arms: int, *, budget: int) -> float:
    r"""Return the bound on the adaptive rule's mistakes as printed, which is false.

    .. math:: \frac{K}{2^{T/2}} \Big(1 + \frac{1}{\sqrt2}\Big)^K

    :cite:p:`ouhamma2021`, section 4. The last factor is the moment generating function of the number of zeros seen;
    the number of pulls needed is larger by K. At K = 100 and T = 300 this is 1.2e-20, and the loss is 1.9e-9.

    Parameters
    ----------
    n_arms, budget : int
        :math:`K \ge 1` and :math:`T \ge 0`.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    return _chernoff(n_arms, budget, 1.0 + math.sqrt(0.5))


def toy_adaptive_bound(n_arms: int, *, budget: int) -> float:
    r"""Return the bound on the adaptive rule's mistakes, corrected.

    .. math:: K\, P(Z > T) \le K\, 2^{-T/2}\, E\big[2^{Z/2}\big] = \frac{K}{2^{T/2}} \big(1 + \sqrt2\big)^K

    The pulls needed for one arm are geometric on 1, 2, ..., and
    :math:`E[2^{G/2}] = \sum_{g \ge 1} 2^{g/2} 2^{-g} = 1/(\sqrt2 - 1) = 1 + \sqrt2`; Z is the sum over K arms.
    (:cite:p:`ouhamma2021`, section 4, has the sum from 0.) It is trivial where it exceeds K/2.

    Parameters
    ----------
    n_arms, budget : int
        :math:`K \ge 1` and :math:`T \ge 0`.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    return _chernoff(n_arms, budget, 1.0 + math.sqrt(2.0))


def _chernoff(n_arms: int, budget: int, moment: float) -> float:
    """Return K 2^(-T/2) moment^K, inf where it overflows."""
    _check(n_arms, budget)
    logarithm = math.log(n_arms) - 0.5 * budget * math.log(2.0) + n_arms * math.log(moment)
    return math.exp(logarithm) if logarithm < 709.0 else math.inf


def _check(n_arms: int, budget: int) -> None:
    if n_arms < 1:
        raise InvalidInputError("n_arms", n_arms, rule="must be at least 1")
    if budget < 0:
        raise InvalidInputError("budget", budget, rule="must be at least 0 pulls")
