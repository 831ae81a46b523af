r"""How far a budget is spent, and the chance of error at which arms are decided meanwhile.

People look at a running campaign and act on the first decision. So while budget is left, ``calibrated`` decides at
:math:`\text{risk} \cdot s`, where `s` is the share of the outcomes told: told / (told + those that the rest of the
budget can pay for). When the budget is spent, and in a closed campaign, it decides at the risk. An arm that was decided
when a budget was spent stays decided after an extension as long as its chance of error is at most the risk.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger.rows import CLOSED, Arm, Ledger
from thresher.types import Floats, Ints

LEAST_SHARE = 1e-9  # before the first outcome


class Progress(NamedTuple):
    """How far a budget is spent.

    Attributes
    ----------
    share : float
        `s` above: outcomes told, of all that the budget pays for.
    decided : collection of int
        Positions of the arms that were decided when an earlier budget was spent.
    """

    share: float = 1.0
    decided: Collection[int] = ()

    @property
    def is_spent(self) -> bool:
        """Whether nothing more can be told."""
        return self.share == 1.0

    def level(self, risk: float) -> float:
        """Return the chance of error up to which an arm is decided now."""
        return risk * max(self.share, LEAST_SHARE)

    def levels(self, risk: float, positions: Ints) -> Floats:
        """Return the same for some arms: the risk for those that were decided when a budget was spent."""
        return np.where(np.isin(positions, list(self.decided)), risk, self.level(risk))


def progress_of(ledger: Ledger, arms: Sequence[Arm], decided: Collection[int] = ()) -> Progress:
    """Return how far the budget is spent.

    What the rest pays for is reckoned at the mean cost of the arms that can be measured. Tickets in flight count as not
    told.
    """
    able = [arm for arm in arms if not arm.retired]
    rest = ledger.budget - ledger.spent
    if ledger.status == CLOSED or not able or rest < min(arm.pull_cost for arm in able):
        return Progress(1.0, decided)
    payable = rest * len(able) / max(sum(arm.pull_cost for arm in able), 1)
    if ledger.pools:
        payable = min(payable, sum(max(ledger.turns - arm.pulls, 0) for arm in able))
    return Progress(ledger.told / (ledger.told + payable) if payable else 1.0, decided)
