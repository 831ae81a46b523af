"""Arms of a campaign versus its control: the value of a pull of each, as the simulator computes it.

An arm's key depends on the control, and the control's key on all arms. So keys are not stored: they are computed from
the statistics of all arms when they are needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from thresher.campaign.ledger.rows import Arm
from thresher.jit import quickest
from thresher.policy import ControlledArms, Ranking, control_keys, most_worth_pulls
from thresher.problem.bars import Control
from thresher.types import Floats

RANKING = 0.2  # milliseconds to rank one arm interpreted, about


class ControlRanking:
    """The statistics of all arms of a campaign with a control, to rank them.

    Parameters
    ----------
    arms : sequence of Arm
        All arms, by position.
    ranking, control, pull_costs : Ranking, Control, ndarray of float64
        Of all arms, the control among them.
    first_pulls : int
        With which every arm begins.
    items : float
        How many items an arm can answer; infinite without items.
    share : float
        Of the variance, what the arms' answers to the same items leave, as of the last refit; 1 before.
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
        share: float,
    ) -> None:
        self._ranking, self._control = ranking, control
        self._prices = np.array([arm.pull_cost for arm in arms])
        self._rows = list(arms)
        counts, totals, squares, outstanding, excess = (np.zeros(len(arms)) for _ in range(5))
        active, numbers = np.ones(len(arms), np.bool_), (float(first_pulls), float(items), float(share))
        self._arms = ControlledArms(counts, totals, squares, outstanding, excess, pull_costs, active, *numbers)
        self.update(arms)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, position: int) -> Arm:
        """Return an arm by its position."""
        return self._rows[position]

    def update(self, arms: Iterable[Arm]) -> None:
        """Replace the rows of some arms."""
        for arm in arms:
            self._rows[arm.position] = arm
            _put(self._arms, arm)

    def keys(self) -> list[float]:
        """Return the sort key of every arm, by position: the least is asked next, ties go to the lowest position."""
        rank = quickest(control_keys, RANKING * len(self))
        return list(rank(self._ranking, self._control, self._arms).tolist())

    def least(self, left: int) -> Arm | None:
        """Return the arm of least key that `left` can pay, with its key."""
        keys = np.where(self._prices <= left, self.keys(), np.inf)
        k = int(np.argmin(keys))
        return self._rows[k].rank(float(keys[k])) if keys[k] < np.inf else None

    def choose(self, changed: Iterable[Arm], *, left: int, wanted: int, ceiling: float) -> list[int]:
        """Return the positions of the arms to ask, in order; each ticket moves the key of the control, or of all arms.

        Rows in `changed` replace those of the same position. `left` is what the budget has, `ceiling` the largest key
        at which a pull pays.
        """
        told = ("counts", "totals", "squares", "outstanding", "excess", "is_active")
        arms = self._arms._replace(**{name: getattr(self._arms, name).copy() for name in told})
        for arm in changed:
            _put(arms, arm)
        numbers = np.int64(left), np.int64(wanted), float(ceiling)
        choose = quickest(most_worth_pulls, RANKING * len(self) * (1.0 + wanted / 3.0))
        return list(choose(self._ranking, self._control, arms, self._prices, *numbers).tolist())


def _put(arms: ControlledArms, arm: Arm) -> None:
    """Write the row of one arm into the arrays of all."""
    k = arm.position
    arms.counts[k], arms.totals[k], arms.squares[k] = arm.pulls, arm.total, arm.squares
    arms.outstanding[k], arms.is_active[k] = arm.outstanding, not arm.retired
    arms.excess[k] = arm.pulls * arm.centre - arm.effects
