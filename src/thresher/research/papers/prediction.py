"""How long a reproduction will take, from a few runs of its own simulations."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import Found, Grid, Simulation

PREDICTED = 2_000  # runs from which a reproduction is predicted: with fewer, the prediction takes as long
PROBE = 50  # runs that are timed


class ProbeGrid(Grid):
    """A grid that runs each simulation a few times, to find what all its runs would take.

    Attributes
    ----------
    probed, predicted : float
        Seconds that its own runs took, and that those of the whole reproduction will take.
    """

    def __init__(self, *, runs: int, seed: int = 0) -> None:
        super().__init__(runs=PROBE, seed=seed, say=_say_nothing)
        self._whole, self.probed, self.predicted = runs, 0.0, 0.0

    def run(self, experiment: Simulation[Found]) -> Found:
        """Return the result of a few runs; the first one, which may have to compile, is not timed."""
        start = time.perf_counter()
        experiment.run(runs=1, seed=self.seed, progress=_show_nothing, say=_say_nothing)
        warm = time.perf_counter()
        found = super().run(experiment)
        end = time.perf_counter()
        self.probed += end - start
        self.predicted += (end - warm) * self._whole / PROBE
        return found


def predicted_seconds(figures: Sequence[PaperFigure], *, runs: int, seed: int = 0) -> float:
    """Return about how many seconds these figures will take: what is computed, and the runs of their simulations."""
    grid, start = ProbeGrid(runs=runs, seed=seed), time.perf_counter()
    for figure in figures:
        figure.panels(grid)
    return time.perf_counter() - start - grid.probed + grid.predicted


def prediction(figures: Sequence[PaperFigure], *, runs: int, seed: int = 0) -> str:
    """Return a sentence with the predicted time; empty for few runs, which take seconds."""
    if runs < PREDICTED:
        return ""
    minutes = predicted_seconds(figures, runs=runs, seed=seed) / 60.0
    words = "less than a minute" if minutes < 1.0 else f"about {math.ceil(minutes):,} minutes"
    return f"{runs:,} runs of each simulation: {words} on this machine"


def _show_nothing(done: int, whole: int) -> None:
    """Ignore progress."""


def _say_nothing(sentence: str) -> None:
    """Ignore a sentence: the reproduction itself repeats it."""
