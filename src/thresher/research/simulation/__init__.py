"""Simulations, plans and the league: grids of runs on any executor, stored and resumable.

Most users need :func:`simulate` only; a :class:`Result` has rows, paired comparisons, frames and pictures.
:func:`league` lets all policies play a suite of problems, :func:`read_league` reads a result and :func:`merge_leagues`
puts several into one.
"""

from thresher.experiment.executors import EXECUTORS, executor_of
from thresher.experiment.league_results import merge_leagues, read_league
from thresher.experiment.leagues import League, LeagueCell, LeagueStanding, league
from thresher.experiment.result import Difference, OutputTime, Result, Row
from thresher.experiment.simulation import Interrupted, simulate
from thresher.experiment.stop_price import StopCost, stop_costs
from thresher.experiment.suite import SuiteEntry

__all__ = [
    "EXECUTORS",
    "Difference",
    "Interrupted",
    "League",
    "LeagueCell",
    "LeagueStanding",
    "OutputTime",
    "Result",
    "Row",
    "StopCost",
    "SuiteEntry",
    "executor_of",
    "league",
    "merge_leagues",
    "read_league",
    "simulate",
    "stop_costs",
]
