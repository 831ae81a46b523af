r"""The share of wrong decisions, at any stopping time.

The interval of an arm holds the bars that its two e-values do not refute to :math:`K / (\alpha \max(\hat k, 1))`, which
is the e-BY procedure :cite:p:`xu2022`: of the arms that are decided, at most a share α is expected to miss its mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thresher.inference.bars import QuestionBar
from thresher.inference.e_values import EValues
from thresher.inference.guarantees.guarantee import Decided, Guarantee
from thresher.inference.intervals import Intervals
from thresher.problem import Statistics
from thresher.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from thresher.inference.decisions import GuaranteeCase

DOUBLINGS, STEPS = 12, 30  # of the distance from the mean; then steps to the bar where refutation begins
NEARLY = 1e-6  # tolerance of the search, in nats above the threshold of refutation
WITHIN, MOST_EXCESS = (0.05, 0.95), 1e3  # of the way, a step of that search; nats
INSIDE = 1e-9  # least distance of tried bars from the ends of the range, as a share of the range


class Fdr(Guarantee):
    """e-BH: the false discovery rate is at most the risk."""

    name: ClassVar[str] = "fdr"
    promise: ClassVar[str] = "a false discovery rate of at most {risk}"

    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which verdicts the largest e-values support."""

        def interval(is_decided: Bools) -> Intervals:
            n_decided = int(is_decided.sum())
            return e_by_intervals(case.bar, case.seen, case.limits, risk=case.risk, n_decided=n_decided)

        found = case.bar.e_values(case.seen, risk=case.risk, tolerance=case.tolerance)
        return e_bh(e_of(found, case.sides), risk=case.risk), interval

    def valid_level(self, risk: float, n_arms: int) -> float | None:
        """Return None: its intervals depend on how many arms are decided."""
        return None

    def share(self, risk: float, n_arms: int) -> float:
        """Return a quarter of the risk, about what the last of several discoveries needs."""
        return 0.25 * risk


def e_of(found: EValues, sides: Ints) -> Floats:
    """Return the logarithm of the e-value that supports each verdict, shape (K,); 0 where there is none."""
    return np.where(sides > 0, found.above, np.where(sides < 0, found.below, 0.0))


def e_bh(logs: Floats, *, risk: float) -> Bools:
    r"""Return which of K hypotheses to reject by e-values: the :math:`\hat k` largest, shape (..., K).

    .. math:: \hat k = \max \{ k : e_{(k)} \ge K / (\alpha k) \}

    The false discovery rate is at most α under any dependence :cite:p:`wangramdas2022`. Each arm has two hypotheses,
    but at most one of the two verdicts on it is wrong. So the wrong decisions are among K true hypotheses, each with an
    e-value of expectation at most 1, and it is K here and not 2K :cite:p:`xu2021`.

    Parameters
    ----------
    logs : ndarray of float64, shape (..., K)
        Logarithms of e-values; each row is a problem of its own.
    risk : float
        α in (0, 1).
    """
    places = np.arange(1, logs.shape[-1] + 1)
    order = np.argsort(-logs, axis=-1, kind="stable")
    enough = np.take_along_axis(logs, order, axis=-1) >= math.log(places.size / risk) - np.log(places)
    largest = np.where(enough, places, 0).max(axis=-1, keepdims=True)
    return np.asarray(np.argsort(order, axis=-1, kind="stable") < largest)


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
