"""Evidence: the outcomes of one arm as one number, for each family of outcomes."""

from __future__ import annotations

import math

from thresher.jit import njit

SQUARED, KL, STUDENT, TWO_POINT = 0, 1, 2, 3
EVIDENCES = {"squared": SQUARED, "kl": KL, "student": STUDENT, "two-point": TWO_POINT}
LARGEST = 1e12  # instead of infinity, so that no index becomes inf - inf


@njit(cache=True)
def squared_evidence(count: float, total: float, threshold: float, precision: float) -> float:
    r"""Return the evidence of an arm with Gaussian outcomes, or sub-Gaussian ones.

    .. math:: x = n (\hat\mu - \theta)^2 / (2\sigma^2)

    :cite:p:`ouhamma2021`, section 2; with σ = ½ for 0/1 outcomes and half the width for bounded ones (Hoeffding).

    Parameters
    ----------
    count : float
        :math:`n > 0`.
    total : float
        Sum of the outcomes.
    threshold : float
        :math:`\theta`.
    precision : float
        :math:`1/(2\sigma^2)`.
    """
    gap = total / count - threshold
    return count * gap * gap * precision


@njit(cache=True)
def kl_evidence(count: float, total: float, threshold: float) -> float:
    r"""Return the evidence of an arm with 0/1 outcomes, by the exact large-deviation rate.

    .. math:: x = n \operatorname{kl}(\hat\mu, \theta), \qquad
              \operatorname{kl}(p, q) = p \log \frac pq + (1-p) \log \frac{1-p}{1-q}

    Parameters
    ----------
    count : float
        :math:`n > 0`, pseudo-samples included.
    total : float
        Sum of the outcomes, pseudo-samples included.
    threshold : float
        :math:`0 < \theta < 1`.
    """
    mean = min(max(total / count, 0.0), 1.0)
    rate = 0.0
    if mean > 0.0:
        rate += mean * math.log(mean / threshold)
    if mean < 1.0:
        rate += (1.0 - mean) * math.log((1.0 - mean) / (1.0 - threshold))
    return count * max(rate, 0.0)


@njit(cache=True)
def student_evidence(count: float, total: float, squares: float, threshold: float) -> float:
    r"""Return the evidence of an arm with Gaussian outcomes of unknown variance; 0 below three samples.

    .. math:: x = \frac n2 \log\Big(1 + \frac{(\hat\mu - \theta)^2}{\hat\sigma^2}\Big), \qquad
              \hat\sigma^2 = \frac1n \sum_i (X_i - \hat\mu)^2

    Below three samples it would be infinite or close to it, and one extreme sample would lock the arm.

    Parameters
    ----------
    count : float
        :math:`n > 0`.
    total : float
        Sum of the outcomes.
    squares : float
        :math:`\sum_i (X_i - \theta)^2`.
    threshold : float
        :math:`\theta`.
    """
    if count < 3.0:
        return 0.0
    gap = total / count - threshold
    second = squares / count
    variance = second - gap * gap
    if variance <= 1e-300:
        return LARGEST if gap != 0.0 else 0.0
    return min(0.5 * count * math.log(second / variance), LARGEST)


@njit(cache=True)
def two_point_evidence(total: float) -> float:
    """Return the evidence of an arm of the paper's toy: none while it has shown only zeros, else all there can be."""
    return 0.0 if total == 0.0 else LARGEST


@njit(cache=True, inline="always")
def evidence_of(kind: int, count: float, total: float, squares: float, threshold: float, precision: float) -> float:
    """Return the evidence of one arm, by the code of its kind."""
    if kind == SQUARED:
        return squared_evidence(count, total, threshold, precision)
    if kind == KL:
        return kl_evidence(count, total, threshold)
    if kind == STUDENT:
        return student_evidence(count, total, squares, threshold)
    return two_point_evidence(total)


@njit(cache=True)
def evidence_in_flight(evidence: float, count: float, outstanding: float) -> float:
    r"""Return the expected evidence of an arm once its outstanding pulls have come back.

    .. math:: E[x'] = x (1 + m/n) + \frac{m}{2n}

    the second moment of the predictive distribution under a flat prior: :math:`n` told, :math:`m` outstanding.

    Parameters
    ----------
    evidence : float
        :math:`x` from what was told.
    count, outstanding : float
        :math:`n > 0` and :math:`m \ge 0`.
    """
    return evidence * (1.0 + outstanding / count) + 0.5 * outstanding / count
