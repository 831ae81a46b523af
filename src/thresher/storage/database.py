"""A storage over SQL: what SQLite and PostgreSQL share once there is a transaction to run statements in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Protocol

from thresher.campaign import Arm, Event, Happening, Ledger, Machine, Pull, Request, State
from thresher.errors import (
    CampaignExistsError,
    SchemaVersionError,
    StorageUnavailableError,
    ThresherError,
    UnknownCampaignError,
)
from thresher.storage.ahead import MORE_ARMS, Ahead, after_reading
from thresher.storage.protocol import Contents, Done, Heading, Need, Plan, Snapshot, View
from thresher.storage.reading import arms_of, damaged, earliest_of, events_of, pulls_of
from thresher.storage.sql import EVERYTHING, NEVER, Query, Step, at_time, queries_of, sealed, step_of, view_of
from thresher.storage.statements import Row


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

    def turn(self, step: Step, *, ends: bool) -> int | None:
        """Take a step with all its writes; return when, or None if it could not be taken.

        Parameters
        ----------
        step : Step
        ends : bool
            Whether a step that was taken ends the transaction: it is durable on return.
        """
        ...


class SqlStorage(ABC):
    """A storage that runs the statements of ``statements.sql``.

    A process that was the last to write a campaign knows the rows that its next ask or tell needs (:class:`Ahead`). It
    writes at once, and the database refuses if anybody else was faster; only then it reads first.
    """

    def __init__(self) -> None:
        self._known: dict[int, Ahead] = {}
        self._names: dict[int, str] = {}

    @abstractmethod
    def reading(self) -> AbstractContextManager[Run]:
        """Hold a snapshot."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Run]:
        """Hold a transaction that may write; it is committed at the end, undone by any error."""

    @abstractmethod
    def damage(self, run: Run) -> list[str]:
        """Return what the database finds wrong with itself."""

    @abstractmethod
    def deciding(self, campaign: int) -> AbstractContextManager[Run]:
        """Hold a transaction for one decision on a campaign; no two threads decide on the same one at once."""

    def create(self, name: str, terms: str, machine: Machine, happenings: Iterable[Happening]) -> Heading:
        """Write a new campaign with its first events; return its heading."""
        ledger, lease = Ledger(), machine.terms.lease_micros
        with self.writing() as run:
            if run("find_campaign", {"name": name}):
                raise CampaignExistsError(name)
            [(campaign,)] = run("create_campaign", {"name": name, "terms": terms})
            run("create_ledger", {"campaign": campaign, "hash": ledger.hash})
            for happening in happenings:
                # Of the rows written before, none is needed: a million arms are never in memory at once.
                state = State(ledger)
                change, event = sealed(machine, state, happening)
                at = run.turn(step_of(campaign, state, change, event, lease=lease), ends=False)
                assert at is not None, "the ledger is ours"
                ledger = at_time(change, at).ledger
        return self._heading((campaign, name, terms))

    def _heading(self, row: Row) -> Heading:
        """Return the heading of a campaign, and remember its name for messages."""
        campaign, name, terms = row
        if not (isinstance(name, str) and isinstance(terms, str)):
            raise damaged(f"number {campaign}", "its name or its terms are no text")
        self._names[campaign] = name
        return Heading(campaign, name, terms)

    def _name(self, campaign: int) -> str:
        return self._names.get(campaign, f"number {campaign}")

    def find(self, name: str) -> Heading:
        """Return the heading of a campaign."""
        with self.reading() as run:
            if rows := run("find_campaign", {"name": name}):
                return self._heading(rows[0])
            raise UnknownCampaignError(name, [str(row[1]) for row in run("list_campaigns")])

    def headings(self) -> list[Heading]:
        """Return the headings of all campaigns, oldest first."""
        with self.reading() as run:
            return [self._heading(row) for row in run("list_campaigns")]

    def transact(self, campaign: int, machine: Machine, need: Need, plan: Plan) -> Done:
        """Read the rows that are needed, decide, and write what changes with its event."""
        with self.deciding(campaign) as run:
            known = self._known.get(campaign)
            if known is not None:
                known.begin()
            if known is None or not known.meets(need):
                return self._read_first(run, campaign, machine, need, plan, known)
            done = self._at_once(run, campaign, machine, need, plan, known)
            return done or self._read_first(run, campaign, machine, need, plan, known, was_refused=True)

    def _at_once(self, run: Run, campaign: int, machine: Machine, need: Need, plan: Plan, known: Ahead) -> Done | None:
        """Write by what is known; return None if that does not suffice, or proves to be out of date."""
        try:
            happening = plan(known.state_for(need))
        except ThresherError:
            return None  # a refusal must rest on fresh rows
        if happening is None:
            return None
        deadline = known.deadline if need.least else NEVER
        return self._write(run, campaign, machine, known, known.view, happening, deadline=deadline)

    def _read_first(
        self,
        run: Run,
        campaign: int,
        machine: Machine,
        need: Need,
        plan: Plan,
        before: Ahead | None,
        *,
        was_refused: bool = False,
    ) -> Done:
        reads_more = need.least > 0 and (before is None or before.is_calm)
        wider = need._replace(least=2 * need.least + MORE_ARMS) if reads_more else need
        queries = [Query("lock_ledger", {"campaign": campaign}), *queries_of(campaign, wider)]
        more = [Query("earliest_expiry", {"campaign": campaign})] if reads_more else []
        [ledger, *rest] = run.read([*queries, *more])
        view = view_of(self._name(campaign), ledger, queries[1:], rest[: len(queries) - 1])
        earliest = earliest_of(self._name(campaign), rest[-1]) if reads_more else None
        known = self._known[campaign] = after_reading(view, before, need, was_refused=was_refused)
        state = view.state
        if reads_more:
            known.line_up(state.least, wider.least, earliest)
        state.least = state.least[: need.least]
        happening = plan(state)
        if happening is None:
            return Done(view, None, state.ledger.at)
        done = self._write(run, campaign, machine, known, view, happening)
        assert done is not None, "the ledger is locked"
        return done

    def _write(
        self,
        run: Run,
        campaign: int,
        machine: Machine,
        known: Ahead,
        view: View,
        happening: Happening,
        *,
        deadline: int = NEVER,
    ) -> Done | None:
        """Write what happens to the rows of a view; return None if somebody else was faster."""
        state, lease = view.state, machine.terms.lease_micros
        change, event = sealed(machine, state, happening)
        at = run.turn(step_of(campaign, state, change, event, lease=lease, deadline=deadline), ends=True)
        if at is None:
            return None
        change = at_time(change, at)
        known.take(change, at=at, lease=lease)
        return Done(view, change, at)

    def look(self, campaign: int, need: Need) -> View:
        """Return rows of one moment without holding anybody up."""
        with self.reading() as run:
            queries = [Query("read_ledger", {"campaign": campaign}), *queries_of(campaign, need)]
            [ledger, *rest] = run.read(queries)
            return view_of(self._name(campaign), ledger, queries[1:], rest)

    @contextmanager
    def snapshot(self, campaign: int) -> Iterator[Snapshot]:
        """Hold the rows of one moment."""
        with self.reading() as run:
            yield SqlSnapshot(run, campaign, self._name(campaign))

    def events(self, campaign: int, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return events by number."""
        where = {"campaign": campaign, "after": after, "limit": limit or EVERYTHING}
        with self.reading() as run:
            return events_of(self._name(campaign), run("events_after", where))

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in a snapshot of all rows, and what the database finds."""
        here = {"campaign": campaign}
        everything = here | {"first": 0, "after": 0, "limit": EVERYTHING}
        try:
            with self.reading() as run, closing(run.cursor("events_after", everything)) as events:
                # As they are: what is wrong with them is for the check to say.
                pulls = run("pulls_after", everything)
                contents = Contents(
                    Ledger._make(run("read_ledger", here)[0]),
                    [Arm._make(row) for row in run("arms_from", everything)],
                    [Pull._make(row[:-1]) for row in pulls],
                    {row[0]: row[-1] for row in pulls},
                    [Request._make(row) for row in run("list_requests", here)],
                    (Event._make(row) for row in events),
                )
                return [*check(contents), *self.damage(run)]
        except (SchemaVersionError, StorageUnavailableError):
            raise
        except Exception as error:  # damaged rows fail in any way, and each is a finding
            return [f"what is stored cannot be read: {error!r}"[:500]]


class SqlSnapshot:
    """One campaign at one moment: reads in one open transaction.

    Parameters
    ----------
    run : Run
    campaign : int
    name : str
        Of the campaign, for messages.
    """

    def __init__(self, run: Run, campaign: int, name: str) -> None:
        self._run, self._campaign, self._name = run, campaign, name

    def ledger(self) -> Ledger:
        """Return the ledger."""
        return view_of(self._name, self._run("read_ledger", {"campaign": self._campaign}), (), ()).state.ledger

    def arms(self, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from the first wanted."""
        where = {"campaign": self._campaign, "first": first, "limit": limit or EVERYTHING}
        return arms_of(self._name, self._run("arms_from", where))

    def pulls(
        self, *, arm: int | None = None, after: int = 0, limit: int | None = None
    ) -> tuple[list[Pull], dict[int, int]]:
        """Return pulls by number, of one arm or of all, and when their leases run out."""
        where = {"campaign": self._campaign, "arm": arm, "after": after, "limit": limit or EVERYTHING}
        rows = self._run("pulls_after" if arm is None else "pulls_of_arm", where)
        return pulls_of(self._name, rows), {row[0]: row[-1] for row in rows}
