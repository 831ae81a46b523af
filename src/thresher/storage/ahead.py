"""What a process knows of a campaign whose last event it wrote: enough to write the next one without asking first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.campaign import Arm, Change
from thresher.storage.protocol import Need, View
from thresher.storage.sql import NEVER, Query, Row

MOST_PULLS = 20_000  # known pulls are forgotten beyond this, and read again when they are told


@dataclass
class Ahead:
    """Rows that are right as long as nobody else writes, which the database finds out.

    Parameters
    ----------
    view : View
        The rows, as of the ledger in it.
    is_calm : bool
        Nobody else wrote between the last two transactions of this process: it is worth a try.
    wanted, fetched : int
        How many arms of least urgency the next ask may want, and how many were read.
    deadline : int
        When the first lease runs out; an ask after that must look for lapsed ones.
    """

    view: View
    is_calm: bool = True
    wanted: int = 1
    fetched: int = 0
    deadline: int = 0

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
            self.fetched, self.deadline = self.wanted, NEVER if earliest is None else earliest
        self.is_calm = self.is_calm and len(state.pulls) <= MOST_PULLS


def after_reading(view: View, before: Ahead | None, need: Need) -> Ahead:
    """Return what is known once the rows of a view were read, given what was known before."""
    is_calm = before is None or before.view.state.ledger.seq == view.state.ledger.seq
    wanted = need.least or (1 if before is None else before.wanted)
    return Ahead(view, is_calm=is_calm, wanted=wanted)
