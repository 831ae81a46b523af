"""A simple model of a campaign: lists and loops, everything computed again at each call."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from thresher.policy import find_index_policy, rule_of, urgency_in_flight
from thresher.problem import Question

_urgency = urgency_in_flight


@dataclass
class ModelPull:
    """One ticket of the model."""

    arm: int
    ends: float
    state: str = "out"
    value: float | None = None


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
    """

    arms: list[str]
    thresholds: list[float]
    costs: list[int]
    budget: int
    lease: float
    expiry: str
    policy: str
    now: float = 0.0
    status: str = "open"
    pulls: dict[str, ModelPull] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)  # tickets in the order in which their outcomes came
    first: dict[str, float] = field(default_factory=dict)  # the first outcome of each ticket, also if it was amended
    retired: set[int] = field(default_factory=set)

    @property
    def spent(self) -> int:
        """Cost of what was told, voided or forfeited."""
        return self._cost("told", "void", "forfeited")

    @property
    def outstanding(self) -> int:
        """Cost of outstanding tickets."""
        return self._cost("out")

    @property
    def left(self) -> int:
        """What is left to pay for new tickets."""
        return self.budget - self.spent - self.outstanding

    def _cost(self, *states: str) -> int:
        return sum(self.costs[pull.arm] for pull in self.pulls.values() if pull.state in states)

    def values(self, arm: int) -> list[float]:
        """Return the outcomes of an arm that count, in the order in which they were told."""
        found = [self.pulls[ticket] for ticket in self.told]
        return [pull.value for pull in found if pull.arm == arm and pull.state == "told" and pull.value is not None]

    def expire(self) -> None:
        """Give up the pulls whose lease has expired."""
        for pull in self.pulls.values():
            if pull.state == "out" and pull.ends <= self.now:
                pull.state = "lapsed" if self.expiry == "reissue" else "forfeited"

    def next_arm(self) -> int | None:
        """Return the arm of the next ticket, or None."""
        if self.status != "open":
            return None
        payable = [arm for arm in range(len(self.arms)) if arm not in self.retired and self.costs[arm] <= self.left]
        return min(payable, key=lambda arm: (self._urgency(arm), arm), default=None)

    def _urgency(self, arm: int) -> float:
        values = self.values(arm)
        out = sum(pull.state == "out" and pull.arm == arm for pull in self.pulls.values())
        if not values and not out:
            return -math.inf
        rule = _rule(self.policy, self.thresholds[arm], self.costs[arm])
        total = squares = 0.0
        for value in values:
            total += value
            squares += (value - self.thresholds[arm]) * (value - self.thresholds[arm])
        # An arm on the bar comes after those never asked.
        return max(float(_urgency(rule, float(len(values)), total, squares, float(out))), -1.7e308)

    def tell(self, ticket: str, value: float) -> tuple[bool, bool]:
        """Record an outcome that was not told before; return whether it is late and whether it counts."""
        pull = self.pulls[ticket]
        late = pull.state != "out"
        fits = self.costs[pull.arm] <= self.left
        pull.state = "told" if not late or pull.state == "forfeited" or fits else "unused"
        pull.value = self.first[ticket] = value
        self.told.append(ticket)
        return late, pull.state == "told"

    def pulls_in(self, *states: str) -> list[str]:
        """Return the tickets in these states."""
        return [ticket for ticket, pull in self.pulls.items() if pull.state in states]


def _rule(policy: str, threshold: float, cost: int) -> Any:
    question = Question.of("gaussian", thresholds=[threshold], pull_costs=[cost])
    return rule_of(find_index_policy(policy).rank(question), 0)
