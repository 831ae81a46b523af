"""The rows that a campaign consists of: one ledger, its arms, its pulls, its answered requests.

Rows are values: a transition makes new ones. A storage keeps exactly these fields, in this order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

OPEN, PAUSED, CLOSED = "open", "paused", "closed"

OUT = "out"  # handed out; its unit is reserved
LAPSED = "lapsed"  # the lease ran out or the worker gave up; the unit went back to the pool
FORFEITED = "forfeited"  # the same, in a campaign whose lost units are spent
TOLD = "told"  # its outcome is in the statistics
UNUSED = "unused"  # its outcome came after the unit had been handed out again: kept, shown, not counted
VOID = "void"  # its outcome was taken out of the statistics; its unit stays spent

GENESIS = "0" * 64

# make(Arm, values) is a row of all its values. Rows are made by the hundred in a batch, and the constructor of a named
# tuple, which is a function of Python, takes twice as long.
make = tuple.__new__


class Ledger(NamedTuple):
    """What is common to all arms of a campaign; money is in whole millionths.

    Attributes
    ----------
    seq, at, hash : int, int, str
        Number, time (µs since 1970 by the database's clock) and seal of the last event.
    status : str
        ``open``, ``paused`` or ``closed``.
    budget, spent, reserved : int
        All there is; told, forfeited or voided; outstanding. The last two never exceed the first.
    opening : int
        What it costs to pull every arm as often as it must be first.
    arms, pulls, told, late : int
        How many arms; tickets handed out; outcomes in the statistics; outcomes that came late, used or not.
    """

    seq: int = 0
    at: int = 0
    hash: str = GENESIS
    status: str = OPEN
    budget: int = 0
    spent: int = 0
    reserved: int = 0
    opening: int = 0
    arms: int = 0
    pulls: int = 0
    told: int = 0
    late: int = 0

    @property
    def left(self) -> int:
        """What can still be handed out."""
        return self.budget - self.spent - self.reserved


class Arm(NamedTuple):
    """One arm: what was asked of it, and what was seen of it.

    Attributes
    ----------
    position : int
        0, 1, 2, …: ties go to the lowest.
    name : str
    threshold, sigma, cost : float
    pull_cost : int
        In whole millionths.
    pulls, outstanding : int
        Outcomes in the statistics; pulls handed out and not yet told.
    total, squares : float
        Sum of the outcomes and of their squared distances from the threshold, added in the order of the events.
    urgency : float
        The key by which arms are asked, least first: −∞ before the arm is opened, +∞ once it is retired.
    retired : int
        1 if it is not to be asked any more.
    """

    position: int
    name: str
    threshold: float
    sigma: float
    cost: float
    pull_cost: int
    pulls: int = 0
    outstanding: int = 0
    total: float = 0.0
    squares: float = 0.0
    urgency: float = -math.inf
    retired: int = 0


class Pull(NamedTuple):
    """One ticket, or one aggregate of outcomes, from the ask to the verdict.

    Attributes
    ----------
    number : int
        1, 2, 3, … in the order of asking; the ticket begins with it.
    ticket : str
    arm : int
        Position of the arm.
    state : str
        ``out``, ``lapsed``, ``forfeited``, ``told``, ``unused`` or ``void``.
    size : int
        Outcomes that it stands for: 1, or more for an aggregate.
    value, squares : float or None
        The outcome, or the sum of an aggregate; the latter's sum of squared distances from the threshold.
    since : int
        Number of the event from which the lease runs.
    told : int
        Number of the event that brought the outcome, 0 before; it orders the sums.
    late : int
        1 if the outcome came after the unit had been given up.
    """

    number: int
    ticket: str
    arm: int
    state: str = OUT
    size: int = 1
    value: float | None = None
    squares: float | None = None
    since: int = 0
    told: int = 0
    late: int = 0

    @property
    def has_outcome(self) -> bool:
        """Whether an outcome is stored, counted or not."""
        return self.state in (TOLD, UNUSED, VOID)


class Request(NamedTuple):
    """What the first call with an idempotency key did: the event it wrote, and the pulls it made."""

    key: str
    seq: int
    first: int
    made: int
