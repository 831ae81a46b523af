"""A loss of the user's own: a function of the mistakes of a run, the gaps and the mistake costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.problem import real
from thresher.research.engine import RunCounts
from thresher.types import Floats

LossFunction = Callable[[Floats, Floats, Floats], float]


@dataclass(frozen=True)
class OwnLoss:
    """A loss that is computed from the mistakes of every run; engines know nothing of it.

    Parameters
    ----------
    name : str
        What results call it.
    function : callable
        ``function(mistakes, gaps, costs)`` of arrays of shape (K,): 1 for a wrong verdict, ½ for none and 0 for a right
        one; how far each mean is above its bar; the mistake costs.
    """

    name: str
    function: LossFunction

    def judge(self, counted: RunCounts, costs: Floats) -> RunCounts:
        """Return the counts of runs with this loss in place of the one that the engines computed.

        Raises
        ------
        InvalidInputError
            If the function returns something else than a number.
        """
        mistakes, gaps, costs = mistakes_in(counted), counted.gaps.copy(), np.array(costs)
        for array in (mistakes, gaps, costs):
            array.flags.writeable = False  # a function that changes them would change the next run
        losses = np.empty(mistakes.shape[:2])
        for i, b in np.ndindex(losses.shape):
            losses[i, b] = self._number(self.function(mistakes[i, b], gaps[i], costs))
        return counted._replace(losses=losses)

    def _number(self, value: Any) -> float:
        number = real(value.item() if isinstance(value, np.generic) else value)
        if not math.isfinite(number):
            raise InvalidInputError(
                f"loss {self.name!r}", value, rule="must return a finite number for each run",
                fix="return a float, such as (mistakes * costs).sum()",
            )  # fmt: skip
        return number


def mistakes_in(counted: RunCounts) -> Floats:
    """Return the mistakes of every run by arm, shape (runs, budgets, K): 1, ½ or 0."""
    return np.asarray(counted.halves / 2.0)


def own_loss(loss: Any, alpha: float | None) -> OwnLoss | None:
    """Return the loss of the user's own, or None if `loss` is a name.

    Raises
    ------
    InvalidInputError
        If it comes with an error rate.
    """
    if not callable(loss):
        return None
    name = str(getattr(loss, "__name__", type(loss).__name__))
    if alpha is not None:
        raise InvalidInputError(
            "loss", name, rule=f"must not be given with alpha={exact(alpha)}: it is for policies that spend a budget",
            fix="leave loss out, or give budgets in place of alpha",
        )  # fmt: skip
    return OwnLoss(name, loss)
