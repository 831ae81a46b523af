"""A policy: it declares its needs and abilities, and binds itself to a problem as a rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thresher.policy.rule import Rule

if TYPE_CHECKING:
    from thresher.problem import Problem

ANY_MISTAKE: str = "any mistake"
FALSE_SHARE: str = "share of false outputs"
ANY_FALSE: str = "any false output"

# Why a policy cannot play a problem with a control, and what to do.
NO_CONTROL_PLAY = (
    "it compares each arm with a bar that is known, and here a control is the bar",
    "use stopping, lsa, fwt, fwt-sqrt or uniform",
)


@dataclass(frozen=True)
class Traits:
    """The needs and abilities of a policy.

    Attributes
    ----------
    needs_truth : bool
        It is given the true gaps: only for simulations on fixed means.
    needs_horizon : bool
        It is given the number of pulls in the budget, so every budget has its own runs.
    needs_all_arms : bool
        Its choice depends on all arms; otherwise the score of an arm depends on that arm alone.
    in_flight : bool
        It can choose while pulls are outstanding.
    peak : bool
        It can be judged at the paper's t_max.
    price : bool
        It has a price, so that a run can stop once no measurement reaches it.
    promise : str
        For a policy that stops by itself: what it keeps at the error rate or below (:data:`ANY_MISTAKE`,
        :data:`FALSE_SHARE`, :data:`ANY_FALSE`). Empty for a policy that spends a budget.
    """

    needs_truth: bool = False
    needs_horizon: bool = False
    needs_all_arms: bool = True
    in_flight: bool = True
    peak: bool = False
    price: bool = False
    promise: str = ""

    @property
    def stops(self) -> bool:
        """Whether it stops by itself, at an error rate, instead of spending a budget."""
        return bool(self.promise)

    @property
    def needs(self) -> str:
        """What it must be told, in words: the truth, the horizon, both or nothing."""
        told = (("the truth", self.needs_truth), ("the horizon", self.needs_horizon))
        return " and ".join(word for word, is_needed in told if is_needed)


@dataclass(frozen=True)
class Stop:
    """When a run ends.

    Attributes
    ----------
    budget : float
        What it may spend, in the unit of the pull costs.
    price : float
        Stop before that once no measurement saves this much cost per unit of budget; 0 spends the whole budget.
    alpha : float
        The error rate at which a policy stops by itself; 0 for a policy that spends a budget.
    """

    budget: float
    price: float = 0.0
    alpha: float = 0.0


class Policy(ABC):
    """A rule that chooses the next arm and gives the verdicts at the end.

    Attributes
    ----------
    name : str
        What results call it; the text by which :func:`thresher.policy.find_policy` finds it.
    """

    name: str

    @property
    @abstractmethod
    def traits(self) -> Traits:
        """What it needs and what it can do."""

    @abstractmethod
    def why_not(self, problem: Problem) -> str | None:
        """Return why it cannot play a problem, or None."""

    @abstractmethod
    def bind(self, problem: Problem, stop: Stop) -> Rule:
        """Return the rule by which engines play it.

        Raises
        ------
        InvalidInputError
            If it cannot play the problem, or the budget or the error rate does not suffice.
        """

    @property
    def is_own(self) -> bool:
        """Whether the user wrote it, or a part of it."""
        return False

    def check_budget(self, problem: Problem, budget: float) -> None:
        """Raise InvalidInputError if a budget does not suffice for this policy; any does unless a policy says so."""
        del problem, budget

    def least_budget(self, problem: Problem) -> float:
        """Return the least budget with which it can play a problem."""
        return problem.least_budget

    @abstractmethod
    def identity(self) -> object:
        """Return what distinguishes it from another policy of the same name, the same in every process."""
