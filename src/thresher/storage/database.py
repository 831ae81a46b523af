"""A storage over SQL: what SQLite and PostgreSQL share once there is a transaction to run statements in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any, Protocol

from thresher.campaign import Arm, Event, Happening, Ledger, Machine, Pull, Request
from thresher.errors import CampaignExistsError, StorageUnavailableError, UnknownCampaignError
from thresher.storage.protocol import Contents, Done, Heading, Need, Plan, View
from thresher.storage.sql import (
    EVERYTHING,
    Query,
    Row,
    Write,
    first_writes,
    queries_of,
    sealed,
    step_of,
    view_of,
    writes_of,
)


class Run(Protocol):
    """The statements of one open transaction."""

    def __call__(self, name: str, parameters: Any = ()) -> list[Row]:
        """Return the rows of one named statement."""
        ...

    def read(self, queries: Sequence[Query]) -> list[list[Row]]:
        """Return the rows of each query, in one trip to the database."""
        ...

    def cursor(self, name: str, parameters: Any = ()) -> Generator[Row, None, None]:
        """Return the rows of one named statement one by one."""
        ...

    def write(self, writes: Sequence[Write]) -> list[Row]:
        """Run the writes; return the rows that the first of them gives back."""
        ...


class SqlStorage(ABC):
    """A storage that runs the statements of ``statements.sql``."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Run]:
        """Hold a snapshot."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Run]:
        """Hold a transaction that may write; it is committed at the end, undone by any error."""

    @abstractmethod
    def damage(self, run: Run) -> list[str]:
        """Return what the database finds wrong with itself."""

    def create(self, name: str, terms: str, machine: Machine, happenings: Sequence[Happening]) -> Heading:
        """Write a new campaign with its first events; return its heading."""
        with self.writing() as run:
            if run("find_campaign", {"name": name}):
                raise CampaignExistsError(name)
            [(campaign,)] = run("create_campaign", {"name": name, "terms": terms})
            [(at,)] = run("create_ledger", {"campaign": campaign})
            run.write(first_writes(campaign, at, machine, happenings))
        return Heading(campaign, name, terms)

    def find(self, name: str) -> Heading:
        """Return the heading of a campaign."""
        with self.reading() as run:
            if rows := run("find_campaign", {"name": name}):
                return Heading._make(rows[0])
            raise UnknownCampaignError(name, [row[1] for row in run("list_campaigns")])

    def headings(self) -> list[Heading]:
        """Return the headings of all campaigns, oldest first."""
        with self.reading() as run:
            return [Heading._make(row) for row in run("list_campaigns")]

    def transact(self, campaign: int, machine: Machine, need: Need, plan: Plan) -> Done:
        """Read the rows that are needed, decide, and write what changes with its event."""
        with self.writing() as run:
            view = self._read(run, campaign, need, ledger="lock_ledger")
            happening = plan(view.state)
            if happening is None:
                return Done(view, None, view.state.ledger.at)
            change, event = sealed(machine, view.state, happening)
            [(at,)] = run.write([step_of(campaign, change)])
            run.write(writes_of(campaign, view.state, change, event, lease=machine.terms.lease_micros, at=at))
        return Done(view, change._replace(ledger=change.ledger._replace(at=at)), at)

    def look(self, campaign: int, need: Need) -> View:
        """Return rows of one moment without holding anybody up."""
        with self.reading() as run:
            return self._read(run, campaign, need, ledger="read_ledger")

    def _read(self, run: Run, campaign: int, need: Need, *, ledger: str) -> View:
        queries = [Query(ledger, {"campaign": campaign}), *queries_of(campaign, need)]
        [first, *rest] = run.read(queries)
        return view_of(first[0], queries[1:], rest)

    def arms(self, campaign: int, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from the first wanted."""
        query = Query("arms_from", {"campaign": campaign, "first": first, "limit": limit or EVERYTHING})
        with self.reading() as run:
            return [Arm._make(row) for row in run(query.name, query.parameters)]

    def pulls(
        self, campaign: int, *, arm: int | None = None, after: int = 0, limit: int | None = None
    ) -> tuple[list[Pull], dict[int, int]]:
        """Return pulls by number, of one arm or of all, and when their leases run out."""
        where = {"campaign": campaign, "arm": arm, "after": after, "limit": limit or EVERYTHING}
        with self.reading() as run:
            return _pulls(run("pulls_after" if arm is None else "pulls_of_arm", where))

    def events(self, campaign: int, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return events by number."""
        where = {"campaign": campaign, "after": after, "limit": limit or EVERYTHING}
        with self.reading() as run:
            return [Event._make(row) for row in run("events_after", where)]

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in a snapshot of all rows, and what the database finds."""
        here = {"campaign": campaign}
        everything = here | {"first": 0, "after": 0, "limit": EVERYTHING}
        try:
            with self.reading() as run, closing(run.cursor("events_after", everything)) as events:
                pulls, expires = _pulls(run("pulls_after", everything))
                contents = Contents(
                    Ledger._make(run("read_ledger", here)[0]),
                    [Arm._make(row) for row in run("arms_from", everything)],
                    pulls,
                    expires,
                    [Request._make(row) for row in run("list_requests", here)],
                    (Event._make(row) for row in events),
                )
                return [*check(contents), *self.damage(run)]
        except StorageUnavailableError:
            raise
        except Exception as error:  # damaged rows fail in any way, and each is a finding
            return [f"what is stored cannot be read: {error!r}"[:500]]


def _pulls(rows: Sequence[Row]) -> tuple[list[Pull], dict[int, int]]:
    return [Pull._make(row[:-1]) for row in rows], {row[0]: row[-1] for row in rows}
