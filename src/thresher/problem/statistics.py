"""The sufficient statistics of every arm: pulls, their sum, and their squares about the bar."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from thresher.errors import InvalidInputError
from thresher.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from thresher.martingales import Foreseen
    from thresher.problem.question import Question

ROUNDING = float(np.finfo(np.float64).eps)  # relative error of each of the `n` additions in a sum


@dataclass(frozen=True, eq=False)
class Statistics:
    r"""Pulls, sums and squares of every arm; each an array of shape (K,).

    For every family these are all that a likelihood depends on, whatever rule chose the pulls.

    Parameters
    ----------
    counts : ndarray of float64
        :math:`n_k \ge 0`, outcomes told.
    totals : ndarray of float64
        :math:`\sum_i X_i`.
    squares : ndarray of float64
        :math:`\sum_i (X_i - \theta_k)^2`.
    shared : ndarray of float64, optional
        Covariance of the error of each mean with that of the control's mean, if both answered the same items
        (:mod:`thresher.inference.bars.pairs`).
    layers : tuple of Statistics
        Where items may be asked several times: what was seen of the first outcome of each item, of the second, and so
        on. Empty otherwise.
    foreseen : Foreseen, optional
        Outcomes in the order in which items were asked, where signals foresaw them.

    Raises
    ------
    InvalidInputError
        If the shapes differ, or a number is not finite, or a count or a sum of squares is negative.
    """

    counts: Floats
    totals: Floats
    squares: Floats
    shared: Floats | None = None
    layers: tuple[Statistics, ...] = field(default=(), kw_only=True)
    foreseen: Foreseen | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for key in ("counts", "totals", "squares"):
            array = np.asarray(getattr(self, key), dtype=np.float64)
            if array.ndim != 1 or array.shape != np.shape(self.counts):
                raise InvalidInputError(f"shape of {key}", array.shape, rule="must be one number for each arm")
            if not np.isfinite(array).all() or (key != "totals" and (array < 0.0).any()):
                least = "" if key == "totals" else ", at least 0"
                raise InvalidInputError(key, array.tolist(), rule=f"must be finite numbers{least}")
            object.__setattr__(self, key, array)

    @property
    def means(self) -> Floats:
        """Empirical means, NaN where nothing was told. Adaptive sampling biases them a little."""
        return np.where(self.counts > 0.0, self.totals / np.where(self.counts > 0.0, self.counts, 1.0), np.nan)

    def variances(self, question: Question) -> Floats:
        r"""Return :math:`\hat\sigma_k^2 = \frac1n \sum_i (X_i - \hat\mu)^2`, shape (K,); 0 where nothing was told.

        It is at least what rounding may have hidden. Where a mean is :math:`10^8` deviations from the bar, the sums do
        not show the variance any more, and too small a one would leave the mean out of an interval.
        """
        counts = np.maximum(self.counts, 1.0)
        means = self.totals / counts
        gaps = means - question.thresholds
        hidden = ROUNDING * (self.squares + 2.0 * counts * np.abs(gaps) * (np.abs(means) + np.abs(question.thresholds)))
        return np.where(self.counts > 1.0, np.maximum(self.squares / counts - gaps**2, hidden), 0.0)

    def about(self, question: Question, bars: Floats) -> tuple[Floats, Floats]:
        r"""Return :math:`\sum_i (X_i - b_k)` and :math:`\sum_i (X_i - b_k)^2` about other bars, shape (K,) each."""
        moved = bars - question.thresholds
        sums = self.totals - self.counts * question.thresholds
        squares = np.maximum(self.squares - 2.0 * moved * sums + self.counts * moved**2, 0.0)
        return self.totals - self.counts * bars, squares

    def part(self, chosen: Ints | Bools | slice) -> Statistics:
        """Return the statistics of some of the arms, by their numbers or a mask."""
        shared = None if self.shared is None else self.shared[chosen]
        layers = tuple(layer.part(chosen) for layer in self.layers)
        foreseen = None if self.foreseen is None else self.foreseen.part(chosen)
        own = self.counts[chosen], self.totals[chosen], self.squares[chosen]
        return Statistics(*own, shared, layers=layers, foreseen=foreseen)

    @property
    def alone(self) -> Statistics:
        """The statistics of each arm, without the error that it shares with a control."""
        return Statistics(self.counts, self.totals, self.squares)
