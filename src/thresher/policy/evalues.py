r"""One-sided e-processes: for each arm, how strongly its outcomes refute that its mean is on one side of a bar.

An e-process against a hypothesis is nonnegative and has expectation at most 1 at every stopping time if the hypothesis
is true. The two-sided martingale of :mod:`thresher.policy.intervals` tests :math:`\mu = b` and is not one against
:math:`\mu \le b`. These are mixtures over alternatives on the other side of the bar alone. For each such alternative
the likelihood ratio to the bar grows with the outcome, so its expectation is at most 1 under every mean on the
refuted side, and a mixture of supermartingales is a supermartingale. That holds if each next outcome has the mean of
its arm given all that was seen before, of every arm: arms may depend on each other, and any rule may choose the pulls.

Where the variance is unknown the process is one in the filtration of the arm's outcomes up to their unit
(:mod:`thresher.policy.student`). A stopping time may depend on more than that, so it is lifted:
:math:`E \mapsto (E - 1 - \log E)/\log^2 E`, which makes an e-value at every random time out of a process that reaches
:math:`1/p` with probability at most `p` :cite:p:`vovk2021`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from thresher.policy.intervals import bernoulli_refutations, pseudo_samples
from thresher.policy.pool_intervals import certain_sides, effective_counts, hoeffding_variances, log_e_of_pools
from thresher.policy.seen import Seen
from thresher.policy.student import log_side
from thresher.problem import Question, sizes_of
from thresher.problem.family import BERNOULLI, BOUNDED, GAUSSIAN, UNKNOWN_VARIANCE
from thresher.types import Floats

SLOPES = 0.95 * 0.5 ** np.arange(8)  # of the Bernstein supermartingales


class EValues(NamedTuple):
    """Logarithms of the two e-values of each arm, shape (K,) each; 0 without outcomes, minus infinity for an e of 0.

    Attributes
    ----------
    above : ndarray of float64
        Against a mean at or below the bar: evidence that the arm is above.
    below : ndarray of float64
        Against a mean at or above the bar.
    """

    above: Floats
    below: Floats


def e_values(question: Question, seen: Seen, *, risk: float, tolerance: float = 0.0) -> EValues:
    r"""Return the e-values of both sides of every arm's bar.

    Parameters
    ----------
    question : Question
    seen : Seen
    risk : float
        In (0, 1), and chosen before the outcomes: it tunes how far off the alternatives are.
    tolerance : float
        :math:`\epsilon \ge 0`: `above` is against :math:`\mu \le \theta - \epsilon`, `below` against
        :math:`\mu \ge \theta + \epsilon`.
    """
    rho = pseudo_samples(risk)
    above = log_e_above(question, seen, question.thresholds - tolerance, rho)
    mirrored_question, mirrored = mirror(question, seen)
    return EValues(above, log_e_above(mirrored_question, mirrored, mirrored_question.thresholds - tolerance, rho))


def mirror(question: Question, seen: Seen) -> tuple[Question, Seen]:
    """Return the question and the outcomes with above and below exchanged.

    An outcome `x` becomes ``low + high - x`` in a family with a range, which maps the range onto itself, and ``-x`` in
    the others.
    """
    ends = sum_of_mirrored(question)
    flipped = replace(question, thresholds=ends - question.thresholds)
    return flipped, Seen(seen.counts, ends * seen.counts - seen.totals, seen.squares)


def sum_of_mirrored(question: Question) -> float:
    """Return what an outcome and its mirror image add up to: ``low + high`` in a family with a range, else 0."""
    return question.low + question.high if question.kind.has_range else 0.0


def log_e_above(question: Question, seen: Seen, bars: Floats, rho: float) -> Floats:
    """Return the logarithm of the e-value against a mean at or below a bar, for every arm, shape (K,).

    Parameters
    ----------
    question : Question
    seen : Seen
        With squares about the thresholds of the question.
    bars : ndarray of float64, shape (K,)
        Inside the range of the family.
    rho : float
        How concentrated the alternatives are, in outcomes.
    """
    if question.structure is not None:
        found = _pool(question, seen, bars, rho)
    elif question.kind is GAUSSIAN:
        found = _gaussian(seen.totals - seen.counts * bars, seen.counts, question.sigma, rho)
    elif question.kind is UNKNOWN_VARIANCE:
        found = lifted(_student(question, seen, bars))
    elif question.kind is BERNOULLI:
        found = _shares(seen.counts, seen.totals, bars, rho)
    elif question.kind is BOUNDED:
        found = _bounded(question, seen, bars, rho)
    else:
        found = np.where(seen.totals != 0.0, np.where(_two_point_means(seen) > bars, np.inf, -np.inf), 0.0)
    return np.where(seen.counts > 0.0, found, 0.0)


def _pool(question: Question, seen: Seen, bars: Floats, rho: float) -> Floats:
    """Return the logarithm of the e-value of arms with a finite pool; infinite where the side is certain."""
    sizes = sizes_of(question.structure, question.n_arms)
    sides = certain_sides(question, seen, bars)
    is_open = (sides == 0) & (seen.counts > 0.0)
    counts, pools = np.where(is_open, seen.counts, 1.0), np.where(is_open, sizes, 3.0)
    samples = effective_counts(counts, pools)
    sums = samples * (seen.totals / counts - bars)
    if question.kind is BERNOULLI:
        found = log_e_of_pools(pools, counts, np.where(is_open, seen.totals, 0.0), bars, rho)
    elif question.kind is UNKNOWN_VARIANCE:
        found = lifted(_student(question, seen, bars, samples))
    else:
        spread = hoeffding_variances(counts, pools) if question.kind is BOUNDED else samples
        found = _gaussian(sums, spread, question.sigma, rho)
    return np.where(sides == 0, found, np.where(sides > 0, np.inf, -np.inf))


def lifted(logs: Floats) -> Floats:
    r"""Return :math:`\log\big((E - 1 - \log E)/\log^2 E\big)` of :math:`\log E`, and :math:`\log \frac12` for E ≤ 1.

    That is the mixture over κ in (0, 1) of :math:`\kappa p^{\kappa - 1}` with :math:`p = 1/E`: it integrates to 1 over
    `p` from 0 to 1, and at :math:`p = 1` it is ½.
    """
    grown = np.maximum(logs, 1e-3)  # below, cancellation: there it is ½ within 1 in 3,000, and taken a hair low
    exact = grown + np.log1p(-(1.0 + grown) * np.exp(-grown)) - 2.0 * np.log(grown)
    return np.asarray(np.where(logs > 1e-3, exact, math.log(0.5)))


def _gaussian(sums: Floats, counts: Floats, sigma: Floats, rho: float) -> Floats:
    r"""Return the log of :math:`2 \Phi(S/\sqrt{n+\rho}) \sqrt{\rho/(n+\rho)} \, e^{S^2/(2(n+\rho))}`, S in units of σ.

    The mixture of :math:`e^{\delta S - n \delta^2/2}` over :math:`\delta \sim |N(0, 1/\rho)|`.
    """
    from scipy.special import log_ndtr

    scaled = sums / sigma / np.sqrt(counts + rho)
    return np.asarray(math.log(2.0) + log_ndtr(scaled) + 0.5 * np.log(rho / (counts + rho)) + 0.5 * scaled**2)


def _student(question: Question, seen: Seen, bars: Floats, samples: Floats | None = None) -> Floats:
    counts = np.maximum(seen.counts, 1.0)
    gaps = seen.totals / counts - bars
    deviations = np.sqrt(seen.variances(question))
    with np.errstate(divide="ignore", invalid="ignore"):
        effects = np.where(gaps == 0.0, 0.0, gaps / deviations)
    # One outcome has no spread, and tells nothing of the unit.
    return np.where(seen.counts >= 2.0, log_side(counts, effects, samples), 0.0)


def _shares(counts: Floats, totals: Floats, bars: Floats, rho: float) -> Floats:
    r"""Return the log of the mixture of :math:`(p/b)^s (q/(1-b))^{n-s}` over the part of Beta(ρb, ρ(1−b)) above `b`.

    For outcomes within [0, 1] each factor is convex in the outcome, hence at most the chord between its values at 0 and
    1: what is a supermartingale for 0/1 outcomes is one for them, too.
    """
    ones, zeros = rho * bars, rho * (1.0 - bars)
    sides = _log_beta_above(ones + totals, zeros + counts - totals, bars) - _log_beta_above(ones, zeros, bars)
    return np.asarray(bernoulli_refutations(bars, counts, totals, rho) + sides)


def _log_beta_above(ones: Floats, zeros: Floats, bars: Floats) -> Floats:
    """Return the logarithm of the probability that Beta(ones, zeros) is above a bar.

    Where it is too small for a float it is the first term of a series of positive terms, a hair low.
    """
    from scipy.special import betaincc, betaln

    with np.errstate(divide="ignore"):
        found = np.log(betaincc(ones, zeros, bars))
    first = ones * np.log(bars) + zeros * np.log1p(-bars) - np.log(zeros) - betaln(ones, zeros)
    return np.asarray(np.where(np.isfinite(found), found, first))


def _bounded(question: Question, seen: Seen, bars: Floats, rho: float) -> Floats:
    r"""Return the log of the mean of two mixtures: one that knows the mean alone, one that knows the variance too.

    The second is the mean over :data:`SLOPES` of :math:`\exp(\lambda \sum \xi_i - \psi(\lambda) \sum \xi_i^2)` with
    :math:`\xi = (X - b)/(b - \text{low}) \ge -1` and :math:`\psi(\lambda) = -\log(1-\lambda) - \lambda`. Each factor is
    at most :math:`1 + \lambda \xi` :cite:p:`fan2015`, so its expectation is at most 1 if the mean is at most `b`.
    """
    width = question.high - question.low
    places = (bars - question.low) / width
    totals = np.clip((seen.totals - question.low * seen.counts) / width, 0.0, seen.counts)
    sums, squares = seen.about(question, bars)
    unit = bars - question.low
    psi = -np.log1p(-SLOPES) - SLOPES
    parts = SLOPES * (sums / unit)[:, None] - psi * (squares / unit**2)[:, None]
    steep = np.logaddexp.reduce(parts, axis=1) - math.log(SLOPES.size)
    return np.asarray(np.logaddexp(_shares(seen.counts, totals, places, rho), steep) - math.log(2.0))


def _two_point_means(seen: Seen) -> Floats:
    """Return half of what an outcome other than 0 was; 0 where there was none."""
    return np.asarray(
        0.5 * np.divide(seen.squares, seen.totals, out=np.zeros_like(seen.totals), where=seen.totals != 0.0)
    )
