r"""The interval behind a decision, under each guarantee.

* ``calibrated``: equal-tailed, with the level in force beyond each end, of the posterior that gives the chance of error
  (:mod:`thresher.inference.chance_of_error`). If something else keeps the arm undecided, it is the hull of that and the
  arm's own likelihood interval, below.
* ``anytime`` and ``fwer``: the anytime-valid interval at `risk` and at `risk / K`.
* ``fdr``: the bars that the two e-values of the arm do not refute to :math:`K / (\alpha \max(\hat k, 1))`, which is the
  e-BY procedure :cite:p:`xu2022`: of the arms that are decided, at most a share α is expected to miss its mean.

An arm is decided under ``calibrated`` only if its own outcomes speak for it: among arms that have shown the same, for
instance tests that never failed, all chances of error are equal, and a small change of the fitted population would
decide all of them or none. Of the log odds that a decision at level `l` needs, :math:`\log \frac{1 - l}{l}`,
a share :data:`OWN_SHARE` must be in the likelihood ratio of the arm itself: between its best mean and the best one for
which the verdict is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from thresher.inference.bars import QuestionBar, bar_of
from thresher.inference.intervals import Intervals, intervals
from thresher.inference.posterior import Posterior
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats, Ints

OWN_SHARE = 0.25  # of the log odds that a decision needs, what the arm's own outcomes must give
DOUBLINGS, STEPS = 12, 30  # of the distance from the mean, and at most towards the bar that is just refuted
NEARLY = 1e-6  # nats above what refutes a bar at which the search ends
WITHIN, MOST_EXCESS = (0.05, 0.95), 1e3  # of the way, a step of that search; nats
INSIDE = 1e-9  # of the range: bars that are tried are at least this far from its ends


def excluded(bars: Floats, sides: Ints, limits: Intervals, tolerance: float = 0.0) -> Bools:
    """Return whether the interval of each arm excludes every mean for which the verdict is wrong; False without one."""
    above, below = limits.low > bars - tolerance, limits.high <= bars + tolerance
    return np.where(sides > 0, above, np.where(sides < 0, below, False))


def own_intervals(question: Question, seen: Statistics, worth: Statistics, levels: Floats) -> Intervals:
    """Return the likelihood interval of each arm by its own outcomes, of distances from the bar.

    Parameters
    ----------
    question, seen, worth
        As of :func:`thresher.inference.decisions.decide`.
    levels : ndarray of float64, shape (K,)
        The chance of error at which the arm may be decided.
    """
    bar = bar_of(question)
    low, high = _own(*bar.known(worth), OWN_SHARE * np.log(np.maximum((1.0 - levels) / levels, 1.0)))
    ends = [end - bar.compared_limits for end in bar.attainable(seen)]
    return Intervals(np.clip(low, *ends), np.clip(high, *ends))


def _own(question: Question, worth: Statistics, drops: Floats) -> Intervals:
    if question.kind.tells_all:
        known = intervals(question, worth)
        gaps = known.low - question.thresholds
        return Intervals(np.where(np.isnan(gaps), -np.inf, gaps), np.where(np.isnan(gaps), np.inf, gaps))
    low, high = question.kind.likelihood(question, worth).within(drops)
    ends = np.stack([low, high], axis=1)
    points = np.where(np.isfinite(ends), ends, 0.0)
    places = question.kind.means_at(question, worth, points, slice(None)) - question.thresholds[:, None]
    return Intervals(*np.where(np.isfinite(ends), places, ends).T)


def posterior_intervals(
    posterior: Posterior, own: Intervals, levels: Floats, is_decided: Bools, tolerance: float
) -> Intervals:
    """Return the equal-tailed interval of each arm, of distances from the bar.

    Undecided arms whose interval has no mean on one side of the bar get the hull with their own likelihood interval, as
    do arms that say nothing.
    """
    tails = np.minimum(levels, 0.5)
    low, high = posterior.quantile(tails), posterior.quantile(1.0 - tails)
    is_held = ~is_decided & ((low > -tolerance) | (high <= tolerance) | np.isinf(own.high - own.low))
    return Intervals(
        np.where(is_held, np.minimum(low, own.low), low), np.where(is_held, np.maximum(high, own.high), high)
    )


def agreeing(interval: Intervals, bars: Floats, sides: Ints, is_decided: Bools, tolerance: float) -> Intervals:
    """Return intervals that agree with their decisions, without rounding errors; NaN where an end is infinite.

    The ends were found by search, the decisions by comparing chances or e-values with a level.
    """
    lowest, highest = np.nextafter(bars - tolerance, np.inf), bars + tolerance
    above, below = is_decided & (sides > 0), is_decided & (sides < 0)
    low = np.where(above, np.maximum(interval.low, lowest), interval.low)
    low = np.where(~is_decided & (sides > 0), np.minimum(low, bars - tolerance), low)
    high = np.where(below, np.minimum(interval.high, highest), interval.high)
    high = np.where(~is_decided & (sides < 0), np.maximum(high, np.nextafter(highest, np.inf)), high)
    low, high = np.where(below, np.minimum(low, high), low), np.where(above, np.maximum(low, high), high)
    is_known = np.isfinite(low) & np.isfinite(high)
    return Intervals(np.where(is_known, low, np.nan), np.where(is_known, high, np.nan))


def e_by_intervals(bar: QuestionBar, seen: Statistics, limits: Intervals, *, risk: float, n_decided: int) -> Intervals:
    r"""Return the hull of the bars that the e-values of each arm do not refute to :math:`K/(\alpha \max(\hat k, 1))`.

    Parameters
    ----------
    bar : QuestionBar
    seen : Statistics
    limits : Intervals
        Anytime-valid, at level `risk`: where the search begins.
    risk : float
        α.
    n_decided : int
        :math:`\hat k`, the arms that e-BH decides.
    """
    wanted = math.log(limits.low.size / (risk * max(n_decided, 1)))
    least, most = (end - bar.compared_limits for end in bar.attainable(seen))
    inside = INSIDE * np.nan_to_num(most - least, posinf=0.0)
    middles = np.nan_to_num(0.5 * (limits.low + limits.high) - bar.compared_limits, nan=0.0)
    starts = np.clip(middles, least + inside, most - inside)
    steps = np.nan_to_num(0.5 * (limits.high - limits.low), nan=1.0) + 1e-12

    def too_low(gaps: Floats) -> Floats:
        return bar.e_value(seen, 1, risk=risk, tolerance=-gaps) - wanted

    def too_high(gaps: Floats) -> Floats:
        return bar.e_value(seen, -1, risk=risk, tolerance=gaps) - wanted

    low = _refuted(too_low, starts, -steps, least + inside)
    high = _refuted(too_high, starts, steps, most - inside)
    # What is not refuted inside the range reaches its end.
    low, high = np.where(low <= least + inside, least, low), np.where(high >= most - inside, most, high)
    return Intervals(bar.compared_limits + low, bar.compared_limits + high)


def _refuted(excess: Callable[[Floats], Floats], starts: Floats, steps: Floats, ends: Floats) -> Floats:
    """Return the mean nearest to its start that is refuted, in the direction of the steps; without one the end.

    `excess` is how far the evidence against a mean is above the one that refutes it. It grows with the distance, about
    by its square, so the crossing is found by false position of its root (the Illinois variant).
    """
    clip = np.maximum if steps[0] < 0.0 else np.minimum
    kept, far = starts, clip(starts + steps, ends)
    at_kept, at_far = excess(kept), excess(far)
    for _ in range(DOUBLINGS):
        is_found = (at_far >= 0.0) | (far == ends)
        if is_found.all():
            break
        kept, at_kept = np.where(is_found, kept, far), np.where(is_found, at_kept, at_far)
        steps = np.where(is_found, steps, 2.0 * steps)
        far = np.where(is_found, far, clip(starts + steps, ends))
        at_far = excess(far)
    reached, low, high = at_far >= 0.0, _rooted(at_kept), _rooted(at_far)
    was_found = np.zeros(starts.size, np.int64)  # the side on which the last point was: 1 if it was refuted, -1 if not
    for _ in range(STEPS):
        if (~reached | (at_far <= NEARLY)).all():
            break
        share = np.clip(low / np.minimum(low - high, -1e-300), *WITHIN)
        middle = kept + share * (far - kept)
        at_middle = excess(middle)
        value, found = _rooted(at_middle), at_middle >= 0.0
        # Halve the value of an end that stays for the second time: it would hold the next point back.
        low = np.where(found, np.where(was_found > 0, 0.5 * low, low), value)
        high = np.where(found, value, np.where(was_found < 0, 0.5 * high, high))
        kept, far, at_far = (
            np.where(found, kept, middle),
            np.where(found, middle, far),
            np.where(found, at_middle, at_far),
        )
        was_found = np.where(found, 1, -1)
    return np.where(reached, far, ends)


def _rooted(excess: Floats) -> Floats:
    """Return the square root of numbers, with their sign, and finite."""
    bounded = np.clip(excess, -MOST_EXCESS, MOST_EXCESS)
    return np.asarray(np.sign(bounded) * np.sqrt(np.abs(bounded)))
