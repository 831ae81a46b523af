r"""What was seen of arms beside a control: verdicts, differences from the bar, and the arms as ones with a known bar.

With a control, arm `k` is above if :math:`d_k = \mu_k - c \mu_0 - m > 0`. Everything here is about the arms that get a
verdict (``question.judged``), in their order.

The chance of error of a verdict follows from the likelihood ratio of the pair of means on the bar, :math:`e^{-x_k}`
(:mod:`thresher.index.difference`): that of :math:`\nu_k` normal samples at the distance
:math:`\pm \sqrt{2 x_k/\nu_k}`. The arms are treated as such arms with a known bar, :func:`compared`. The population is
fitted as if they were independent, which the common control makes them not quite be.
"""

from __future__ import annotations

import numpy as np

from thresher.errors import InvalidInputError
from thresher.index.difference import ToldOutcomes, bar_of_rates, certain_difference, difference
from thresher.index.evidence import KL, SQUARED, STUDENT
from thresher.jit import njit
from thresher.policy.likelihood import spreads_of
from thresher.policy.seen import Seen
from thresher.problem import Control, Question, sizes_of
from thresher.problem.family import BERNOULLI, BOUNDED, UNKNOWN_VARIANCE
from thresher.types import Floats, Ints


def control_in(question: Question) -> Control:
    """Return the control of a question.

    Raises
    ------
    InvalidInputError
        If it has none.
    """
    if question.control is None:
        raise InvalidInputError("control", rule="the question has none", fix="compare with the thresholds")
    return question.control


def difference_sides(question: Question, seen: Seen) -> Ints:
    """Return the verdicts on the judged arms: 1 above, -1 below, 0 where the arm or the control was not told."""
    gaps = difference_means(question, seen)
    return np.where(np.isnan(gaps), 0, np.where(gaps > 0.0, 1, -1)).astype(np.int64)


def difference_means(question: Question, seen: Seen) -> Floats:
    """Return the empirical differences from the bar of the judged arms; NaN where one of the two was not told."""
    control, means = control_in(question), seen.means
    return np.asarray(means[question.judged] - control.ratio * means[control.arm] - control.margin)


def certain_differences(question: Question, seen: Seen) -> Ints:
    """Return the sides of the judged arms that what is left in the pools cannot change: 1, -1, or 0 for none."""
    control = control_in(question)
    if question.structure is None:
        return np.zeros(question.judged.size, dtype=np.int64)
    low, high = (question.low, question.high) if question.kind.has_range else (-np.inf, np.inf)
    sizes = sizes_of(question.structure, question.n_arms)
    told = [
        ToldOutcomes(float(count), float(total), 0.0, 0.0, 0.0, 1.0, float(size))
        for count, total, size in zip(seen.counts, seen.totals, sizes, strict=True)
    ]
    sides = [certain_difference(told[k], told[control.arm], control, low, high) for k in question.judged]
    return np.array(sides, dtype=np.int64)


def compared(question: Question, seen: Seen) -> tuple[Question, Seen]:
    """Return the judged arms as ones with the bar 0: effective samples, and the distance that their evidence gives.

    The chance of error, the population and decisions by it follow as for any other question. A tolerance is in the unit
    of the outcomes there, too.
    """
    control, judged = control_in(question), question.judged
    kind = {BERNOULLI: KL, UNKNOWN_VARIANCE: STUDENT}.get(question.kind, SQUARED)
    sigma = spreads_of(question, seen) if question.kind is BOUNDED else question.sigma
    samples, evidence = _effective(
        kind, control, judged, seen.counts, seen.totals, seen.squares, question.thresholds, 0.5 / sigma**2
    )
    gaps, samples = np.nan_to_num(difference_means(question, seen)), np.nan_to_num(samples)
    family = "gaussian-unknown-variance" if question.kind is UNKNOWN_VARIANCE else "gaussian"
    if question.kind is BERNOULLI:
        noise = _rate_noise(question, seen, control)
    elif question.kind is UNKNOWN_VARIANCE:
        noise = np.maximum(np.sqrt(seen.variances(question)[judged]), 1e-300)
    else:
        noise = sigma[judged]
    plain = Question.of(
        family, thresholds=np.zeros(judged.size), sigma=noise, costs=question.costs[judged],
        pull_costs=question.pull_costs[judged], arms=[question.arms[k] for k in judged],
    )  # fmt: skip
    if question.kind is BERNOULLI:
        with np.errstate(divide="ignore", invalid="ignore"):
            distances = np.where(samples > 0.0, np.sqrt(2.0 * evidence / samples), 0.0)
        gaps = np.sign(gaps) * noise * distances
    return plain, Seen(samples, samples * gaps, samples * (noise**2 + gaps**2))


@njit(cache=True)
def _effective(
    kind: int, control: Control, judged: Ints, counts: Floats, totals: Floats, squares: Floats, bars: Floats,
    precisions: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the effective samples and the evidence of the judged arms; 0 where nothing was told."""
    samples, evidence, place = np.zeros(judged.size), np.zeros(judged.size), control.arm
    other = ToldOutcomes(
        counts[place], totals[place], squares[place], 0.0, bars[place], precisions[place], np.inf, 0.0, 1.0
    )
    for i, k in enumerate(judged):
        if counts[k] > 0.0 and other.pulls > 0.0:
            arm = ToldOutcomes(counts[k], totals[k], squares[k], 0.0, bars[k], precisions[k], np.inf, 0.0, 1.0)
            known = difference(kind, arm, other, control, 0.0)
            samples[i], evidence[i] = known.samples, known.evidence
    return samples, evidence


@njit(cache=True)
def _bars(control: Control, judged: Ints, counts: Floats, totals: Floats) -> Floats:
    bars, place = np.full(judged.size, 0.5), control.arm
    for i, k in enumerate(judged):
        if counts[k] > 0.0 and counts[place] > 0.0:
            bars[i] = bar_of_rates(counts[k], totals[k], counts[place], totals[place], control.ratio, control.margin)
    return bars


def _rate_noise(question: Question, seen: Seen, control: Control) -> Floats:
    """Return the deviation of an outcome of each judged arm if it were on its bar; half a success keeps it above 0."""
    bars = control.ratio * _bars(control, question.judged, seen.counts, seen.totals) + control.margin
    known = seen.counts[question.judged] + seen.counts[control.arm]
    smooth = (known * np.clip(bars, 0.0, 1.0) + 0.5) / (known + 1.0)
    return np.asarray(np.sqrt(smooth * (1.0 - smooth)))
