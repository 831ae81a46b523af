"""The interval of the law of the iterated logarithm, and from when on it is the narrower one."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius


@njit(cache=True)
def lil_constant(epsilon: float) -> float:
    r"""Return :math:`c_\epsilon = \frac{2+\epsilon}{\epsilon} \big(\frac{1}{\log(1+\epsilon)}\big)^{1+\epsilon}`."""
    return (2.0 + epsilon) / epsilon / math.pow(math.log1p(epsilon), 1.0 + epsilon)


@njit(cache=True)
def lil_radius(count: float, sigma: float, n_arms: float, alpha: float, epsilon: float) -> float:
    r"""Return half the width of an interval that is right for all n at once, by the law of the iterated logarithm.

    .. math:: U(n, \omega) = (1 + \sqrt\epsilon) \sqrt{\frac{2 \sigma^2 (1 + \epsilon)}{n}
              \log \frac{\log((1 + \epsilon) n)}{\omega}}, \qquad \omega = \frac{\delta}{c_\epsilon K}

    :cite:p:`tsai2024`, Theorem 1 (supplement A), from :cite:p:`jamieson2014`, Lemma 1: with probability
    :math:`1 - c_\epsilon \omega^{1+\epsilon}` a mean never leaves it on the given side. That lemma is about one side
    and an arm can be misjudged on one side only, so that the K arms together err with probability at most
    :math:`K c_\epsilon \omega^{1+\epsilon} \le \delta`. The lemma needs :math:`\omega < \log(1 + \epsilon)/e`, which
    holds since :math:`c_\epsilon \log(1+\epsilon) > e` for every ε in (0, 1).

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`, sub-Gaussian.
    n_arms, alpha : float
        K and δ.
    epsilon : float
        ε in (0, 1).
    """
    omega = alpha / (lil_constant(epsilon) * n_arms)
    level = math.log(math.log((1.0 + epsilon) * count) / omega)
    return (1.0 + math.sqrt(epsilon)) * sigma * math.sqrt(2.0 * (1.0 + epsilon) * level / count)


def first_rounds(epsilon: float, n_arms: int, alpha: float) -> int:
    """Return the least number of pulls from which on the interval is no wider than that of HDoC.

    :cite:p:`tsai2024`, supplement: the number of first pulls of every arm is the least such number. Their closed
    bound on it was not read; it is searched for here. Once narrower the interval stays so: log log grows more slowly.
    """

    def is_narrower(count: int) -> bool:
        n, arms = float(count), float(n_arms)
        return lil_radius(n, 1.0, arms, alpha, epsilon) <= good_arm_radius(n, 1.0, arms, alpha)

    high = 2
    while not is_narrower(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_narrower(middle) else (middle, high)
    return high
