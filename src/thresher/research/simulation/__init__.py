"""Simulations and plans: grids of runs on any executor, stored and resumable.

Most users need :func:`simulate` only; a :class:`Result` has rows, paired comparisons, frames and pictures.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.research.simulation.arguments import runs_of
    from thresher.research.simulation.bench import bench
    from thresher.research.simulation.chunks import Progress
    from thresher.research.simulation.executors import EXECUTORS, executor_of
    from thresher.research.simulation.expected_time import expected_seconds
    from thresher.research.simulation.judge_saving import JudgeSaving, check_judge, judge_saving
    from thresher.research.simulation.limits import limit_of
    from thresher.research.simulation.pilot import pilot_problem
    from thresher.research.simulation.plan import Plan, assumed_problem, plan, with_costs, with_items
    from thresher.research.simulation.result import Difference, OutputTime, Result, Row, strict
    from thresher.research.simulation.simulation import Interrupted, about, simulate
    from thresher.research.simulation.stop_price import StopCost, stop_costs
    from thresher.research.simulation.warm_up import Say

import_lazily(__name__)

__all__ = [
    "EXECUTORS",
    "Difference",
    "Interrupted",
    "JudgeSaving",
    "OutputTime",
    "Plan",
    "Progress",
    "Result",
    "Row",
    "Say",
    "StopCost",
    "about",
    "assumed_problem",
    "bench",
    "check_judge",
    "executor_of",
    "expected_seconds",
    "judge_saving",
    "limit_of",
    "pilot_problem",
    "plan",
    "runs_of",
    "simulate",
    "stop_costs",
    "strict",
    "with_costs",
    "with_items",
]
