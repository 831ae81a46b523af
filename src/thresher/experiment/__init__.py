"""Grids of runs → results: simulation over any executor, kept on disk and resumable.

:func:`simulate` is the whole of it for most users; a :class:`Result` has rows, paired comparisons, frames and pictures.
"""

from thresher.experiment.executors import EXECUTORS, executor_of
from thresher.experiment.result import Difference, Result, Row
from thresher.experiment.simulate import Interrupted, simulate

__all__ = ["EXECUTORS", "Difference", "Interrupted", "Result", "Row", "executor_of", "simulate"]
