"""What a process knows of a campaign whose last event it wrote: enough to write the next one without asking first."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import TypeAlias

from thresher.campaign import Change, State
from thresher.storage.protocol import Need, View
from thresher.storage.sql import NEVER

MOST_PULLS = 20_000  # known pulls are forgotten beyond this, and read again when they are told
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
    """

    view: View
    calm: int = 0
    demand: int = 0
    queue: list[Key] = field(default_factory=list)
    bound: Key = LOWEST
    deadline: int = 0

    @property
    def is_calm(self) -> bool:
        """Whether it is worth a try to write without reading first."""
        return self.calm >= self.demand

    def meets(self, need: Need) -> bool:
        """Return whether a decision can be made by what is known."""
        state = self.view.state
        if not self.is_calm or need.names or need.beside or len(state.pulls) > MOST_PULLS:
            return False
        if need.least:
            knows_enough = len(self.queue) >= need.least or self.bound == HIGHEST
            if not knows_enough or self.deadline <= state.ledger.at:
                return False
        return all(number in state.pulls for number in need.pulls)

    def state_for(self, need: Need) -> State:
        """Return the state for a decision by what is known."""
        state = self.view.state
        state.least = tuple([position for _, position in self.queue[: need.least]])
        state.lapsed = ()
        return state

    def take(self, change: Change, *, at: int, lease: int) -> None:
        """Take in what a transaction wrote at that time."""
        state, expires = self.view
        for position, arm in change.arms.items():
            known = state.arms.get(position)
            if known is not None:
                self._drop((known.urgency, position))
            if (arm.urgency, position) <= self.bound:
                insort(self.queue, (arm.urgency, position))
        state.absorb(change)
        for number, pull in change.pulls.items():
            if pull.since == change.ledger.seq:
                expires[number] = at + lease
        self.deadline = min(self.deadline, at + lease)

    def _drop(self, key: Key) -> None:
        place = bisect_left(self.queue, key)
        if place < len(self.queue) and self.queue[place] == key:
            del self.queue[place]

    def join(self, view: View) -> None:
        """Take in rows that were read while nobody else wrote."""
        state, expires = self.view
        state.arms.update(view.state.arms)
        for pull in view.state.pulls.values():
            state.add_pull(pull)
        state.requests.update(view.state.requests)
        expires.update(view.expires)
        state.least, state.lapsed = view.state.least, view.state.lapsed

    def line_up(self, wanted: int, earliest: int | None) -> None:
        """Remember the arms of least urgency, of which so many were wanted, and when the first lease runs out."""
        state = self.view.state
        self.queue = [(state.arms[position].urgency, position) for position in state.least]
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
        return Ahead(view)
    old, new = before.view.state.ledger, view.state.ledger
    if (old.seq, old.hash) != (new.seq, new.hash):
        demand = min(max(2 * before.demand, 4), MOST_DEMAND) if was_refused else before.demand
        return Ahead(view, demand=demand)
    if need.names or need.beside or len(before.view.state.pulls) > MOST_PULLS:
        return Ahead(view, calm=before.calm + 1, demand=before.demand)
    before.join(view)
    before.calm += 1
    return before
