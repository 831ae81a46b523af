"""Grids of runs → results: simulation over any executor, kept on disk and resumable.

:func:`simulate` is the whole of it for most users; a :class:`Result` has rows, paired comparisons, frames and pictures.
:func:`league` lets all policies play a suite of problems, :func:`stopping_times` asks those that stop by themselves how
long they take.
"""

from thresher.experiment.executors import EXECUTORS, executor_of
from thresher.experiment.league import Cell, League, Standing, league
from thresher.experiment.result import Difference, Result, Row
from thresher.experiment.simulate import Interrupted, simulate
from thresher.experiment.stop_price import StopCost, stop_costs
from thresher.experiment.stopping_result import StoppingTimes, StopRow
from thresher.experiment.stopping_times import stopping_times
from thresher.experiment.suite import Entry

__all__ = [
    "EXECUTORS",
    "Cell",
    "Difference",
    "Entry",
    "Interrupted",
    "League",
    "Result",
    "Row",
    "Standing",
    "StopCost",
    "StopRow",
    "StoppingTimes",
    "executor_of",
    "league",
    "simulate",
    "stop_costs",
    "stopping_times",
]
