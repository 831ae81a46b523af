r"""The steps of the paper's proofs, each as the bound that it claims, to be held against a simulation.

The upper bound (appendix D) says that the index of every arm soon reaches a level :math:`C` (after :math:`\tau_k(C)`
pulls), and that an arm whose index is that large is seldom misjudged. The lemma on pulls (appendix A) confuses four
Gaussian models. Gaps are :math:`\Delta = |\mu - \theta| / \sqrt{2 \sigma^2}`, estimated ones :math:`\hat\Delta`; the
arms are σ-sub-Gaussian.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.research.theory.upper_bound.deviations import Deviation, deviation
from thresher.types import Floats


def short_gap_tail(*, count: float, gap: float, seen: float) -> float:
    r"""Return the bound on the probability that an arm shows a smaller gap than it has.

    .. math:: P(\hat\Delta_n < d) \le \exp(-n (\Delta - d)^2), \qquad 0 \le d \le \Delta

    :cite:p:`ouhamma2021`, appendix D, the first lemma and the display after it, where the square is missing.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    gap, seen : float
        :math:`\Delta` and `d`.
    """
    return math.exp(-count * max(gap - seen, 0.0) ** 2)


def reaching_tail(excess: float, *, gap: float) -> float:
    r"""Return the bound on the probability that an arm's index is late in reaching a level.

    .. math:: P(\sqrt{\tau(C) - 1} > \sqrt{t(C)} + x) \le \exp(-\Delta^2 x^2), \qquad F(t(C), t(C) \Delta^2) = C

    :cite:p:`ouhamma2021`, appendix D, the theorem on :math:`\tau_k(C)`, which has :math:`\tau(C)` for :math:`\tau(C)
    - 1`. That is true for real times only: τ is a whole number, and at least 1.

    Parameters
    ----------
    excess : float
        :math:`x \ge 0`.
    gap : float
        :math:`\Delta`.
    """
    return math.exp(-((gap * excess) ** 2))


def exponential_sum_tail(total: float, *, rates: ArrayLike) -> float:
    r"""Return the bound on the tail of a sum of independent variables with exponential tails.

    .. math::
        P(Z_k \ge x) \le e^{-a_k x} \; \forall x \quad\Rightarrow\quad P\Bigl(\sum_k Z_k \ge z\Bigr) \le \exp\Bigl(1 -
        \frac{z}{\sum_k 1/a_k}\Bigr)

    :cite:p:`janson2018`, as :cite:p:`ouhamma2021` uses it in appendix D.

    Parameters
    ----------
    total : float
        :math:`z \ge 0`.
    rates : array_like
        :math:`a_k > 0`.
    """
    return math.exp(1.0 - total / float((1.0 / np.asarray(rates, dtype=np.float64)).sum()))


def exploration_tail(
    times: ArrayLike, gaps: ArrayLike, *, budget: float, form: Deviation = "root", whole_pulls: bool = True
) -> float:
    r"""Return the bound on the probability that the arms together need more than the budget to reach a level.

    .. math::
        P\Bigl(\sum_k \tau_k(C) > T\Bigr) \le e \exp\Bigl(-\frac{\operatorname{dev}(T - K, \sum_k t_k(C))}{\sum_k
        1/\Delta_k^2}\Bigr)

    :cite:p:`ouhamma2021`, appendix D, the lemma on :math:`\sum_k \tau_k(C)` and its remark, which have `T` for
    :math:`T - K`.

    Parameters
    ----------
    times, gaps : array_like of shape (n_arms,)
        :math:`t_k(C)` and :math:`\Delta_k > 0`.
    budget : float
        `T`.
    form : {"half", "root"}
        See :func:`~thresher.research.theory.upper_bound.deviation`.
    whole_pulls : bool
        With False as printed, for times that need not be whole.
    """
    needed, sizes = np.asarray(times, dtype=np.float64), np.asarray(gaps, dtype=np.float64)
    left = max(budget - needed.size, 0.0) if whole_pulls else budget
    exponent = deviation(np.array(left), np.array(needed.sum()), form=form) / float((sizes**-2.0).sum())
    return math.exp(1.0 - float(exponent))


def uniform_deviation(*, budget: float, chance: float) -> float:
    r"""Return how far an arm's mean strays from the truth towards the threshold, at any of the first `T` pulls.

    .. math::
        P\Bigl(\exists n \le T: \sqrt n \, \frac{\pm(\hat\mu_n - \mu)}{\sqrt{2 \sigma^2}} > \sqrt{\log(T /
        \delta)}\Bigr) \le \delta

    for either sign. :cite:p:`ouhamma2021`, appendix D, the lemma before the three facts, where the division is missing.

    Parameters
    ----------
    budget : float
        :math:`T \ge 1`.
    chance : float
        :math:`\delta \in (0, 1)`.
    """
    return math.sqrt(math.log(budget / chance))


def mistake_tail(time: float, *, gap: float, budget: float) -> float:
    r"""Return the bound on the probability that an arm ever stands on the wrong side with a large index.

    .. math::
        P(\exists t \le T: E_{k,t} = 1, \; F_k(N_{k,t}, N_{k,t} \hat\Delta_{k,t}^2) \ge C) \le T e^{-t_k(C)
        \Delta_k^2}

    :cite:p:`ouhamma2021`, appendix D, the theorem on mistakes.

    Parameters
    ----------
    time, gap : float
        :math:`t_k(C)` and :math:`\Delta_k`.
    budget : float
        `T`.
    """
    return budget * math.exp(-time * gap**2)


@dataclass(frozen=True, eq=False)
class FourModels:
    r"""Means of four Gaussian problems (σ = 1, threshold 0) that a policy which skips the hard arms would confuse.

    Parameters
    ----------
    n_near : int
        :math:`K_0`, how many arms are near the threshold in the first two.
    near_above, near_below : ndarray of shape (n_arms,)
        The first :math:`K_0` means are :math:`\pm \epsilon`.
    far_above, far_below : ndarray of shape (n_arms,)
        The first :math:`K_0` means are :math:`\pm \mu_{K_0 + 1}`, the least of the others.
    """

    n_near: int
    near_above: Floats
    near_below: Floats
    far_above: Floats
    far_below: Floats


def four_models(far_means: ArrayLike, *, n_near: int, epsilon: float) -> FourModels:
    r"""Return the four models of the lemma that a good policy must pull every arm.

    :cite:p:`ouhamma2021`, section 2.2 and appendix A.

    Parameters
    ----------
    far_means : array_like
        :math:`\mu_{K_0 + 1} \le \dots \le \mu_K`, all above ε.
    n_near : int
        :math:`K_0 \ge 1`.
    epsilon : float
        :math:`\epsilon > 0`; the lemma takes it below :func:`largest_epsilon`.

    Raises
    ------
    InvalidInputError
        If the means are not in that order.
    """
    means = np.asarray(far_means, dtype=np.float64)
    if not 0.0 < epsilon < means[0] or np.any(np.diff(means) < 0.0):
        raise InvalidInputError("far_means", means.tolist(), rule=f"must increase, from above epsilon = {epsilon:g}")
    heads = epsilon, -epsilon, float(means[0]), -float(means[0])
    return FourModels(n_near, *(np.concatenate([np.full(n_near, head), means]) for head in heads))


def largest_epsilon(*, budget: float) -> float:
    r"""Return :math:`\sqrt{\log 2 / (2 T)}`: arms nearer to the threshold are too near for `T` pulls.

    Parameters
    ----------
    budget : float
        :math:`T \ge 1`.
    """
    return math.sqrt(math.log(2.0) / (2.0 * budget))


def confusion(*, near_pulls: float, epsilon: float) -> float:
    r"""Return the least that an event above and its opposite below the threshold can have as probabilities together.

    .. math:: P_{+\epsilon}(A) + P_{-\epsilon}(\bar A) \ge \tfrac12 \exp(-2 \epsilon^2 E_{+\epsilon}[n])

    with `n` the pulls of the near arms. With :math:`\epsilon \le \sqrt{\log 2 / (2 T)}` it is at least 1/4, so that one
    of the two probabilities is at least 1/8. :cite:p:`ouhamma2021`, appendix A, where that 1/8 is 1/4.

    Parameters
    ----------
    near_pulls : float
        :math:`E_{+\epsilon}[n] \le T`.
    epsilon : float
        :math:`\epsilon`.
    """
    return 0.5 * math.exp(-2.0 * epsilon**2 * near_pulls)


def pulls_between(chance: float, far_chance: float, *, distance: float) -> float:
    r"""Return the fewest pulls of the near arms that make an event so much more likely near than far.

    .. math:: E_{\epsilon}[n] \, \tfrac12 (\mu_{K_0+1} - \epsilon)^2 \ge \operatorname{kl}(P_\epsilon(A), P_{\mu'}(A))

    :cite:p:`ouhamma2021`, appendix A.

    Parameters
    ----------
    chance, far_chance : float
        The two probabilities, in [0, 1] and (0, 1).
    distance : float
        :math:`\mu_{K_0+1} - \epsilon > 0`.
    """
    from scipy.special import rel_entr

    divergence = rel_entr(chance, far_chance) + rel_entr(1.0 - chance, 1.0 - far_chance)
    return float(divergence) / (0.5 * distance**2)


def pulls_needed(far_loss: float, *, n_near: int, distance: float) -> float:
    r"""Return the fewest pulls of the near arms, in one near model, by a policy that errs little in the far ones.

    .. math::
        \max_{\pm} E_{\pm \epsilon}\Bigl[\sum_{k \le K_0} N_k\Bigr] \ge \frac{2}{(\mu_{K_0+1} - \epsilon)^2}
        \Bigl(\tfrac18 \log \frac{K_0}{2 E_{\mu'}[L_T]} - \log 2\Bigr)

    :cite:p:`ouhamma2021`, appendix A, the last display of the lemma's proof, with 1/8 for 1/4. Negative where it says
    nothing.

    Parameters
    ----------
    far_loss : float
        :math:`E_{\mu'}[L_T] > 0`, the larger one of the two far models.
    n_near : int
        :math:`K_0`.
    distance : float
        :math:`\mu_{K_0+1} - \epsilon > 0`.
    """
    return (math.log(n_near / (2.0 * far_loss)) / 8.0 - math.log(2.0)) / (0.5 * distance**2)


__all__ = [
    "FourModels",
    "confusion",
    "exploration_tail",
    "exponential_sum_tail",
    "four_models",
    "largest_epsilon",
    "mistake_tail",
    "pulls_between",
    "pulls_needed",
    "reaching_tail",
    "short_gap_tail",
    "uniform_deviation",
]
