"""A guarantee: how it decides, and what it promises."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from thresher.inference.bars import QuestionBar
from thresher.inference.chance_of_error import doubt_by
from thresher.inference.intervals import Intervals
from thresher.inference.posterior import Posterior
from thresher.martingales import tuned
from thresher.problem import Question, Statistics
from thresher.types import Bools, Floats, Ints

TUNED_AT = 50.0  # outcomes for which the level of a proved guarantee is tuned; stored sort keys depend on it
Decided = tuple[
    Bools, Callable[[Bools], Intervals]
]  # which arms are decided, and a function from that to their intervals
LevelToDecide = tuple[float, float, float]


def excluded(bars: Floats, sides: Ints, limits: Intervals, tolerance: float = 0.0) -> Bools:
    """Return whether the interval of each arm excludes every mean for which the verdict is wrong; False without one."""
    above, below = limits.low > bars - tolerance, limits.high <= bars + tolerance
    return np.where(sides > 0, above, np.where(sides < 0, below, False))


@dataclass(frozen=True, eq=False)
class GuaranteeCase:
    """What a guarantee decides by: the parameters of :func:`thresher.inference.decisions.decide`."""

    question: Question
    bar: QuestionBar
    seen: Statistics
    worth: Statistics
    sides: Ints
    posterior: Posterior
    risk: float
    levels: Floats
    tolerance: float

    @property
    def bars(self) -> Floats:
        """The number on each arm's bar, in the unit of the limits."""
        return self.bar.compared_limits

    @cached_property
    def p_wrong(self) -> Floats:
        """Chance that the verdict is wrong, at most ½."""
        return doubt_by(self.posterior, self.tolerance).of(self.sides)

    @cached_property
    def limits(self) -> Intervals:
        """Anytime-valid at level `risk`."""
        return self.bar.limits(self.seen, alpha=self.risk)

    @cached_property
    def is_proven(self) -> Bools:
        """Whether these exclude every mean for which the verdict is wrong."""
        return self.excluded(self.limits)

    def excluded(self, limits: Intervals) -> Bools:
        """Return whether limits exclude every mean for which the verdict is wrong."""
        return excluded(self.bars, self.sides, limits, self.tolerance)


class Guarantee(ABC):
    """What the risk of a decision refers to.

    Attributes
    ----------
    name : str
        As in files, on the command line and in databases.
    promise : str
        What it bounds, with ``{risk}`` in the place of the number.
    is_early : bool
        Whether the risk in force is smaller while budget is left, because it does not hold at every look.
    is_shared : bool
        Whether all arms share the risk.
    held_back_by : str
        Why an arm may be undecided although its chance of error is at most the risk in force, after "its"; empty if
        decisions do not go by the chance of error.
    """

    name: ClassVar[str]
    promise: ClassVar[str]
    is_early: ClassVar[bool] = False
    is_shared: ClassVar[bool] = False
    held_back_by: ClassVar[str] = ""

    @abstractmethod
    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which verdicts are decided, and a function that returns the interval behind each."""

    def valid_level(self, risk: float, n_arms: int) -> float | None:
        """Return the level of the intervals behind decisions if they are anytime-valid; None if they are not."""
        return None

    def missed(self, level: float, n_arms: int) -> float | None:
        """Return the chance that the interval behind a decision misses; None if it has none for each arm.

        `level` is the risk in force.
        """
        return self.valid_level(level, n_arms)

    def share(self, risk: float, n_arms: int) -> float:
        """Return about the level that the interval of one arm needs for a decision."""
        return risk

    def level_to_decide(self, risk: float, n_arms: int) -> LevelToDecide:
        r"""Return :math:`x^*`, :math:`\rho` and `mixing` of :func:`thresher.policy.goals.decide.decide_formula`."""
        share = self.share(risk, n_arms)
        return math.log(1.0 / share), tuned(TUNED_AT, share), 0.5
