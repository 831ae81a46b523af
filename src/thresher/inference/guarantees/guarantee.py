"""A guarantee: how it decides, and what it promises."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from thresher.inference.intervals import Intervals
from thresher.martingales import tuned
from thresher.types import Bools

if TYPE_CHECKING:
    from thresher.inference.decisions import GuaranteeCase

TUNED_AT = 50.0  # outcomes for which the level of a proved guarantee is tuned; stored sort keys depend on it
Decided = tuple[
    Bools, Callable[[Bools], Intervals]
]  # which arms are decided, and a function from that to their intervals
LevelToDecide = tuple[float, float, float]


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

    @abstractmethod
    def valid_level(self, risk: float, n_arms: int) -> float | None:
        """Return the level of the intervals behind decisions if they are anytime-valid; None if they are not."""

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
