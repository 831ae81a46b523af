"""The bounds of the papers that introduced APT and LSA, in the units of this one."""

from __future__ import annotations

import math
from typing import Protocol

from numpy.typing import ArrayLike

from thresher.research.theory.upper_bound.bound import Bound
from thresher.research.theory.upper_bound.setting import BoundSetting

FAR = 1e9  # in units of H: from here on a bound's logarithm is a straight line to nine digits


class BoundOf(Protocol):
    """A function of gaps and budget that gives a bound."""

    def __call__(self, gaps: ArrayLike, *, budget: float) -> Bound: ...


def locatelli(gaps: ArrayLike, *, budget: float, tolerance: float = 0.0) -> Bound:
    r"""Return the first bound on the probability that APT misjudges any arm.

    .. math::
        P(\max_k E_k = 1) \le \exp\Bigl(-\frac{T}{64 R^2 \sum_i (|\mu_i - \tau| + \epsilon)^{-2}}
        + 2 \log((\log T + 1) K)\Bigr) = \exp\Bigl(-\frac{T}{32 \sum_i (\Delta_i + \epsilon')^{-2}}
        + 2 \log((\log T + 1) K)\Bigr)

    with :math:`R = \sigma` and :math:`\epsilon' = \epsilon / \sqrt{2 \sigma^2}`. :cite:p:`locatelli2016`, Theorem 2.
    It applies if :math:`T \ge 2 K`; with a tolerance, only arms further than it from the threshold count as misjudged.

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0`.
    budget : float
        :math:`T \ge 1`.
    tolerance : float
        :math:`\epsilon' \ge 0`.
    """
    setting = BoundSetting.of(gaps, budget=budget)
    widened = BoundSetting.of(setting.gaps + tolerance, budget=budget)
    extra = 2.0 * math.log((math.log(budget) + 1.0) * setting.gaps.size)
    log_value = extra - budget / (32.0 * widened.complexity)
    return Bound(log_value=log_value, worst=1.0, applies=budget >= 2 * setting.gaps.size)


def tao(gaps: ArrayLike, *, budget: float) -> Bound:
    r"""Return the exponential of the first bound on the loss of LSA, :math:`\exp(-T / (16020 \sum_k 1/\Delta_k^2))`.

    :cite:p:`tao2019`, as :cite:p:`ouhamma2021` quotes it in section 1, for LSA with its parameter at 0.1. The factor
    in front of it is not quoted there, so that this is not a bound by itself: it never applies, and serves to compare
    exponents.

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k \ge 0`.
    budget : float
        :math:`T \ge 1`.
    """
    setting = BoundSetting.of(gaps, budget=budget)
    return Bound(log_value=-budget / (16020.0 * setting.complexity), worst=setting.worst, applies=False)


def improvement(ours: BoundOf, theirs: BoundOf, gaps: ArrayLike) -> float:
    r"""Return by what factor the exponent of one bound exceeds that of another, measured far out on both.

    Parameters
    ----------
    ours, theirs : callable
        Functions of ``(gaps, budget=…)`` such as :func:`~thresher.research.theory.upper_bound.apt_any_mistake` and
        :func:`locatelli`.
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k > 0`.
    """
    return far_exponent(ours, gaps) / far_exponent(theirs, gaps)


def far_exponent(bound: BoundOf, gaps: ArrayLike) -> float:
    r"""Return the exponent of a bound as a multiple of :math:`T / \sum_k 1/\Delta_k^2`: its slope far out.

    Parameters
    ----------
    bound : callable
        A function of ``(gaps, budget=…)``.
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k > 0`.
    """
    complexity = BoundSetting.of(gaps, budget=1.0).complexity
    near, far = (max(1.0, FAR * complexity) * factor for factor in (1.0, 2.0))
    drop = bound(gaps, budget=near).log_value - bound(gaps, budget=far).log_value
    return drop * complexity / (far - near)


__all__ = ["far_exponent", "improvement", "locatelli", "tao"]
