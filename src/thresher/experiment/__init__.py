"""Grids of runs → results: simulation over any executor, kept on disk and resumable.

:func:`simulate` is the whole of it for most users; a :class:`Result` has rows, paired comparisons, frames and pictures.
:func:`league` lets all policies play a suite of problems.
"""

from thresher.experiment.executors import EXECUTORS, executor_of
from thresher.experiment.leagues import Cell, League, Standing, league
from thresher.experiment.result import Difference, OutputTime, Result, Row
from thresher.experiment.simulation import Interrupted, simulate
from thresher.experiment.stop_price import StopCost, stop_costs
from thresher.experiment.suite import Entry

__all__ = [
    "EXECUTORS",
    "Cell",
    "Difference",
    "Entry",
    "Interrupted",
    "League",
    "OutputTime",
    "Result",
    "Row",
    "Standing",
    "StopCost",
    "executor_of",
    "league",
    "simulate",
    "stop_costs",
]
