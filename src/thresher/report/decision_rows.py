"""Protocols of an arm, a control and a campaign, for the texts, tables and pictures of decisions."""

from __future__ import annotations

from typing import Protocol


class HasDecision(Protocol):
    """A row about an arm."""

    @property
    def arm(self) -> str:
        """Its name."""

    @property
    def verdict(self) -> str:
        """``above``, ``below`` or ``undecided``."""

    @property
    def decision(self) -> str:
        """``pass``, ``fail`` or ``open``."""

    @property
    def proven(self) -> bool:
        """Whether the always-valid interval excludes the bar."""

    @property
    def within(self) -> bool:
        """Whether the mean is more likely than not within the tolerance."""

    @property
    def mean(self) -> float | None:
        """Of the outcomes."""

    @property
    def pulls(self) -> int:
        """How many outcomes."""

    @property
    def low(self) -> float:
        """Where the interval behind the decision begins."""

    @property
    def high(self) -> float:
        """Where it ends."""

    @property
    def valid_low(self) -> float:
        """Where the always-valid interval begins."""

    @property
    def valid_high(self) -> float:
        """Where it ends."""

    @property
    def p_wrong(self) -> float:
        """The chance of error of the verdict."""

    @property
    def threshold(self) -> float:
        """The bar."""


class HasStoredRow(HasDecision, Protocol):
    """A row about an arm of a stored campaign."""

    @property
    def retired(self) -> bool:
        """Whether it is no longer measured."""


class HasDifference(HasDecision, Protocol):
    """A row about an arm that is compared with a control; its interval is that of the difference."""

    @property
    def difference(self) -> float | None:
        """Its mean less that of the control."""

    @property
    def lift(self) -> float | None:
        """The difference in per cent of the control's mean."""

    @property
    def lift_low(self) -> float | None:
        """Where the interval of the lift begins."""

    @property
    def lift_high(self) -> float | None:
        """Where it ends."""


class HasShare(HasDecision, Protocol):
    """A row about an arm that is compared by a quantile; its interval is that of the share."""

    @property
    def share(self) -> float | None:
        """The share of its outcomes at or below its bar."""

    @property
    def quantile(self) -> float | None:
        """The quantile of its outcomes."""


class HasControl(Protocol):
    """What is known of a control."""

    @property
    def arm(self) -> str:
        """Its name."""

    @property
    def mean(self) -> float | None:
        """Of its outcomes."""

    @property
    def pulls(self) -> int:
        """How many outcomes."""

    @property
    def low(self) -> float:
        """Where the interval of its mean begins."""

    @property
    def high(self) -> float:
        """Where it ends."""


class HasSpending(Protocol):
    """What a campaign has spent."""

    @property
    def budget(self) -> float:
        """The budget."""

    @property
    def spent(self) -> float:
        """The budget spent."""

    @property
    def told(self) -> int:
        """How many outcomes there are."""

    @property
    def items(self) -> int:
        """How many items every arm can answer; 0 without items."""


class HasStanding(HasSpending, Protocol):
    """The state of a campaign."""

    @property
    def status(self) -> str:
        """``open``, ``paused``, ``closed``, ``archived`` or ``ended``."""

    @property
    def is_open(self) -> bool:
        """Whether there is something left to measure."""
