r"""Differences of arms from a control.

With a control, arm `k` is above if :math:`d_k = \mu_k - c \mu_0 - m > 0`. Everything here is about the arms that get a
verdict (``question.judged``), in their order.
"""

from __future__ import annotations

import numpy as np

from thresher.inference.control_evidence import ToldOutcomes, certain_difference
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints

MOST_SHARED = 0.9  # largest share of the variance of a mean, or of a difference, that pairs may explain


def difference_means(question: Question, seen: Statistics) -> Floats:
    """Return the empirical differences from the bar of the judged arms; NaN where one of the two was not told."""
    return gaps_of(question, seen.means)


def gaps_of(question: Question, means: Floats) -> Floats:
    """Return the differences from the bar that the judged arms have with these means of all arms."""
    control = question.known_control
    return np.asarray(means[question.judged] - control.ratio * means[control.arm] - control.margin)


def as_normal_arms(question: Question, seen: Statistics) -> tuple[Question, Statistics]:
    r"""Return the judged arms as normal arms of deviation 1 with the bar 0 and :math:`\nu_k` outcomes.

    .. math:: \frac{1}{\nu_k} = \frac{\sigma_k^2}{n_k} + c^2 \frac{\sigma_0^2}{n_0} - 2 c \kappa_k

    with the covariance :math:`\kappa_k` of the errors that arm and control share.
    """
    control, judged = question.known_control, question.judged
    errors, shared = _errors(question, seen)
    both = errors[judged] + control.ratio**2 * errors[control.arm]
    strengths = 1.0 / np.maximum(both - 2.0 * control.ratio * shared[judged], (1.0 - MOST_SHARED) * both)
    gaps = np.nan_to_num(difference_means(question, seen))
    plain = Question.of("gaussian", thresholds=np.zeros(judged.size), sigma=1.0)
    return plain, Statistics(strengths, strengths * gaps, strengths * (1.0 + gaps**2))


def given_control(question: Question, seen: Statistics, mean: float) -> Statistics:
    r"""Return the statistics of every arm given the mean of the control, which determines the shared errors.

    The mean of an arm is :math:`\hat\mu_k - \frac{\kappa_k}{V_0} (\hat\mu_0 - \mu_0)` with the variance
    :math:`V_k - \kappa_k^2/V_0`, where :math:`V` are the variances of the two means.
    """
    if seen.shared is None or seen.counts[question.known_control.arm] == 0.0:
        return seen
    place, means = question.known_control.arm, seen.means
    errors, shared = _errors(question, seen)
    explained = np.minimum(shared**2 / (errors * errors[place]), MOST_SHARED)
    moved = means - shared / errors[place] * (means[place] - mean)
    moved = np.clip(moved, *question.range)
    moved, counts = np.where(seen.counts > 0.0, moved, 0.0), seen.counts / (1.0 - explained)
    squares = seen.variances(question) + (moved - question.thresholds) ** 2
    return Statistics(counts, counts * moved, counts * squares)


def _errors(question: Question, seen: Statistics) -> tuple[Floats, Floats]:
    """Return the variance of the mean of each arm, and the covariance with that of the control."""
    with np.errstate(divide="ignore"):
        errors = question.kind.variances(question, seen) / seen.counts
    return errors, np.zeros(question.n_arms) if seen.shared is None else seen.shared


def certain_differences(question: Question, seen: Statistics) -> Ints:
    """Return the sides of the judged arms that the remaining items cannot change: 1, -1, or 0 for none."""
    control = question.known_control
    sizes = question.sampling.sizes(question.n_arms)
    if np.isinf(sizes).all():
        return np.zeros(question.judged.size, dtype=np.int64)
    low, high = question.range
    told = [
        ToldOutcomes(float(count), float(total), 0.0, 0.0, 0.0, 1.0, float(size))
        for count, total, size in zip(seen.counts, seen.totals, sizes, strict=True)
    ]
    sides = [certain_difference(told[k], told[control.arm], control, low, high) for k in question.judged]
    return np.array(sides, dtype=np.int64)
