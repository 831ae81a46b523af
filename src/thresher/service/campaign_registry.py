"""The campaigns of a server: each is opened once and shared by concurrent requests."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NamedTuple

from thresher.campaign import LocalBackend, Standing, Verdicts
from thresher.campaign.ledger import Arm, Pull, decisions
from thresher.campaign.storage import Heading, RowsToRead, Storage, token_table
from thresher.service.problem_details import MissingError

MOST_OPEN = 1000


class Glimpse(NamedTuple):
    """The state of a campaign, and whether an ask would return a ticket."""

    standing: Standing
    is_ready: bool


class ServedCampaign:
    """One campaign of a server."""

    def __init__(self, storage: Storage, heading: Heading) -> None:
        self._storage, self._number = storage, heading.id
        self.backend = LocalBackend(storage, heading)
        self.terms = self.backend.terms
        self._lock = threading.Lock()
        self._verdicts: tuple[int, Verdicts] | None = None

    def glimpse(self) -> Glimpse:
        """Return its state and whether an ask would return a ticket, from one read."""
        state = self.backend.look_least()
        ledger, least = state.ledger, state.arms[state.least[0]] if state.least else None
        # Reserved costs may return to the budget later; only what can be paid now counts.
        now = ledger._replace(budget=ledger.budget - ledger.reserved, reserved=0)
        has_work = bool(state.lapsed) or decisions.is_open(self.terms, now, least)
        standing = self.backend.standing_in(state)
        return Glimpse(standing, standing.status == "open" and has_work)

    def shown(self) -> dict[str, Any]:
        """Return its state and its terms, as responses have them."""
        return self.backend.standing().to_dict() | {"terms": self.terms.to_dict()}

    def verdicts(self, **given: Any) -> tuple[int, Verdicts]:
        """Return the number of the last event and the verdicts as of it.

        They are computed once for each event, unless terms are given that replace those of the campaign.
        """
        if any(value is not None for value in given.values()):
            return self.backend.judging.verdicts_as_of(**given)
        with self._lock:
            if self._verdicts is None or self._verdicts[0] != self._storage.ledger(self._number).seq:
                self._verdicts = self.backend.judging.verdicts_as_of()
            return self._verdicts

    def pulls(self, arm: int | None = None, *, after: int = 0, limit: int | None = None) -> list[Pull]:
        """Return pulls by number, of one arm or of all."""
        with self.backend.stored.snapshot() as now:
            return now.pulls(arm=arm, after=after, limit=limit)

    def arm(self, position: int) -> Arm:
        """Return an arm by its position, or raise MissingError."""
        with self.backend.stored.snapshot() as now:
            found = now.arms(first=position, limit=1)
        if not found:
            last = self.backend.standing().arms - 1
            raise MissingError(f"There is no arm {position}; the arms of this campaign are numbered 0 to {last}.")
        return found[0]

    def arms_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the names of the arms of pulls, by the numbers of the pulls."""
        state = self.backend.stored.look(RowsToRead(pulls=tuple(sorted(set(numbers)))))
        return {number: state.arms[pull.arm].name for number, pull in state.pulls.items()}

    def arm_names(self, *, first: int = 0) -> list[str]:
        """Return the names of the arms in their order, from the first wanted."""
        with self.backend.stored.snapshot() as now:
            return [arm.name for arm in now.arms(first=first)]


class CampaignRegistry:
    """The open campaigns of a server, by name; the least recently used are dropped."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._lock = threading.Lock()
        self._open: OrderedDict[str, ServedCampaign] = OrderedDict()

    def open(self, name: str) -> ServedCampaign:
        """Return a campaign, or raise UnknownCampaignError."""
        if (known := self.recall(name)) is not None:
            return known
        served = ServedCampaign(self.storage, self.storage.find(name))
        with self._lock:
            kept = self._open.setdefault(served.backend.name, served)
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return kept

    def recall(self, name: str) -> ServedCampaign | None:
        """Return a campaign if it is already open."""
        with self._lock:
            if name not in self._open:
                return None
            self._open.move_to_end(name)
            return self._open[name]

    def forget(self, name: str) -> None:
        """Open a campaign anew at the next request."""
        with self._lock:
            self._open.pop(name, None)

    def names(self) -> list[str]:
        """Return the names of all campaigns, oldest first."""
        return [heading.name for heading in self.storage.headings()]

    def ping(self) -> None:
        """Read one row; raise StorageError if the database is unavailable."""
        token_table(self.storage).find("")
