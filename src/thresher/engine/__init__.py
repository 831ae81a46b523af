"""Policy × problem → runs.

:mod:`reference` is the loop of the paper, to be read. The compiled kernels give the same, to the last bit: :mod:`sweep`
raises a level, :mod:`settle` ends a budget, :mod:`runs` does many runs and :mod:`in_flight` those with pulls
outstanding. :mod:`draws` gives the outcome of a pull, a function of (seed, run, arm, pull) alone; :mod:`judge`
counts mistakes.
"""

from thresher.engine.draws import Arms, arms_of, ticks_of
from thresher.engine.in_flight import run_in_flight
from thresher.engine.judge import LOSSES
from thresher.engine.runs import Counted, Question, run_allocation, run_at_random, run_index_policy

__all__ = [
    "LOSSES",
    "Arms",
    "Counted",
    "Question",
    "arms_of",
    "run_allocation",
    "run_at_random",
    "run_in_flight",
    "run_index_policy",
    "ticks_of",
]
