r"""The difference of an arm from a control: effective samples, evidence, and what a pull of either adds.

The bar of arm `k` is :math:`c \mu_0 + m`, with :math:`\mu_0` the mean of the control. The distance
:math:`d = \mu_k - c \mu_0 - m` is known with the variance :math:`\sigma_k^2/n_k + c^2 \sigma_0^2/n_0`, as from

.. math:: \nu_k = \frac{1}{1/n_k + s/n_0}, \qquad s = c^2 \frac{\sigma_0^2}{\sigma_k^2}

draws of arm `k` with a known bar. A pull of the arm adds :math:`(\nu_k/n_k)^2`, a pull of the control adds
:math:`s (\nu_k/n_0)^2` to every arm. Drawn without replacement from a pool of `N`, :math:`1/n` is :math:`1/n - 1/N`,
and the gains stay what they are. Where arm and control answer the same items their means are adjusted for these
(:mod:`thresher.policy.shared_items`). If the share `r` of the variance is left then, the effective samples are
:math:`\nu_k/r`, and the gains are `r` times those that the formulas give for these samples.

The evidence is that of the pair of bars :math:`(c q + m, q)` that arm and control together refute least:

.. math:: x_k = \min_q \big[ x_k(c q + m) + x_0(q) \big],

with the evidence of one arm of :mod:`thresher.inference.evidence`: the logarithm of a likelihood ratio, with the means
that make the outcomes most likely if the arm is on its bar. For Gaussian outcomes it is
:math:`\nu_k d^2/(2\sigma_k^2)`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from thresher.inference.evidence import KL, LARGEST, SQUARED, evidence_in_flight, kl_evidence
from thresher.jit import njit
from thresher.problem.bars import Control

HALVINGS = 45  # halvings of the interval in which the pair of two rates is searched
REWEIGHTINGS = 12  # of the pair of two means of unknown variance
STEEPEST = 1e6  # largest ratio of estimated variances, in either direction


class ToldOutcomes(NamedTuple):
    r"""Statistics of one arm.

    Attributes
    ----------
    pulls, total, squares : float
        Outcomes, their sum, and their squares about the threshold.
    outstanding : float
        Pulls that were asked for and not told yet.
    threshold : float
        Where squares are counted from.
    precision : float
        :math:`1/(2\sigma^2)`; not used where σ is unknown.
    size : float
        Of the pool that it draws from without replacement; infinite for independent draws.
    excess : float
        What the sum would be higher by if the items of the arm were as hard as those of its pool; 0 without items.
    share : float
        Of the variance, what other arms' answers to the same items leave, of arm and control alike.
    """

    pulls: float
    total: float
    squares: float
    outstanding: float
    threshold: float
    precision: float
    size: float
    excess: float = 0.0
    share: float = 1.0


class KnownDifference(NamedTuple):
    """What an index is given of an arm that is compared with a control.

    Attributes
    ----------
    samples, evidence : float
        Effective samples and the evidence of these, as they are expected to be once outstanding pulls have come back.
    gain, control_gain : float
        What the next pull of the arm, and of the control, adds to the effective samples.
    """

    samples: float
    evidence: float
    gain: float
    control_gain: float


@njit(cache=True)
def difference(kind: int, arm: ToldOutcomes, other: ToldOutcomes, control: Control, pseudo: float) -> KnownDifference:
    r"""Return the effective samples and the evidence of the distance of an arm from the bar of a control.

    Parameters
    ----------
    kind : int
        Code of the kind of evidence: squared, kl or student.
    arm, other : ToldOutcomes
        Of the arm and of the control, at least one outcome each.
    control : Control
        :math:`c` and :math:`m`.
    pseudo : float
        Pseudo-samples at the pair of bars: with one, a chance first outcome does not lock out a 0/1 arm.
    """
    n, n_0 = arm.pulls + pseudo, other.pulls + pseudo
    s = _spread_ratio(kind, arm, other) * control.ratio * control.ratio
    plain = 1.0 / (1.0 / n + s / n_0)
    evidence = _evidence(kind, arm, other, control, plain, pseudo)
    left, left_0 = 1.0 - arm.pulls / arm.size, 1.0 - other.pulls / other.size
    if left <= 0.0 and left_0 <= 0.0:
        return KnownDifference(math.inf, math.inf, 0.0, 0.0)
    now = 1.0 / (arm.share * (left / n + s * left_0 / n_0))
    evidence *= now / plain
    if arm.outstanding > 0.0 or other.outstanding > 0.0:
        n, n_0 = n + arm.outstanding, n_0 + other.outstanding
        left, left_0 = left - arm.outstanding / arm.size, left_0 - other.outstanding / other.size
        later = 1.0 / max(arm.share * (left / n + s * left_0 / n_0), 1e-300)
        evidence, now = evidence_in_flight(evidence, now, later - now), later
    rate, rate_0 = now / n, now / n_0
    return KnownDifference(now, evidence, arm.share * (rate * rate), s * (arm.share * (rate_0 * rate_0)))


@njit(cache=True)
def gap_of(arm: ToldOutcomes, other: ToldOutcomes, control: Control) -> float:
    """Return how far the empirical mean of an arm is above the bar that the control's gives, adjusted for items."""
    return adjusted(arm) / arm.pulls - control.ratio * (adjusted(other) / other.pulls) - control.margin


@njit(cache=True)
def adjusted(told: ToldOutcomes) -> float:
    """Return the sum of the outcomes, adjusted for items."""
    return told.total + told.excess


@njit(cache=True)
def variance_of(told: ToldOutcomes) -> float:
    """Return the empirical variance of an arm's outcomes about their own mean."""
    gap = told.total / told.pulls - told.threshold
    return max(told.squares / told.pulls - gap * gap, 0.0)


@njit(cache=True)
def _spread_ratio(kind: int, arm: ToldOutcomes, other: ToldOutcomes) -> float:
    r"""Return :math:`\sigma_0^2/\sigma_k^2`; rates count as equally noisy."""
    if kind == SQUARED:
        return arm.precision / other.precision
    if kind == KL or arm.pulls < 3.0 or other.pulls < 3.0:
        return 1.0
    own, control = variance_of(arm), variance_of(other)
    if own <= 0.0 or control <= 0.0:
        return 1.0
    return min(max(control / own, 1.0 / STEEPEST), STEEPEST)


@njit(cache=True)
def _evidence(
    kind: int, arm: ToldOutcomes, other: ToldOutcomes, control: Control, samples: float, pseudo: float
) -> float:
    gap = gap_of(arm, other, control)
    if kind == SQUARED:
        return samples * gap * gap * arm.precision
    if kind == KL:
        bar = bar_of_rates(arm.pulls, adjusted(arm), other.pulls, adjusted(other), control.ratio, control.margin)
        own = control.ratio * bar + control.margin
        return _rate_evidence(arm, own, pseudo) + _rate_evidence(other, bar, pseudo)
    return _student(arm, other, control, gap)


@njit(cache=True)
def _rate_evidence(told: ToldOutcomes, bar: float, pseudo: float) -> float:
    """Return the evidence of an arm with outcomes 0 and 1, and with pseudo-samples at its bar."""
    if bar <= 0.0 or bar >= 1.0:  # only where every outcome is there
        return 0.0
    return kl_evidence(told.pulls + pseudo, adjusted(told) + pseudo * bar, bar)


@njit(cache=True)
def bar_of_rates(
    count: float, total: float, other_count: float, other_total: float, ratio: float, margin: float
) -> float:
    r"""Return the rate of the control that makes all outcomes most likely if the arm is on its bar.

    The `q` at which :math:`n_k \operatorname{kl}(\hat p_k, c q + m) + n_0 \operatorname{kl}(\hat p_0, q)` is least. The
    sum is convex in `q`, and its derivative times :math:`q (1-q) b (1-b)`, :math:`b = c q + m`, is a polynomial whose
    sign says on which side of `q` the least is.

    Parameters
    ----------
    count, total : float
        Outcomes of the arm, and how many of them are 1.
    other_count, other_total : float
        The same of the control.
    ratio, margin : float
        :math:`c > 0` and :math:`m`.
    """
    if ratio == 1.0 and margin == 0.0:
        return (total + other_total) / (count + other_count)
    rate, other = total / count, other_total / other_count
    least, most = max(0.0, -margin / ratio), min(1.0, (1.0 - margin) / ratio)
    there = (rate - margin) / ratio  # where the arm alone would have the bar
    low, high = min(max(min(there, other), least), most), min(max(max(there, other), least), most)
    for _ in range(HALVINGS):
        q = 0.5 * (low + high)
        bar = ratio * q + margin
        slope = ratio * count * (bar - rate) * q * (1.0 - q) + other_count * (q - other) * bar * (1.0 - bar)
        if slope > 0.0:
            high = q
        else:
            low = q
    return 0.5 * (low + high)


@njit(cache=True)
def _student(arm: ToldOutcomes, other: ToldOutcomes, control: Control, gap: float) -> float:
    r"""Return the evidence for unknown variances; 0 below three outcomes of either.

    With :math:`\frac n2 \log(1 + (\hat\mu - b)^2/\hat\sigma^2)` of each. The pair is found by weighing both means by
    :math:`n / (\hat\sigma^2 + (\hat\mu - b)^2)` again, each step of which lowers the sum.
    """
    if arm.pulls < 3.0 or other.pulls < 3.0:
        return 0.0
    own, fixed = variance_of(arm), variance_of(other)
    if own <= 1e-300 or fixed <= 1e-300:
        return LARGEST if gap != 0.0 else 0.0
    ratio = control.ratio
    moved, spread, spread_0 = 0.0, own, fixed  # how far the control's bar is above its mean
    for _ in range(REWEIGHTINGS):
        weight, weight_0 = ratio * ratio * arm.pulls / spread, other.pulls / spread_0
        moved = gap / ratio * weight / (weight + weight_0)
        apart = gap - ratio * moved
        spread, spread_0 = own + apart * apart, fixed + moved * moved
    found = 0.5 * arm.pulls * math.log(spread / own) + 0.5 * other.pulls * math.log(spread_0 / fixed)
    return min(found, LARGEST)


@njit(cache=True)
def certain_difference(arm: ToldOutcomes, other: ToldOutcomes, control: Control, low: float, high: float) -> int:
    """Return 1 or -1 if the side of the arm is certain, whatever the remaining items of arm and control show; else 0.

    Parameters
    ----------
    arm, other : ToldOutcomes
        Of the arm and of the control; infinite pools leave every side possible.
    control : Control
    low, high : float
        The range of outcomes; infinite if there is no limit.
    """
    if arm.size == math.inf or other.size == math.inf:
        return 0
    least, most = _ends(arm, low, high)
    other_least, other_most = _ends(other, low, high)
    if least > control.ratio * other_most + control.margin:
        return 1
    return -1 if most <= control.ratio * other_least + control.margin else 0


@njit(cache=True)
def _ends(told: ToldOutcomes, low: float, high: float) -> tuple[float, float]:
    """Return the least and the largest possible mean of a whole pool."""
    left = told.size - told.pulls
    if left <= 0.0:  # infinite limits would give 0 · ∞
        return told.total / told.size, told.total / told.size
    return (told.total + left * low) / told.size, (told.total + left * high) / told.size
