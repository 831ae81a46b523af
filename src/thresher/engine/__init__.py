"""Policy × problem → runs.

:mod:`reference` is the loop of the paper, to be read; :mod:`sweep` and :mod:`runs` are the compiled kernels that give the same, to the
last bit; :mod:`streams` and :mod:`draws` make the luck, a function of (seed, run, arm, pull) alone; :mod:`judge` counts mistakes.
"""

from thresher.engine.draws import Arms, arms_of, ticks_of
from thresher.engine.judge import LOSSES
from thresher.engine.runs import Counted, Question, run_allocation, run_at_random, run_index_policy

__all__ = ["LOSSES", "Arms", "Counted", "Question", "arms_of", "run_allocation", "run_at_random", "run_index_policy", "ticks_of"]
