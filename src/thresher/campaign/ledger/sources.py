"""What imports told, computed from the log: the lines of each source that count, and what a new version changes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.line_sets import EMPTY, LineSet, decode_hashes, unpack
from thresher.campaign.ledger.outcomes import Aggregate
from thresher.campaign.ledger.rows import Arm

LINES = "lines"  # the form of a source whose lines have no keys
ITEMS = "items"  # the form of a source of a campaign with items: arm and item make two lines the same
IMPORT_KINDS = frozenset(
    event.kind
    for event in (e.ArmsAdded, e.ItemsAdded, e.SourcesImported, e.CountsTold, e.ItemsTold, e.Voided, e.Amended)
)
HEX = 16  # digits of an idempotency key that are the hash of its line
KEY = re.compile("[0-9a-f]{64}")  # idempotency keys that imports make

ItemKey: TypeAlias = tuple[str, str, int]  # arm, item and ordinal of an outcome


@dataclass(frozen=True)
class CountLine:
    """A line that is an aggregate: hash of its key and its arm, position of the arm, its numbers, where it is."""

    hash: int
    arm: int
    sums: Aggregate
    place: str = ""
    key: str = ""


class ItemLine(NamedTuple):
    """A line that is the outcome of an arm on an item, where it is, and its ordinal among those of the arm and item."""

    arm: str
    item: str
    value: float
    place: str = ""
    repeat: int = 1

    @property
    def key(self) -> ItemKey:
        """What makes two lines the same measurement."""
        return self.arm, self.item, self.repeat


@dataclass(frozen=True)
class Version:
    """The lines of a source in one import.

    Parameters
    ----------
    source : str
    form : str
        What makes two lines the same: ``lines``, ``items``, ``key …`` or ``counts …`` with the columns of the key.
    lines : LineSet
    counts : tuple of CountLine
        If lines are aggregates.
    answers : tuple of ItemLine
        If the campaign has items.
    continues : tuple of str
        Ids of imports by earlier versions of thresher whose lines are left out here.
    place : callable
        Returns where the line with a hash is, for messages.
    """

    source: str
    form: str
    lines: LineSet = EMPTY
    counts: tuple[CountLine, ...] = ()
    answers: tuple[ItemLine, ...] = ()
    continues: tuple[str, ...] = ()
    place: Callable[[int], str] = str

    @property
    def size(self) -> int:
        """How many lines it has."""
        return len(self.counts) or len(self.answers) or self.lines.size


@dataclass(frozen=True)
class ImportedPull:
    """An aggregate that an import stored: the lines in it, or the one line that it is; nothing of it counts if void."""

    number: int
    arm: int
    source: str
    form: str
    lines: LineSet = EMPTY
    count: CountLine | None = None
    is_void: bool = False

    @property
    def size(self) -> int:
        """How many lines are in it."""
        return self.lines.size if self.count is None else 1


class EarlierPull(NamedTuple):
    """An aggregate that an import of an earlier version of thresher stored."""

    key: str
    arm: int
    size: int
    total: float
    batch: str
    is_void: bool = False


class ImportedItem(NamedTuple):
    """An outcome of an item that an import told; without a source if an earlier version of thresher stored it."""

    number: int
    arm: int
    item: int
    source: str | None
    batch: str
    is_void: bool = False
    repeat: int = 1


@dataclass
class ImportLog:
    """What imports told, by the events of a campaign up to number `seq`."""

    seq: int = 0
    arms: list[Arm] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    pulls: dict[int, ImportedPull] = field(default_factory=dict)
    answers: dict[int, ImportedItem] = field(default_factory=dict)
    earlier: dict[int, EarlierPull] = field(default_factory=dict)
    continued: dict[str, set[str]] = field(default_factory=dict)

    def add(self, event: e.Event) -> None:
        """Add an event; those that imports do not depend on change nothing."""
        if isinstance(event, e.ArmsAdded):
            self.arms += [Arm(len(self.arms) + i, *row) for i, row in enumerate(event.arms)]
        elif isinstance(event, e.ItemsAdded):
            self.items += event.names
        elif isinstance(event, e.SourcesImported):
            self._add_import(event)
        elif isinstance(event, e.ItemsTold) and event.batch is not None:
            told = enumerate(event.outcomes, start=event.number)
            self.answers |= {
                n: ImportedItem(n, arm, item, None, event.batch or "", repeat=rest[0] if rest else 1)
                for n, (arm, item, _, *rest) in told
            }
        elif isinstance(event, e.CountsTold) and event.key is not None:
            self.earlier[event.number] = EarlierPull(event.key, event.arm, event.count, event.total, event.batch or "")
        elif isinstance(event, e.Voided):
            self._void((event.number, *event.others))
        elif isinstance(event, e.Amended):
            self._amend(event)

    def _add_import(self, event: e.SourcesImported) -> None:
        self._void(event.voided)
        for number, *_, removed in event.reduced:
            pull = self.pulls[number]
            self.pulls[number] = replace(pull, lines=pull.lines.minus(unpack(removed, pull.arm)))
        for name, _, continues in event.sources:
            self.continued.setdefault(name, set()).update(continues)
        for number, (source, arm, count, total, _, lines) in enumerate(event.pulls, start=event.number):
            name, form, _ = event.sources[source]
            if len(lines) == 1 and lines[0][1] == 0:
                hash_ = int(decode_hashes(lines[0][2])[0])
                line = CountLine(hash_, arm, Aggregate(count, total, lines[0][0]))
                self.pulls[number] = ImportedPull(number, arm, name, form, count=line)
            else:
                self.pulls[number] = ImportedPull(number, arm, name, form, unpack(lines, arm))  # type: ignore[arg-type]
        for number, (source, arm, item, _, *rest) in zip(e.item_pulls(event), event.outcomes, strict=True):
            repeat = rest[0] if rest else 1
            self.answers[number] = ImportedItem(number, arm, item, event.sources[source][0], event.batch, repeat=repeat)

    def _void(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number in self.pulls:
                self.pulls[number] = replace(self.pulls[number], is_void=True)
            elif number in self.answers:
                self.answers[number] = self.answers[number]._replace(is_void=True)
            elif number in self.earlier:
                self.earlier[number] = self.earlier[number]._replace(is_void=True)

    def _amend(self, event: e.Amended) -> None:
        """Count an aggregate again, with its new numbers."""
        if (pull := self.pulls.get(event.number)) is not None:
            count = pull.count
            if count is not None:
                bar, squares = self.arms[pull.arm].threshold, event.squares or 0.0
                raw = squares + 2.0 * bar * event.value - event.count * bar * bar
                count = replace(count, sums=Aggregate(event.count, event.value, raw))
            self.pulls[event.number] = replace(pull, count=count, is_void=False)
        elif (answer := self.answers.get(event.number)) is not None:
            self.answers[event.number] = answer._replace(is_void=False)
        elif (old := self.earlier.get(event.number)) is not None:
            self.earlier[event.number] = old._replace(total=event.value, is_void=False)

    def live(self, *, source: str | None = None) -> list[ImportedPull]:
        """Return the aggregates with lines that count, of one source or of all, in their order."""
        every = (pull for pull in self.pulls.values() if not pull.is_void and pull.size)
        return sorted((pull for pull in every if source in (None, pull.source)), key=lambda pull: pull.number)

    def sources(self) -> list[str]:
        """Return the names of the sources with lines that count."""
        items = (one.source for one in self.told_items().values() if one.source is not None)
        return list(dict.fromkeys([*(pull.source for pull in self.live()), *items]))

    def told_items(self) -> dict[ItemKey, ImportedItem]:
        """Return the outcomes of items that count, by arm, item and ordinal."""
        counted = (one for one in self.answers.values() if not one.is_void)
        return {(self.arms[one.arm].name, self.items[one.item], one.repeat): one for one in counted}

    def lines_of(self, pulls: Iterable[ImportedPull]) -> LineSet:
        """Return the lines of aggregates."""
        return LineSet.union(pull.lines for pull in pulls if pull.count is None)

    def earlier_by_key(self) -> dict[str, EarlierPull]:
        """Return the aggregates of earlier versions of thresher that still count, by their first idempotency key.

        A line that was told again after a void got the hash of its key as the next one.
        """
        first: dict[str, str] = {}
        found: dict[str, EarlierPull] = {}
        for _, pull in sorted(self.earlier.items()):
            key = first.get(pull.key, pull.key)
            if pull.is_void:
                first[hashlib.sha256(pull.key.encode()).hexdigest()] = key
            elif is_import_key(pull.key):
                found[key] = pull
        return found

    def earlier_lines(self) -> LineSet:
        """Return the lines with keys that earlier versions of thresher stored, each by itself."""
        single = [(hash_of(key), pull) for key, pull in self.earlier_by_key().items() if pull.size == 1]
        columns = [[part for part, _ in single], [pull.arm for _, pull in single], [pull.total for _, pull in single]]
        return LineSet.of(*columns)


def is_import_key(key: str) -> bool:
    """Return whether an idempotency key is one that an import made."""
    return KEY.fullmatch(key) is not None


def import_key(identity: str, arm: str) -> str:
    """Return the idempotency key of a line with an id of its own; earlier versions of thresher stored it."""
    return hashlib.sha256(f"{identity}\0{arm}".encode()).hexdigest()


def hash_of(key: str) -> int:
    """Return the hash of a line with a key of its own."""
    return int(key[:HEX], 16)
