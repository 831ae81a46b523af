"""A simple model of a campaign: lists and loops, everything computed again at each call."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thresher.campaign.ledger.item_order import ItemOrder
from thresher.policy import find_index_policy, index_in_flight, rule_of
from thresher.problem import Question, Structure


@dataclass
class ModelPull:
    """One ticket of the model."""

    arm: int
    ends: float
    state: str = "out"
    value: float | None = None
    item: int | None = None
    repeat: int = 1
    is_paid: bool = True
    cost: float | None = None  # what was charged; None for the pull cost of the arm
    due: float = 0.0  # what was told as its cost, or the pull cost of the arm


@dataclass
class CampaignModel:
    """What a campaign must do, without a database: whole pull costs, Gaussian outcomes.

    Parameters
    ----------
    arms : list of str
    thresholds : list of float
    costs : list of int
        Of one pull of each arm.
    budget : int
    lease : float
    expiry, policy : str
    seed : int
        Of the order of the items.
    pools : list of int
        How many items there were after each addition; empty without items.
    repeats : int
        How often an arm may be asked an item.
    """

    arms: list[str]
    thresholds: list[float]
    costs: list[int]
    budget: int
    lease: float
    expiry: str
    policy: str
    seed: int = 0
    pools: list[int] = field(default_factory=list)
    repeats: int = 1
    now: float = 0.0
    status: str = "open"
    pulls: dict[str, ModelPull] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)  # tickets in the order in which their outcomes came
    first: dict[str, float] = field(default_factory=dict)  # the first outcome of each ticket, also if it was amended
    retired: set[int] = field(default_factory=set)

    @property
    def spent(self) -> float:
        """Cost of what was told, voided or forfeited."""
        return self._cost("told", "void", "forfeited", "unused")

    @property
    def outstanding(self) -> float:
        """Cost of outstanding tickets."""
        return self._cost("out")

    @property
    def left(self) -> float:
        """What is left to pay for new tickets."""
        return self.budget - self.spent - self.outstanding

    def _cost(self, *states: str) -> float:
        paid = [pull for pull in self.pulls.values() if pull.state in states and pull.is_paid]
        return sum(self.costs[pull.arm] if pull.cost is None else pull.cost for pull in paid)

    def values(self, arm: int) -> list[float]:
        """Return the outcomes of an arm that count, in the order in which they were told."""
        found = [self.pulls[ticket] for ticket in self.told]
        return [pull.value for pull in found if pull.arm == arm and pull.state == "told" and pull.value is not None]

    @property
    def shares_items(self) -> bool:
        """Whether the keys of arms depend on what other arms answered, which is not modelled."""
        return bool(self.pools) and (self.policy in ("stopping", "lsa") or (self.repeats > 1 and self.policy != "apt"))

    def holder(self, arm: int, item: int | None, repeat: int) -> str | None:
        """Return the ticket that holds an item of an arm, for that time: issued, or told."""
        held = (t for t, pull in self.pulls.items() if (pull.arm, pull.item, pull.repeat) == (arm, item, repeat))
        return next((ticket for ticket in held if self.pulls[ticket].state in ("out", "told")), None)

    def free_items(self, arm: int) -> list[tuple[int, int]]:
        """Return the items of an arm that are neither issued nor told, and for which time, in its order."""
        if not self.pools:
            return []
        order = ItemOrder(self.seed, tuple(self.pools), self.repeats)
        turns = [tuple(order.at(arm, place)) for place in range(self.pools[-1] * self.repeats)]
        return [(item, repeat) for item, repeat in turns if self.holder(arm, item, repeat) is None]

    def expire(self) -> None:
        """Give up the pulls whose lease has expired."""
        for pull in self.pulls.values():
            if pull.state == "out" and pull.ends <= self.now:
                pull.state = "lapsed" if self.expiry == "reissue" else "forfeited"

    def next_arm(self) -> int | None:
        """Return the arm of the next ticket, or None."""
        if self.status != "open":
            return None
        return min(self.payable(), key=lambda arm: (self._index(arm), arm), default=None)

    def payable(self) -> list[int]:
        """Return the arms that can be asked."""
        arms = [arm for arm in range(len(self.arms)) if arm not in self.retired and self.costs[arm] <= self.left]
        return [arm for arm in arms if not self.pools or self.free_items(arm)]

    def _index(self, arm: int) -> float:
        values = self.values(arm)
        out = sum(pull.state == "out" and pull.arm == arm for pull in self.pulls.values())
        if not values and not out:
            return -math.inf
        if self.shares_items:
            return 0.0
        rule = _rule(self.policy, self.thresholds[arm], self.costs[arm], self.pools[-1] if self.pools else 0)
        total = squares = 0.0
        for value in values:
            total += value
            squares += (value - self.thresholds[arm]) * (value - self.thresholds[arm])
        # An arm on the bar comes after those never asked.
        return max(float(index_in_flight(rule, float(len(values)), total, squares, float(out))), -1.7e308)

    def tell(self, ticket: str, value: float, cost: float | None = None) -> tuple[bool, bool, float]:
        """Record an outcome that was not told before; return whether it is late, whether it counts, what is unpaid."""
        pull = self.pulls[ticket]
        late, due = pull.state != "out", self.costs[pull.arm] if cost is None else cost
        has = {"out": self.left + self.costs[pull.arm], "forfeited": self.costs[pull.arm]}.get(pull.state, self.left)
        fits = pull.state == "forfeited" or due <= self.left
        is_free = pull.item is None or self.holder(pull.arm, pull.item, pull.repeat) is None
        pull.state = "told" if not late or (fits and is_free) else "unused"
        pull.value, pull.due = value, due
        self.first[ticket] = value
        self.told.append(ticket)
        paid = min(due, has) if pull.state == "told" else 0
        if not (late and self.expiry == "forfeit"):  # what was forfeited stays spent, used or not
            pull.cost = paid
        return late, pull.state == "told", 0 if cost is None else max(due - paid, 0)

    def extend(self, more: int) -> None:
        """Add to the budget; it pays late outcomes, in the order in which they came."""
        self.budget += more
        if self.expiry == "forfeit":
            return
        used = []
        for ticket in [ticket for ticket in self.told if self.pulls[ticket].state == "unused"]:
            pull = self.pulls[ticket]
            is_free = pull.item is None or self.holder(pull.arm, pull.item, pull.repeat) is None
            if is_free and pull.due <= self.left:
                pull.state, pull.cost = "told", pull.due
                used.append(ticket)
        by_number = sorted(used, key=lambda ticket: int(ticket.split("-")[0]))
        self.told = [ticket for ticket in self.told if ticket not in used] + by_number

    def pulls_in(self, *states: str) -> list[str]:
        """Return the tickets in these states."""
        return [ticket for ticket, pull in self.pulls.items() if pull.state in states]


def _rule(policy: str, threshold: float, cost: int, items: int) -> Any:
    structure = Structure(np.array([items]), np.ones((1, items), np.bool_)) if items else None
    question = Question.of("gaussian", thresholds=[threshold], pull_costs=[cost], structure=structure)
    return rule_of(find_index_policy(policy).rank(question), 0)
