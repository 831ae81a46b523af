"""Runs of a policy on a problem: a readable reference, a compiled driver and the fast level sweep.

:mod:`reference` is a readable loop that runs any rule. Two compiled engines give the same results, bit for
bit: :mod:`driver` is that loop, and the level sweep (:mod:`sweep`, :mod:`settle`, :mod:`runs`) is the fast path for
policies that rank each arm separately. :mod:`run` chooses between them. :mod:`draws` computes the outcome of a pull,
a function of (seed, run, arm, pull) only; :mod:`judge` counts mistakes.
"""

from thresher.engine.counted import RunCounts
from thresher.engine.draws import Arms, arms_of
from thresher.engine.judge import LOSSES, Loss
from thresher.engine.run import BoundPolicy, Setting, bind_policy, run_policy
from thresher.problem.money import ticks_of

__all__ = [
    "LOSSES",
    "Arms",
    "BoundPolicy",
    "Loss",
    "RunCounts",
    "Setting",
    "arms_of",
    "bind_policy",
    "run_policy",
    "ticks_of",
]  # fmt: skip
