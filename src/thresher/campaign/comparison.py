"""All arms of a campaign beside its control: what a pull of each is worth, as the simulator computes it.

An arm's key depends on the control, and the control's key on all arms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from thresher.campaign.rows import Arm
from thresher.policy import Ranking, control_keys
from thresher.policy.ranking import LARGEST
from thresher.problem import Control
from thresher.types import Floats


class Comparison:
    """The statistics of all arms of a campaign with a control, to rank them.

    A retired arm is not measured, and the control is not measured for its sake.

    Parameters
    ----------
    arms : sequence of Arm
        All arms, by position.
    ranking, control, pull_costs : Ranking, Control, ndarray of float64
        Of the arms that are not retired, the control among them.
    first_pulls : int
        With which every arm begins.
    items : float
        How many items an arm can answer; infinite without items.
    """

    def __init__(
        self,
        arms: Sequence[Arm],
        ranking: Ranking,
        control: Control,
        pull_costs: Floats,
        *,
        first_pulls: int,
        items: float,
    ) -> None:
        self._ranking, self._control, self._pull_costs = ranking, control, pull_costs
        self._first_pulls, self._items = first_pulls, items
        columns = zip(*((arm.pulls, arm.outstanding, arm.total, arm.squares) for arm in arms), strict=True)
        self._pulls, self._outstanding, self._totals, self._squares = (np.array(x, dtype=np.float64) for x in columns)
        self._active = np.array([not arm.retired for arm in arms])

    def keys(self) -> Floats:
        """Return the sort key of every arm, by position: the least is asked next, ties go to the lowest position."""
        active, asked = self._active, self._pulls + self._outstanding
        told = (column[active] for column in (self._pulls, self._totals, self._squares, self._outstanding))
        found = control_keys(self._ranking, self._control, self._pull_costs, *told)
        keys = np.full(asked.size, math.inf)
        keys[active] = np.where(np.isnan(found), LARGEST, found)  # of a user-defined formula: the last one
        keys[active & (asked < self._first_pulls)] = -math.inf
        keys[asked >= self._items] = math.inf
        return keys

    def reserve(self, position: int) -> None:
        """Count one more outstanding pull of an arm."""
        self._outstanding[position] += 1.0
