"""What a process knows of a campaign whose last event it wrote: enough to write the next one without asking first."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from thresher.campaign import OUT, Change, State
from thresher.storage.protocol import Need, View
from thresher.storage.sql import NEVER

MOST_ROWS = 20_000  # beyond this all is forgotten, and what is needed is read again
MOST_DEMAND = 64
MORE_ARMS = 126  # arms read beyond those that an ask needs, so that the next ones need not read

Key: TypeAlias = tuple[float, int]  # (urgency, position): the order in which arms are asked
LOWEST: Key = (-math.inf, -1)
HIGHEST: Key = (math.inf, NEVER)


@dataclass
class Ahead:
    """Rows that are right as long as nobody else writes, which the database finds out.

    Parameters
    ----------
    view : View
        The rows, as of the ledger in it.
    calm, demand : int
        How many transactions of this process in a row nobody else wrote in between, and how many make it worth a try;
        the demand doubles whenever somebody else was faster.
    queue : list
        The arms of least urgency in their order.
    bound : tuple
        No arm that is not in the queue comes before this.
    deadline : int
        No lease runs out before this; an ask after that must look for lapsed ones.
    ended : list of int
        Pulls that the last transaction ended: whoever made it may look at them, the next one need not know them.
    """

    view: View
    calm: int = 0
    demand: int = 0
    queue: list[Key] = field(default_factory=list)
    bound: Key = LOWEST
    deadline: int = 0
    ended: list[int] = field(default_factory=list)

    @property
    def is_calm(self) -> bool:
        """Whether it is worth a try to write without reading first."""
        return self.calm >= self.demand

    @property
    def is_large(self) -> bool:
        """Whether so much is known that it is better forgotten."""
        return len(self.view.state.pulls) + len(self.view.state.arms) > MOST_ROWS

    def begin(self) -> None:
        """Begin a transaction: let go of what the last one ended."""
        state, expires = self.view
        state.forget(self.ended)
        for number in self.ended:
            expires.pop(number, None)
        self.ended = []

    def meets(self, need: Need) -> bool:
        """Return whether a decision can be made by what is known."""
        state = self.view.state
        if not self.is_calm or need.names or need.beside or self.is_large:
            return False
        if need.least:
            knows_enough = len(self.queue) >= need.least or self.bound == HIGHEST
            if not knows_enough or self.deadline <= state.ledger.at:
                return False
        return state.pulls.keys() >= {*need.pulls}

    def state_for(self, need: Need) -> State:
        """Return the state for a decision by what is known."""
        state = self.view.state
        state.least = tuple([position for _, position in self.queue[: need.least]])
        state.lapsed = ()
        return state

    def take(self, change: Change, *, at: int, lease: int) -> None:
        """Take in what a transaction wrote at that time."""
        state, expires = self.view
        self._reorder(state, change)
        state.absorb(change)
        seq, end = change.ledger.seq, at + lease
        expires.update([(number, end) for number, pull in change.pulls.items() if pull.since == seq])
        self.deadline = min(self.deadline, end)
        self.ended = [number for number, pull in change.pulls.items() if pull.state != OUT]

    def _reorder(self, state: State, change: Change) -> None:
        """Put changed arms where they belong, if that is in the queue."""
        queue, arms = self.queue, state.arms
        if 8 * len(change.arms) > len(queue):
            gone = {(arms[k].urgency, k) for k in change.arms if k in arms}
            come = [(arm.urgency, k) for k, arm in change.arms.items()]
            self.queue = sorted([key for key in queue if key not in gone] + [key for key in come if key <= self.bound])
            return
        for position, arm in change.arms.items():
            if position in arms:
                old = (arms[position].urgency, position)
                place = bisect_left(queue, old)
                if place < len(queue) and queue[place] == old:
                    del queue[place]
            new = (arm.urgency, position)
            if new <= self.bound:
                insort(queue, new)

    def join(self, view: View) -> None:
        """Take in rows that were read while nobody else wrote."""
        state, expires = self.view
        state.arms.update(view.state.arms)
        for pull in view.state.pulls.values():
            state.add_pull(pull)
        expires.update(view.expires)

    def line_up(self, least: Sequence[int], wanted: int, earliest: int | None) -> None:
        """Remember the arms of least urgency, of which so many were wanted, and when the first lease runs out."""
        arms = self.view.state.arms
        self.queue = [(arms[position].urgency, position) for position in least]
        self.bound = self.queue[-1] if len(self.queue) == wanted else HIGHEST
        self.deadline = NEVER if earliest is None else earliest


def after_reading(view: View, before: Ahead | None, need: Need, *, was_refused: bool) -> Ahead:
    """Return what is known once the rows of a view were read, given what was known before.

    Parameters
    ----------
    view : View
        What was read.
    before : Ahead, optional
        What was known.
    need : Need
        What was to be read.
    was_refused : bool
        Whether the database refused to write by what was known.
    """
    if before is None:
        return Ahead(_copy(view))
    old, new = before.view.state.ledger, view.state.ledger
    if (old.seq, old.hash) != (new.seq, new.hash):
        demand = min(max(2 * before.demand, 4), MOST_DEMAND) if was_refused else before.demand
        return Ahead(_copy(view), demand=demand)
    if need.names or need.beside or before.is_large:
        return Ahead(_copy(view), calm=before.calm + 1, demand=before.demand)
    before.join(view)
    before.calm += 1
    return before


def _copy(view: View) -> View:
    """Return the rows of a view in a state that may change, while somebody still looks at the other."""
    state = State(view.state.ledger, dict(view.state.arms))
    for pull in view.state.pulls.values():
        state.add_pull(pull)
    return View(state, dict(view.expires))
