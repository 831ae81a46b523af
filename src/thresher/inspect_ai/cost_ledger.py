"""The budget of tokens or dollars that all tasks, models and processes of a bar share."""

from __future__ import annotations

import math
from threading import Lock
from typing import Any, TypeAlias

from inspect_ai.model._model import sample_total_cost, sample_total_tokens

from thresher.campaign import Campaign, Ticket
from thresher.campaign.storage import Storage
from thresher.errors import CampaignExistsError, InvalidInputError

UNITS = {"tokens": 100.0, "usd": 0.001}  # a reservation is a multiple of this
LEASE = 6 * 3600.0  # seconds after which what a killed process had reserved can be spent again
MOST_UNITS = 10_000  # of one reservation
READERS = {"tokens": sample_total_tokens, "usd": sample_total_cost}

TaskModel: TypeAlias = tuple[str, str]


def check_cost(cost: str | None) -> None:
    """Raise InvalidInputError unless samples cost one unit each, or tokens or dollars."""
    if cost is not None and cost not in READERS:
        rule = f"must be {' or '.join(READERS)}, or None: then each sample costs 1"
        raise InvalidInputError("cost", cost, rule=rule)


class CostLedger:
    """Reserves what a sample may cost, and charges what it has cost; its methods block and are safe in threads.

    The money is the budget of a campaign of its own, ``NAME tokens`` or ``NAME usd``, with one arm: tickets reserve,
    and an outcome is told with the cost of its sample. Several processes share it, and a later run goes on with it.

    Parameters
    ----------
    db : str or Storage
    name : str
        The name of the bar.
    cost : str
        ``tokens`` or ``usd``.
    budget : float
    """

    def __init__(self, db: str | Storage, name: str, *, cost: str, budget: float) -> None:
        self._lock, self._read, self._unit = Lock(), READERS[cost], UNITS[cost]
        self._largest: dict[TaskModel, float] = {}
        self._first: set[TaskModel] = set()  # arms whose first sample runs: until it ends, no other of the arm starts
        given: dict[str, Any] = {"budget": budget, "pull_costs": self._unit, "threshold": 0.5, "lease": LEASE}
        try:
            self.campaign = Campaign.create(db, f"{name} {cost}", arms=["samples"], **given)
        except CampaignExistsError:
            self.campaign = Campaign.open(db, f"{name} {cost}")
            if (more := budget - self.campaign.budget) > 0:
                self.campaign.extend(more, key=f"budget {budget!r}")
        self._refresh()

    def cost_here(self) -> float:
        """Return what the sample in whose context this is called has cost so far."""
        return float(self._read())

    def reserve(self, arm: TaskModel) -> list[Ticket]:
        """Reserve the largest cost seen of an arm; return nothing if that is too much.

        The first sample of an arm runs alone, and reserves the largest cost of all other arms, or the least amount.
        """
        with self._lock:
            if arm in self._first:
                return []
            largest = self._largest.get(arm, max(self._largest.values(), default=0.0))
            n = min(max(math.ceil(largest / self._unit), 1), MOST_UNITS)
            tickets = self.campaign.ask(n)
            if len(tickets) < n:
                self._charge(tickets, 0.0)
                tickets = []
            elif arm not in self._largest:
                self._first.add(arm)
            self._refresh()
            return tickets

    def settle(self, arm: TaskModel, tickets: list[Ticket], cost: float) -> None:
        """Charge the cost of a sample in place of what was reserved."""
        with self._lock:
            self._first.discard(arm)
            self._largest[arm] = max(cost, self._largest.get(arm, 0.0))
            self._charge(tickets, cost)
            self._refresh()

    def _charge(self, tickets: list[Ticket], cost: float) -> None:
        # The cost comes last: by then the other tickets have returned what they reserved.
        costs = [*[0.0] * (len(tickets) - 1), cost]
        if tickets:
            self.campaign.tell_many([(one, 1, each) for one, each in zip(tickets, costs, strict=True)])

    def _refresh(self) -> None:
        now = self.campaign.standing
        self.spent, self.outstanding = now.spent, now.outstanding
