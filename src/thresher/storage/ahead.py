"""What a process knows of a campaign whose last event it wrote: enough to write the next one without asking first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.campaign import Arm, Change
from thresher.storage.protocol import Need, View
from thresher.storage.sql import NEVER, Query, Row

MOST_PULLS = 20_000  # known pulls are forgotten beyond this, and read again when they are told
MOST_DEMAND = 64


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
    wanted, fetched : int
        How many arms of least urgency the next ask may want, and how many were read.
    deadline : int
        When the first lease runs out; an ask after that must look for lapsed ones.
    """

    view: View
    calm: int = 0
    demand: int = 0
    wanted: int = 1
    fetched: int = 0
    deadline: int = 0

    @property
    def is_calm(self) -> bool:
        """Whether it is worth a try to write without reading first."""
        return self.calm >= self.demand

    def outrun(self) -> None:
        """Take note that somebody else was faster."""
        self.calm, self.demand = 0, min(max(2 * self.demand, 4), MOST_DEMAND)

    def meets(self, need: Need) -> bool:
        """Return whether a decision can be made by what is known."""
        state = self.view.state
        if not self.is_calm or need.names or need.beside:
            return False
        if need.least > self.fetched and len(state.least) == self.fetched:
            return False
        return all(number in state.pulls for number in need.pulls)

    def queries(self, campaign: int) -> list[Query]:
        """Return what to read at the end of a transaction for the sake of the next; nothing where others interfere."""
        if not self.is_calm:
            return []
        here = {"campaign": campaign}
        return [Query("least_arms", here | {"limit": self.wanted}), Query("earliest_expiry", here)]

    def take(self, change: Change, results: Sequence[Sequence[Row]], *, at: int, lease: int) -> None:
        """Take in what a transaction wrote at that time, and what it read ahead."""
        state, expires = self.view
        state.absorb(change)
        state.lapsed = ()
        expires.update((n, at + lease) for n, pull in change.pulls.items() if pull.since == change.ledger.seq)
        self.fetched = 0
        if results:
            [least, [(earliest,)]] = results
            state.least = tuple(row[0] for row in least)
            state.arms.update((row[0], Arm._make(row)) for row in least)
            self.deadline = NEVER if earliest is None else earliest
            # With nothing read ahead, the next ask reads, and begins anew with what it read.
            self.fetched = self.wanted if len(state.pulls) <= MOST_PULLS else 0


def after_reading(view: View, before: Ahead | None, need: Need) -> Ahead:
    """Return what is known once the rows of a view were read, given what was known before."""
    if before is None:
        return Ahead(view, wanted=need.least or 1)
    was_alone = before.view.state.ledger.seq == view.state.ledger.seq
    calm = before.calm + 1 if was_alone else 0
    return Ahead(view, calm=calm, demand=before.demand, wanted=need.least or before.wanted)
