"""The adaptive limit: a lower bound on the loss of every policy when the signs are drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.research.theory.arms import ArmRates, checked_budget
from thresher.research.theory.bernoulli import divergence, opposite_mean
from thresher.research.theory.lagrange_multiplier import log_price
from thresher.research.theory.sequential_test import best_test, symmetric_boundary
from thresher.types import Bools, Floats

__all__ = ["Limit", "adaptive_limit", "bernoulli_limit", "family_limit"]


@dataclass(frozen=True, eq=False)
class Limit:
    r"""A loss that no policy beats, and the tests that would attain it.

    Attributes
    ----------
    loss : float
        The limit.
    log_price : float
        :math:`\log\lambda`: what one more unit of the budget saves; inf when nothing is spent.
    errors, counts : array of float, shape (K,)
        The chance of a mistake and the expected samples of each arm at that price.
    """

    loss: float
    log_price: float
    errors: Floats
    counts: Floats


def adaptive_limit(
    gaps: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None, *, budget: float
) -> Limit:
    r"""Return the loss that no adaptive policy beats on Gaussian arms of known gaps and random signs.

    For every policy, every :math:`\lambda \ge 0`, and the loss averaged over the :math:`2^K` patterns of signs,

    .. math:: E[L_T] \ge \sum_k \min_b \{ a_k e(b) + \lambda m_k N_k(b) \} - \lambda T, \qquad
              e(b) = \frac{1}{1+e^b}, \qquad N_k(b) = \frac{b \tanh(b/2)}{4\Delta_k^2}.

    The budget holds almost surely, hence in expectation, so :math:`\lambda` may price it and the arms separate. The
    error e of an arm, averaged over its two signs, and its expected samples satisfy
    :math:`E[N_k] \cdot 4\Delta_k^2 \ge \mathrm{kl}(e, 1-e)` by a change of measure (:cite:p:`kaufmann2016`, Lemma 1),
    and :math:`\mathrm{kl}(e(b), 1-e(b)) = b \tanh(b/2)`: Wald's test in continuous time attains it
    :cite:p:`wald1947`. The least value is at :math:`\sinh b + b = 2 a_k\Delta_k^2/(\lambda m_k)`, and the right side
    is greatest where the budget is spent.

    It is never below `lower_bound`, which has :math:`e \ge \frac14 e^{-4N\Delta^2}` in place of the divergence.
    An arm with gap 0 gets no sample and costs nothing. Some 25 ms for 10,000 arms.

    Parameters
    ----------
    gaps : array of float, shape (K,)
        :math:`\Delta_k = |\mu_k - \theta_k|/\sqrt{2\sigma_k^2}`, 0 or in [1e-60, 1e60]; each arm may have a variance
        of its own.
    costs, pull_costs : array of float, shape (K,), or float, optional
        :math:`a_k` and :math:`m_k`, in [1e-60, 1e60]; 1 when left out.
    budget : float
        :math:`T \ge 0`, in the unit of the pull costs.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    arms = ArmRates.of(gaps, costs, pull_costs)
    kept = arms.judged
    divergences = 4.0 * arms.rates[kept] ** 2
    worth = np.log(arms.costs[kept]) + np.log(divergences) - np.log(arms.pull_costs[kept])

    def tests(price: float) -> tuple[Floats, Floats]:
        bound = symmetric_boundary(worth - price)
        return np.exp(-np.logaddexp(0.0, bound)), bound * np.tanh(0.5 * bound) / divergences

    return largest_over_prices(arms, tests, budget=budget, start=float(worth.max(initial=-math.inf)))


def family_limit(
    divergences: ArrayLike,
    reverse_divergences: ArrayLike,
    costs: ArrayLike | None = None,
    pull_costs: ArrayLike | None = None,
    *,
    budget: float,
) -> Limit:
    r"""Return the loss that no adaptive policy beats when each arm has one of two means, each with probability ½.

    .. math:: \max_\lambda \sum_k \min_{\alpha,\beta} \left\{ \tfrac12 a_k(\alpha+\beta) + \tfrac12 \lambda m_k \Big[
              \frac{\mathrm{kl}(\alpha, 1-\beta)}{\mathrm{KL}(\mu_k, \tilde\mu_k)}
              + \frac{\mathrm{kl}(\beta, 1-\alpha)}{\mathrm{KL}(\tilde\mu_k, \mu_k)} \Big] \right\} - \lambda T

    The argument is that of `adaptive_limit` with the two error rates apart: a change of measure from either mean to
    the other bounds the samples under that mean (:cite:p:`kaufmann2016`, Lemma 1). It needs no continuous time and
    holds for every family of outcomes.

    Parameters
    ----------
    divergences, reverse_divergences : array of float, shape (K,)
        :math:`\mathrm{KL}(\mu_k, \tilde\mu_k)` and :math:`\mathrm{KL}(\tilde\mu_k, \mu_k)`, in [1e-60, 1e60]. Both
        are 0 for an arm on its threshold, which costs nothing. One is inf when a sample can rule a mean out; an arm
        with both infinite is known after one sample, which is not charged.
    costs, pull_costs : array of float, shape (K,), or float, optional
        :math:`a_k` and :math:`m_k`, in [1e-60, 1e60]; 1 when left out.
    budget : float
        :math:`T \ge 0`, in the unit of the pull costs.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges, or a divergence that is 0 in one direction only.
    """
    forward, reverse = np.asarray(divergences, dtype=np.float64), np.asarray(reverse_divergences, dtype=np.float64)
    if forward.shape != reverse.shape or np.any((forward == 0.0) != (reverse == 0.0)):
        raise InvalidInputError(
            "reverse_divergences",
            reverse.tolist(),
            rule=f"must have the shape {forward.shape} of divergences, and be 0 for the same arms",
        )
    least = np.minimum(forward, reverse)
    arms = ArmRates.of(np.where(np.isinf(least), 0.0, least), costs, pull_costs)
    forward, reverse = forward[arms.judged], reverse[arms.judged]
    value = np.log(arms.costs[arms.judged]) - np.log(arms.pull_costs[arms.judged])

    def tests(price: float) -> tuple[Floats, Floats]:
        test = best_test(value + np.log(forward) - price, value + np.log(reverse) - price)
        return test.error, 0.5 * (test.forward / forward + test.reverse / reverse)

    worth = value + np.log(least[arms.judged])
    return largest_over_prices(arms, tests, budget=budget, start=float(worth.max(initial=-math.inf)))


def bernoulli_limit(
    means: ArrayLike,
    thresholds: ArrayLike,
    costs: ArrayLike | None = None,
    pull_costs: ArrayLike | None = None,
    *,
    budget: float,
) -> Limit:
    """Return `family_limit` of Bernoulli arms: each has its mean or the one equally far beyond the threshold.

    Equally far is in divergence from the threshold, see `thresher.research.theory.bernoulli.opposite_mean`.

    Parameters
    ----------
    means : array of float, shape (K,)
        In [0, 1].
    thresholds : array of float, shape (K,), or float
        In (0, 1).
    costs, pull_costs, budget
        As for `family_limit`.

    Raises
    ------
    InvalidInputError
        For numbers outside these ranges.
    """
    here = np.asarray(means, dtype=np.float64)
    there = opposite_mean(here, thresholds)
    return family_limit(divergence(here, there), divergence(there, here), costs, pull_costs, budget=budget)


def largest_over_prices(
    arms: ArmRates,
    tests: Callable[[float], tuple[Floats, Floats]],
    *,
    budget: float,
    start: float,
    tolerance: float = 1e-13,
) -> Limit:
    r"""Return the greatest value of :math:`\sum_k (a_k e_k + \lambda m_k N_k) - \lambda T` over the price λ.

    Parameters
    ----------
    arms : ArmRates
        All arms; `tests` returns values for those that can be misjudged only.
    tests : callable
        ``tests(log_price)``: errors and expected samples of the best tests at that price.
    budget : float
        :math:`T \ge 0`.
    start, tolerance : float
        A guess of the logarithm of the price, and how far the one found may be off; the limit is off by its square.
    """
    kept, budget = arms.judged, checked_budget(budget)
    costs, pull_costs = arms.costs[kept], arms.pull_costs[kept]
    errors, counts, price = np.full(costs.size, 0.5), np.zeros(costs.size), math.inf
    loss = 0.5 * float(costs.sum())
    if budget > 0.0 and costs.size:

        def spending(at: float) -> float:
            return float(pull_costs @ tests(at)[1])

        price = log_price(spending, budget=budget, start=start, tolerance=tolerance)
        errors, counts = tests(price)
        # Where spending jumps over the budget it does not meet it, and the price of the difference belongs to the
        # limit.
        over = float(pull_costs @ counts) - budget
        loss = min(loss, max(float(costs @ errors) + math.exp(min(price, 700.0)) * over, 0.0))
    return Limit(loss, price, _at(kept, errors), _at(kept, counts))


def _at(kept: Bools, values: Floats) -> Floats:
    full = np.zeros(kept.size)
    full[kept] = values
    return full
