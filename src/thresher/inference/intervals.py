r"""Anytime-valid intervals: for each arm, limits that leave its mean out at *any* time with probability at most α.

Each interval is the set of means that a test martingale has not refuted: a nonnegative process :math:`M_n(m)` that
starts at 1 and is a (super)martingale if `m` is the mean, so that :math:`P(\exists n: M_n(m) \ge 1/\alpha) \le \alpha`
(Ville). It holds at all times at once, whatever rule chose the pulls and whenever the interval is read. The martingales
are mixtures over alternatives, spread as if :math:`\rho` samples had shown them, and over several values of
:math:`\rho`, so that intervals are narrow at few outcomes and at many. Each family has its own
(:mod:`thresher.problem.families`); the formulas are in :mod:`thresher.martingales`.

The promise is for one arm at a time. For all K arms at once take ``alpha / K``. It is void if outcomes are left out or
changed because of their values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.problem import Question, Statistics
from thresher.types import Floats, Ints


class Intervals(NamedTuple):
    """Limits for the mean of every arm, each of shape (K,); NaN where no interval exists."""

    low: Floats
    high: Floats

    def sides(self, thresholds: Floats) -> Ints:
        """Return 1 where the whole interval is above the bar, -1 where it is not above it, 0 where it holds both."""
        return np.where(self.low > thresholds, 1, np.where(self.high <= thresholds, -1, 0))


def intervals(question: Question, seen: Statistics, *, alpha: float = 0.05) -> Intervals:
    """Return an interval for the mean of every arm that is valid at all times, under any choice of pulls.

    Parameters
    ----------
    question : Question
        Of family, thresholds, σ and range.
    seen : Statistics
        Outcomes told, shape (K,).
    alpha : float
        In (0, 1): the chance that the interval of an arm ever leaves its mean out is at most this.

    Raises
    ------
    InvalidInputError
        If `alpha` is not in (0, 1).
    """
    if not 0.0 < alpha < 1.0:
        raise InvalidInputError("alpha", alpha, rule="must be between 0 and 1 (exclusive)")
    return Intervals(*question.sampling.limits(question, seen, alpha))
