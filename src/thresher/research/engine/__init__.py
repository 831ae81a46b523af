"""Runs of a policy on a problem: a readable reference, a compiled driver and the fast level sweep.

:mod:`reference` is a readable loop that runs any rule. Two compiled engines give the same results, bit for
bit: :mod:`driver` is that loop, and the level sweep (:mod:`sweep`, :mod:`settle`, :mod:`runs`) is the fast path for
policies that rank each arm separately. :mod:`run` chooses between them. :mod:`draws` computes the outcome of a pull,
a function of (seed, run, arm, pull) only; :mod:`judge` counts mistakes.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.research.engine.counted import RunCounts, after
    from thresher.research.engine.draws import Arms, arms_of
    from thresher.research.engine.losses import LOSSES, Loss
    from thresher.research.engine.options import SimulationOptions, whole_number
    from thresher.research.engine.run import (
        DRIVER,
        KERNELS,
        REFERENCE,
        SWEEP,
        BoundPolicy,
        bind_policy,
        run_policy,
    )

import_lazily(__name__)

__all__ = [
    "DRIVER",
    "KERNELS",
    "LOSSES",
    "REFERENCE",
    "SWEEP",
    "Arms",
    "BoundPolicy",
    "Loss",
    "RunCounts",
    "SimulationOptions",
    "after",
    "arms_of",
    "bind_policy",
    "run_policy",
    "whole_number",
]
