"""A storage over SQL: what SQLite and PostgreSQL share.

Here alone the types of stored values are checked: SQLite stores any value in any column, and a damaged file may hold a
text where a number was.
"""

from __future__ import annotations

import json
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_args, get_type_hints

from thresher.campaign.ledger import (
    Answer,
    Arm,
    CampaignState,
    Event,
    Item,
    Ledger,
    LogEntry,
    Machine,
    Pull,
    Request,
    Signal,
    arms_that_took,
    changed_pulls,
    read_event,
)
from thresher.campaign.storage.needed_rows import (
    changed_rows,
    queries_of,
    queries_of_changed_arms,
    queries_of_pulls,
)
from thresher.campaign.storage.protocol import Contents, Heading, Plan, RowsToRead, Snapshot, TransactionResult
from thresher.campaign.storage.statements import ALL_ROWS, EVERYTHING, RESULTS, Parameters, Row
from thresher.errors import (
    CampaignExistsError,
    CorruptionError,
    SchemaVersionError,
    StorageUnavailableError,
    UnknownCampaignError,
)

LONG_READS = 4  # at a time; a pool of connections must be larger, or asks and checks of tokens wait for them
SHORT_READ = 1000  # rows of the log that are read in a moment
LAST_MOMENT = 253_402_300_799_999_999  # µs since 1970: the end of the year 9999
_TIMES = ("at", "expires")

Entry = TypeVar("Entry", bound=Row)


class Run(Protocol):
    """The statements of one open transaction."""

    def __call__(self, name: str, /, **parameters: Any) -> list[Row]:
        """Return the rows of one named statement."""
        ...

    def read(self, queries: Mapping[str, Parameters]) -> dict[str, list[Row]]:
        """Return the rows of several named statements, in one trip to the database."""
        ...

    def cursor(self, name: str, /, **parameters: Any) -> Generator[Row, None, None]:
        """Return the rows of one named statement one by one."""
        ...

    def write(self, campaign: int, rows: Mapping[str, Sequence[Any]], *, commit: bool = False) -> None:
        """Write rows, by the names of the statements that write them, in one trip to the database.

        With `commit` they are durable on return.
        """
        ...


class SqlStorage(ABC):
    """A storage that runs named statements.

    A transaction waits for the others of its campaign, reads the rows that the decision needs, and writes what changed.

    Parameters
    ----------
    timeout : float
        Seconds to wait for a connection, or for other long reads.
    long_reads : int
        How many at a time.
    """

    def __init__(self, *, timeout: float, long_reads: int = LONG_READS) -> None:
        self._timeout, self._long_reads = timeout, long_reads
        self._names: dict[int, str] = {}
        self._process = 0

    def connect_here(self) -> None:
        """Open connections of this process: none must be carried across a fork."""
        if self._process != os.getpid():
            self._turns = threading.BoundedSemaphore(self._long_reads)
            self.connect()
            self._process = os.getpid()

    @abstractmethod
    def connect(self) -> None:
        """Open the first connections."""

    @contextmanager
    def long_read(self) -> Iterator[None]:
        """Wait for a turn to read for long: so few at a time that connections stay free for asks."""
        self.connect_here()
        turns = self._turns
        if not turns.acquire(timeout=self._timeout):
            raise StorageUnavailableError(f"{self._long_reads} long reads are under way", instead="try again later")
        try:
            yield
        finally:
            turns.release()

    @abstractmethod
    def reading(self) -> AbstractContextManager[Run]:
        """Hold a snapshot."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Run]:
        """Hold a transaction that may write; it is committed at the end, and rolled back on any error."""

    def deciding(self, campaign: int) -> AbstractContextManager[Run]:  # noqa: ARG002
        """Hold a transaction for one decision on a campaign."""
        return self.writing()

    @abstractmethod
    def damage(self, run: Run) -> list[str]:
        """Return what the database finds wrong with itself."""

    @abstractmethod
    def copy_to(self, path: Path) -> None:
        """Copy all rows of one moment into an empty SQLite file."""

    @abstractmethod
    def fill_from(self, path: Path) -> None:
        """Copy all rows of an SQLite file of this version here, where no campaign is; all or nothing."""

    def create(self, name: str, terms: str, machine: Machine, events: Iterable[Event]) -> Heading:
        """Write a new campaign with its first events; return its heading."""
        ledger = Ledger()
        with self.writing() as run:
            if run("find_campaign", name=name):
                raise CampaignExistsError(name)
            # The numbers of campaigns in this process are not used again, even if the database has lost one of them.
            [(campaign,)] = run("create_campaign", name=name, terms=terms, last=max(self._names, default=0))
            run("create_ledger", campaign=campaign, **ledger._asdict())
            [(now,)] = run("clock")
            for event in events:
                # No event needs the rows of the one before: a million arms are never in memory at once.
                change, entry = machine.record(CampaignState(ledger), event, now)
                run.write(campaign, changed_rows(CampaignState(ledger), change, entry))
                ledger = change.ledger
        return self._heading((campaign, name, terms))

    def _heading(self, row: Row) -> Heading:
        """Return the heading of a campaign, and remember its name: rows of another one are never taken for its own."""
        campaign, name, terms = row
        if not (isinstance(name, str) and isinstance(terms, str)):
            raise damaged(f"number {campaign}", "its name or its terms are not text")
        self._names.setdefault(campaign, name)
        return Heading(campaign, name, terms)

    def find(self, name: str) -> Heading:
        """Return the heading of a campaign."""
        with self.reading() as run:
            if rows := run("find_campaign", name=name):
                return self._heading(rows[0])
            raise UnknownCampaignError(name, [str(row[1]) for row in run("list_campaigns")])

    def headings(self) -> list[Heading]:
        """Return the headings of all campaigns, oldest first."""
        with self.reading() as run:
            return [self._heading(row) for row in run("list_campaigns")]

    def _at(self, run: Run, campaign: int) -> SqlSnapshot:
        return SqlSnapshot(run, campaign, self._names)

    def _name(self, campaign: int) -> str:
        return self._names.get(campaign, f"number {campaign}")

    def transact(self, campaign: int, machine: Machine, need: RowsToRead, plan: Plan) -> TransactionResult:
        """Wait for other writers, read the rows that are needed, decide, write what changed."""
        with self.deciding(campaign) as run:
            state, now = self._at(run, campaign).state_and_time(need)
            event = plan(state)
            if event is None:
                return TransactionResult(state, None)
            change, entry = machine.record(state, event, now)
            run.write(campaign, changed_rows(state, change, entry), commit=True)
            return TransactionResult(state, change)

    def ledger(self, campaign: int) -> Ledger:
        """Return the ledger without waiting for writers."""
        with self.reading() as run:
            return self._at(run, campaign).ledger()

    def look(self, campaign: int, need: RowsToRead) -> CampaignState:
        """Return rows of one moment without waiting for writers."""
        with self.reading() as run:
            return self._at(run, campaign).state(need)

    @contextmanager
    def snapshot(self, campaign: int) -> Iterator[Snapshot]:
        """Hold the rows of one moment."""
        with self.long_read(), self.reading() as run:
            yield self._at(run, campaign)

    def events(
        self, campaign: int, *, after: int = 0, limit: int | None = None, size: int | None = None
    ) -> list[LogEntry]:
        """Return the log in order."""
        where = {"campaign": campaign, "after": after, "limit": limit or EVERYTHING}
        turn = nullcontext() if limit and limit <= SHORT_READ else self.long_read()
        with turn, self.reading() as run, closing(run.cursor("events_after", **where)) as log:
            return rows_of(self._name(campaign), "events_after", list(up_to(log, size)))

    def verify(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` finds in a snapshot of all rows, and what the database finds."""
        with self.long_read():
            return self.findings(campaign, check)

    def findings(self, campaign: int, check: Callable[[Contents], list[str]]) -> list[str]:
        """Return what `check` and the database find; a row that cannot be read is a finding."""
        try:
            with self.reading() as run, ExitStack() as cursors:

                def rows(kind: type[Any], statement: str, **where: int) -> Iterator[Any]:
                    # Unchecked: the check reports what is wrong with them.
                    cursor = run.cursor(statement, campaign=campaign, **where)
                    return map(kind._make, cursors.enter_context(closing(cursor)))

                contents = Contents(
                    Ledger._make(run("read_ledger", campaign=campaign)[0][:-2]),
                    rows(Arm, "arms_from", **ALL_ROWS),
                    rows(Pull, "pulls_after", after=0, limit=EVERYTHING),
                    rows(Request, "list_requests"),
                    rows(Item, "items_from", **ALL_ROWS),
                    rows(Signal, "all_signals"),
                    rows(LogEntry, "events_after", after=0, limit=EVERYTHING),
                )
                return [*check(contents), *self.damage(run)]
        except (SchemaVersionError, StorageUnavailableError):
            raise
        except Exception as error:  # damaged rows fail in any way, and each is a finding
            return [f"what is stored cannot be read: {error!r}"[:500]]


class SqlSnapshot:
    """One campaign at one moment: reads in one open transaction."""

    def __init__(self, run: Run, campaign: int, names: dict[int, str]) -> None:
        self._run, self._campaign, self._names = run, campaign, names

    @property
    def _name(self) -> str:
        return self._names.get(self._campaign, f"number {self._campaign}")

    def rows(self, statement: str, /, **parameters: Any) -> list[Any]:
        """Return the rows of one statement."""
        return rows_of(self._name, statement, self._read({statement: parameters})[statement])

    def _read(self, queries: Mapping[str, Parameters]) -> dict[str, list[Row]]:
        """Return what several statements find, in one trip to the database."""
        return self._run.read({name: {"campaign": self._campaign, **given} for name, given in queries.items()})

    def ledger(self) -> Ledger:
        """Return the ledger."""
        return self._ledger_in(self._read({"read_ledger": {}})["read_ledger"])[0]

    def _ledger_in(self, rows: Sequence[Row]) -> tuple[Ledger, int]:
        """Return the ledger in what its statement found, and the time at which it was read."""
        if len(rows) != 1:
            raise damaged(self._name, "its ledger is missing")
        *ledger, name, now = rows[0]
        if name != self._names.setdefault(self._campaign, name):
            finding = f"its rows are those of {name!r}: the database was replaced, or has lost what it had stored"
            raise damaged(self._name, finding)
        return rows_of(self._name, "read_ledger", [tuple(ledger)])[0], now

    def arms(self, *, first: int = 0, limit: int | None = None) -> list[Arm]:
        """Return arms by position, from `first` on."""
        return self.rows("arms_from", first=first, limit=limit or EVERYTHING)

    def pulls(self, *, arm: int | None = None, after: int = 0, limit: int | None = None) -> list[Pull]:
        """Return pulls by number, of one arm or of all."""
        where = {"after": after, "limit": limit or EVERYTHING}
        return self.rows("pulls_after", **where) if arm is None else self.rows("pulls_of_arm", arm=arm, **where)

    def items(self, *, first: int = 0, limit: int | None = None) -> list[Item]:
        """Return items by position, from `first` on."""
        return self.rows("items_from", first=first, limit=limit or EVERYTHING)

    def answers(self) -> list[Answer]:
        """Return the outcomes that count of all arms on all items.

        They are read for every refit and every report. Checking each row, and making a value of it, takes longer than
        all the rest.
        """
        return self._run("answers", campaign=self._campaign)  # type: ignore[return-value]

    def item_pulls(self) -> list[tuple[int, int, int, int]]:
        """Return (number, arm, item, 1 if its outcome was imported) of all pulls of items."""
        return self._run("item_pulls", campaign=self._campaign)

    def signals(self) -> list[Signal]:
        """Return past arms, and the scores of arms."""
        return self.rows("all_signals")

    def single_outcomes(self) -> list[tuple[int, float]]:
        """Return (position of the arm, outcome) of all outcomes that count and were not told as sums."""
        return self._run("single_outcomes", campaign=self._campaign)

    def state(self, need: RowsToRead) -> CampaignState:
        """Return the rows that are needed."""
        return self.state_and_time(need)[0]

    def state_and_time(self, need: RowsToRead) -> tuple[CampaignState, int]:
        """Return the rows that are needed, and the time at which the ledger was read."""
        # The ledger last: an event must not be earlier than the expiry of the leases that it releases.
        found = self._read({**queries_of(need), "read_ledger": {}})
        ledger, now = self._ledger_in(found.pop("read_ledger"))
        state = CampaignState(ledger)
        self._take(state, found)
        self._complete(state, need)
        return state, now

    def _take(self, state: CampaignState, raw: Mapping[str, Sequence[Row]]) -> None:
        """Put the rows of statements into a state."""
        found = {name: rows_of(self._name, name, rows) for name, rows in raw.items()}
        for name in ("pulls_numbered", "expired_pulls", "pulls_of_arms", "pulls_told_after"):
            state.add_pulls(found.get(name, ()))
        for name in ("least_arms", "arms_named", "arms_of_pulls", "arms_from"):
            state.add_arms(found.get(name, ()))
        for name in ("items_of_pulls", "items_named", "items_from"):
            state.add_items(found.get(name, ()))
        for name in ("all_signals", "scores_of_arms"):
            state.add_signals(found.get(name, ()))
        state.requests.update((request.key, request) for request in found.get("request_with_key", ()))
        if "expired_pulls" in found:
            state.lapsed = tuple(sorted(pull.number for pull in found["expired_pulls"]))
        state.log = tuple(found.get("events_after", state.log))
        if "least_arms" in found:
            state.least = tuple(arm.position for arm in found["least_arms"])

    def _complete(self, state: CampaignState, need: RowsToRead) -> None:
        """Read rows that depend on the first ones: the pulls of a request, the arms of pulls, arms that can be paid."""
        numbers = set(state.lapsed)
        if need.arms_since:
            self._take(state, self._read(queries_of_changed_arms(state, need.arms_since)))
        else:
            numbers.update(*(changed_pulls(read_event(entry.kind, entry.body)) for entry in state.log))
        for request in state.requests.values():
            if request.numbers.stop > state.ledger.pulls + 1:
                raise damaged(self._name, "a request made more pulls than there are")
            numbers.update(request.numbers)
        if numbers:
            self._take(state, self._read(queries_of_pulls(numbers)))
        if need.unused and state.ledger.late and (unused := self.rows("unused_pulls")):
            self._take(state, self._read(queries_of_pulls([pull.number for pull in unused], items=need.items)))
        whole = {state.pulls[n].arm for n in need.pulls if n in state.pulls} if need.arm_pulls else set()
        if need.item_pairs:
            whole |= arms_that_took(state.ledger, state.arms.values(), state.items.values(), need.item_pairs)
        if whole:
            self._take(state, self._read({"pulls_of_arms": {"arms": json.dumps(sorted(whole))}}))
        if any(pull.arm not in state.arms for pull in state.pulls.values()):
            raise damaged(self._name, "the arm of a pull is missing")
        left = state.left_after_expiry(reissue=need.reissue)
        if any(state.arms[k].pull_cost > left for k in state.least):
            arms = self.rows("least_arms", left=left, limit=need.least) if state.ledger.cheapest <= left else []
            state.add_arms(arms)
            state.least = tuple(arm.position for arm in arms)


def rows_of(campaign: str, statement: str, rows: Sequence[Row]) -> list[Any]:
    """Return the rows of a statement as values of their class.

    Raises
    ------
    CorruptionError
        If a row holds a value of another type.
    """
    result = RESULTS[statement]
    if not _are_sound(result.kind)(rows):
        wrong = next(filter(None, (_wrong(result.kind, row) for row in rows)))
        raise damaged(campaign, f"a row of {result.table} holds {wrong}")
    return list(map(result.kind._make, rows))


def up_to(log: Iterable[Entry], size: int | None) -> Iterator[Entry]:
    """Yield rows of the log up to the one with which their bodies have `size` bytes."""
    left = float("inf") if size is None else size
    for row in log:
        yield row
        left -= len(str(row[2]))
        if left <= 0:
            return


def damaged(campaign: str, finding: str) -> CorruptionError:
    """Return the error for damaged rows; an audit finds the rest."""
    return CorruptionError(campaign, [finding], was_audited=False)


@cache
def _types(kind: type) -> dict[str, tuple[type, ...]]:
    return {name: get_args(hint) or (hint,) for name, hint in get_type_hints(kind).items()}


@cache
def _are_sound(kind: type) -> Callable[[Sequence[Row]], bool]:
    """Return the check of many rows at once: all combinations of types that a row can have are known."""
    shapes = frozenset(product(*_types(kind).values()))
    times = [i for i, name in enumerate(_types(kind)) if name in _TIMES]

    def check(rows: Sequence[Row]) -> bool:
        sound = shapes.issuperset([tuple(map(type, row)) for row in rows])
        return sound and all(0 <= row[i] <= LAST_MOMENT for i in times for row in rows)

    return check


def _wrong(kind: type, row: Row) -> str:
    """Return the first wrong value of a row, in words; empty if there is none."""
    for (name, types), value in zip(_types(kind).items(), row, strict=True):
        if type(value) not in types or (name in _TIMES and not 0 <= value <= LAST_MOMENT):
            return f"{repr(value)[:40]} as its {name}"
    return ""
