"""A campaign in a storage: transactions, reads of its rows, and what only its event log has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import cast

from thresher.campaign.ledger import (
    IMPORT_KINDS,
    CampaignState,
    Event,
    ImportLog,
    Machine,
    Pull,
    Terms,
    decisions,
    read_event,
)
from thresher.campaign.ledger import events as e
from thresher.campaign.storage import Heading, Plan, RowsToRead, Snapshot, Storage, TransactionResult
from thresher.errors import CorruptionError, UnknownNameError

EVENTS_IN_A_READ = PULLS_IN_A_READ = 10_000


class StoredCampaign:
    """One campaign in a storage."""

    def __init__(self, storage: Storage, heading: Heading) -> None:
        self.storage, self.heading = storage, heading
        self.machine = Machine(Terms.from_json(heading.terms))
        self._names: list[str] = []
        self._items_known: bool | None = None

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self.heading.name

    @property
    def terms(self) -> Terms:
        """The terms, fixed when the campaign was created."""
        return self.machine.terms

    def transact(self, need: RowsToRead, plan: Plan) -> TransactionResult:
        """Read the rows that are needed, decide, and write the event with the rows that it changes.

        Raises
        ------
        CampaignArchivedError
            If the campaign is archived.
        """

        def unless_archived(state: CampaignState) -> Event | None:
            decisions.check_not_archived(self.name, state.ledger)
            return plan(state)

        return self.storage.transact(self.heading.id, self.machine, need, unless_archived)

    def archive(self, *, reason: str) -> None:
        """Archive the campaign."""
        plan = partial(decisions.archive, reason=reason)
        self.storage.transact(self.heading.id, self.machine, RowsToRead(), lambda state: plan(state.ledger))

    def unarchive(self) -> None:
        """Undo :meth:`archive`."""
        self.storage.transact(
            self.heading.id, self.machine, RowsToRead(), lambda state: decisions.unarchive(state.ledger)
        )

    def look(self, need: RowsToRead) -> CampaignState:
        """Return rows of one moment without waiting for writers."""
        return self.storage.look(self.heading.id, need)

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Hold the rows of one moment."""
        return self.storage.snapshot(self.heading.id)

    @property
    def has_items(self) -> bool:
        """Whether the campaign has items, which it has from the start or never."""
        if self._items_known is None:
            self._items_known = bool(self.storage.ledger(self.heading.id).pools)
        return self._items_known

    def names_of_items(self, positions: Iterable[int | None] | None = None) -> list[str]:
        """Return the names of items by position: of all, or at least up to the last of these positions."""
        known = self._names
        last = None if positions is None else max((item for item in positions if item is not None), default=-1)
        if last is None or last >= len(known):
            with self.snapshot() as now:
                known = self._names = [*known, *(item.name for item in now.items(first=len(known)))]
        return known

    def event(self, seq: int) -> Event:
        """Return the event of that number."""
        for entry in self.storage.events(self.heading.id, after=seq - 1, limit=1):
            return read_event(entry.kind, entry.body)
        raise CorruptionError(self.name, [f"event {seq} is missing"], was_audited=False)

    def last_decided(self, last: int) -> tuple[int, ...]:
        """Return the positions of the arms that the last extension left decided, up to event number `last`."""
        while last > 0:
            after = max(last - EVENTS_IN_A_READ, 0)
            log = self.storage.events(self.heading.id, after=after, limit=last - after)
            for entry in reversed(log):
                if entry.kind == e.Extended.kind:
                    return cast("e.Extended", read_event(entry.kind, entry.body)).decided
            last = after
        return ()

    def first_outcomes(self, need: RowsToRead) -> dict[int, float]:
        """Return the first outcomes of pulls, by number."""
        pulls = self.look(need).pulls.values()
        events = {pull.told: self.event(pull.told) for pull in pulls if pull.told}
        told = [event.outcomes for event in events.values() if isinstance(event, e.Told)]
        told += [event.used for event in events.values() if isinstance(event, e.Extended)]
        imported = [event for event in events.values() if isinstance(event, (e.ItemsTold, e.SourcesImported))]
        first = {number: value for outcomes in told for number, value in outcomes}
        return first | {number: value for event in imported for number, value in e.item_values(event).items()}

    def told_costs(self, pulls: Sequence[Pull]) -> dict[int, int]:
        """Return the costs that were told with the outcomes of pulls, by number."""
        events = [self.event(seq) for seq in {pull.told for pull in pulls}]
        costs = {number: cost for event in events if isinstance(event, e.Told) for number, cost in event.costs}
        if missing := next((pull.number for pull in pulls if pull.number not in costs), None):
            raise CorruptionError(self.name, [f"the told cost of pull {missing} is missing"], was_audited=False)
        return costs

    def imports(self) -> ImportLog:
        """Return what imports told."""
        log, entries = ImportLog(), list[e.LogEntry]()
        while entries := self.storage.events(self.heading.id, after=log.seq, limit=EVENTS_IN_A_READ):
            for entry in entries:
                if entry.kind in IMPORT_KINDS:
                    log.add(read_event(entry.kind, entry.body))
            log.seq = entries[-1].seq
        return log

    def numbers_in(self, batch: str) -> list[int]:
        """Return the numbers of the pulls whose outcomes an import told."""
        found: dict[str, list[int]] = {}
        for event in self._logged('"batch":'):
            if isinstance(event, (e.Told, e.CountsTold, e.SourcesImported, e.ItemsTold)) and event.batch is not None:
                found.setdefault(event.batch, []).extend(e.told_pulls(event))
        if batch not in found:
            raise UnknownNameError("import", batch[:60], found)
        return found[batch]

    def measured_by(self, parts: Sequence[tuple[str, str]]) -> list[tuple[tuple[str, str], ...]]:
        """Return how earlier runs measured, the last one last; only `parts` if one of them measured in this way."""
        command = e.MeasuredBy(tuple(parts))
        if self.look(RowsToRead(key=command.key)).requests:
            return [command.parts]
        return [event.parts for event in self._logged('"parts":') if isinstance(event, e.MeasuredBy)]

    def outstanding_asks(self, prefix: str) -> list[tuple[str, str]]:
        """Return the idempotency key and the ticket of every outstanding pull whose key begins with `prefix`."""
        if not self.storage.ledger(self.heading.id).reserved:
            return []
        asks = [event for event in self._logged(f'"key":"{prefix}') if isinstance(event, e.Asked)]
        keys = {pull[0]: event.key or "" for event in asks for pull in event.pulls}
        return [(keys[pull.number], pull.ticket) for pull in self.pulls_numbered([*keys]) if pull.is_out]

    def pulls_numbered(self, numbers: Sequence[int]) -> Iterator[Pull]:
        """Yield the pulls with these numbers."""
        for i in range(0, len(numbers), PULLS_IN_A_READ):
            need = RowsToRead(pulls=tuple(numbers[i : i + PULLS_IN_A_READ]))
            yield from self.look(need).pulls.values()

    def _logged(self, part: str) -> Iterator[Event]:
        """Yield the events whose JSON has this part, in order."""
        after, log = 0, list[e.LogEntry]()
        while log := self.storage.events(self.heading.id, after=after, limit=EVENTS_IN_A_READ):
            yield from (read_event(entry.kind, entry.body) for entry in log if part in entry.body)
            after = log[-1].seq
