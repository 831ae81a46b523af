"""The campaigns of a server: each opened once, looked at once for all who ask at the same moment."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from thresher.campaign import Arm, Pull, decisions
from thresher.errors import CorruptionError
from thresher.live import Standing, Verdicts
from thresher.live.local import LocalBackend
from thresher.service.problem_details import MissingError
from thresher.storage import Heading, Need, Storage
from thresher.storage.tokens import token_table

MOST_OPEN = 1000


class Glimpse(NamedTuple):
    """A campaign at one moment: how it stands, and whether an ask would give a ticket."""

    standing: Standing
    is_ready: bool


class File:
    """One campaign of a server."""

    def __init__(self, storage: Storage, heading: Heading) -> None:
        self._storage, self._id = storage, heading.id
        self.backend = LocalBackend(storage, heading)
        self.terms = self.backend.terms
        self._lock = threading.Lock()
        self._verdicts: tuple[int, Verdicts] | None = None

    def glimpse(self) -> Glimpse:
        """Return how it stands and whether an ask would give a ticket, in one look."""
        state = self.backend.look_least()
        ledger, least = state.ledger, state.arms[state.least[0]] if state.least else None
        # Without what is reserved, which may come back, only what can be paid now is open.
        now = ledger._replace(budget=ledger.budget - ledger.reserved, reserved=0)
        has_work = bool(state.lapsed) or decisions.is_open(self.terms, now, least)
        standing = self.backend.standing_in(state)
        return Glimpse(standing, standing.status == "open" and has_work)

    def verdicts(self) -> tuple[int, Verdicts]:
        """Return the verdicts, and the number of the event that they are as of; computed once for each event."""
        with self._lock:
            if self._verdicts is None or self._verdicts[0] != self.backend.standing().events:
                self._verdicts = self.backend.verdicts_as_of()
            return self._verdicts

    def findings(self) -> list[str]:
        """Return what is not as it was written; none if all is well."""
        try:
            self.backend.verify()
        except CorruptionError as error:
            return error.findings
        return []

    def pulls(self, arm: int | None = None, *, after: int = 0, limit: int | None = None) -> list[Pull]:
        """Return pulls by number, of one arm or of all."""
        with self._storage.snapshot(self._id) as now:
            return now.pulls(arm=arm, after=after, limit=limit)

    def arm(self, position: int) -> Arm:
        """Return an arm by its place among the arms.

        Raises
        ------
        MissingError
            If there are not so many.
        """
        with self._storage.snapshot(self._id) as now:
            found = now.arms(first=position, limit=1)
        if not found:
            last = self.backend.standing().arms - 1
            raise MissingError(f"There is no arm {position}; the arms of this campaign are numbered 0 to {last}.")
        return found[0]

    def arms_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """Return the names of the arms of pulls, by the numbers of the pulls."""
        state = self._storage.look(self._id, Need(pulls=tuple(sorted(set(numbers)))))
        return {number: state.arms[pull.arm].name for number, pull in state.pulls.items()}

    def arm_names(self, *, first: int = 0) -> list[str]:
        """Return the names of the arms in their order, from the first wanted."""
        with self._storage.snapshot(self._id) as now:
            return [arm.name for arm in now.arms(first=first)]


class Desk:
    """The campaigns of a server."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._lock = threading.Lock()
        self._files: OrderedDict[str, File] = OrderedDict()

    def open(self, name: str) -> File:
        """Return a campaign.

        Raises
        ------
        UnknownCampaignError
            If there is none of that name.
        """
        return self.recall(name) or self._keep(File(self.storage, self.storage.find(name)))

    def recall(self, name: str) -> File | None:
        """Return a campaign that is open already."""
        with self._lock:
            if name not in self._files:
                return None
            self._files.move_to_end(name)
            return self._files[name]

    def _keep(self, file: File) -> File:
        with self._lock:
            kept = self._files.setdefault(file.backend.name, file)
            if len(self._files) > MOST_OPEN:
                self._files.popitem(last=False)
            return kept

    def names(self) -> list[str]:
        """Return the names of all campaigns, oldest first."""
        return [heading.name for heading in self.storage.headings()]

    def ping(self) -> None:
        """Read one row.

        Raises
        ------
        StorageError
            If the database is away.
        """
        token_table(self.storage).find("")
