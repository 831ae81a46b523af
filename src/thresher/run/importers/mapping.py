"""The meaning of the columns of a log: which cells are the arm, the item and the outcome of each measurement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from thresher.campaign.ledger import LINES, hash_of, import_key
from thresher.errors import InvalidOutcomeError, UnknownNameError
from thresher.run.importers.labels import Labels
from thresher.run.importers.log import Columns, Log, LoggedOutcome, MappedLog, Record
from thresher.run.importers.outcome_columns import OutcomeColumns, Values
from thresher.run.reading import as_number

Progress: TypeAlias = Callable[[int, int], None]  # called with how much is done, and of how much; 0 if unknown

MOST_COLUMNS, MOST_VALUES = 30, 10  # listed in an error message
MOST_WORDS = 100_000  # different words that are counted
STEP = 10_000  # records between two reports of progress
TICKET, ITEM = "ticket", "item"  # the default columns of tickets and of items
BLANK = ("skip", "error")  # what a blank outcome may be
MOST_REPEATS = 2**31


def map_columns(log: Log, columns: Columns, progress: Progress | None = None) -> MappedLog:
    """Return a log with the outcomes in chosen columns.

    Raise InvalidOutcomeError with the line if a column is missing, a cell is not a number, two measurements have the
    same key, or two texts make the same name. `progress` is called with the number of records so far, and 0.
    """
    mapper: _Mapper | None = None
    for number, record in enumerate(log.records, start=1):
        mapper = mapper or _Mapper(log, _completed(log, columns, has_ids=bool(record.id)), has_ids=bool(record.id))
        mapper.add(record)
        if progress is not None and number % STEP == 0:
            progress(number, 0)
    if mapper is None:
        without = f" but {log.left_out} without an outcome" if log.left_out else ""
        why = f"; its run ended with an error: {_visible(log.error, 300)}" if log.error else ""
        raise InvalidOutcomeError(f"{log.name} has no measurements{without}{why}", instead="name a file with outcomes")
    mapper.check()
    return replace(mapper.result(), asks_items=bool(columns.item), asks_repeats=bool(columns.repeat))


def _completed(log: Log, columns: Columns, *, has_ids: bool) -> Columns:
    """Return the columns with the defaults of the format filled in."""
    known = log.columns
    outcome = columns.outcome or log.outcome
    if not outcome:
        raise InvalidOutcomeError(
            f"{log.name} has several outcomes", instead=f"choose one by --outcome-column: {_listed(known)}"
        )
    if columns.arm and columns.arm_name:
        raise InvalidOutcomeError(
            f"the arm is {columns.arm_name[:40]!r} and in column {columns.arm[0]!r}",
            instead="give either --arm or --arm-column",
        )
    if both := set(columns.success) & set(columns.failure):
        word = _visible(min(both))
        raise InvalidOutcomeError(f"{word!r} counts as 1 and as 0", instead="name it by --success or by --failure")
    if columns.gold and (columns.success or columns.failure or columns.count):
        raise InvalidOutcomeError(
            f"the outcome is whether {outcome!r} agrees with {columns.gold!r}, and it is a count or a word",
            instead="give either --gold-column or --success, --failure and --count-column",
        )
    if columns.blank not in BLANK:
        raise UnknownNameError("--blank", columns.blank, BLANK)
    is_named = bool(columns.arm or columns.arm_name)
    ticket = columns.ticket or (TICKET if TICKET in known and not is_named else "")
    arm = () if ticket or columns.arm_name else columns.arm or log.arm
    if not (arm or ticket or columns.arm_name):
        raise InvalidOutcomeError(
            f"{log.name} does not name the arm",
            instead=f"name it by --arm, or choose its column by --arm-column: {_listed(known)}",
        )
    item = columns.item or ((ITEM,) if ITEM in known else ())
    repeat = columns.repeat or (log.repeat if log.repeat in known else "")
    made = replace(columns, arm=arm, outcome=outcome, ticket=ticket, item=item, repeat=repeat)
    return replace(made, key=_count_key(log, made)) if columns.count and not (columns.key or has_ids) else made


def _count_key(log: Log, columns: Columns) -> tuple[str, ...]:
    """Return the column that is left over as the key of aggregates; raise InvalidOutcomeError if several are."""
    used = {*columns.arm, columns.outcome, columns.count, columns.squares, *(column for column, _ in columns.leave_out)}
    left = [column for column in log.columns if column not in used]
    if len(left) > 1:
        raise InvalidOutcomeError(
            f"{log.name} has counts, and {len(left)} columns may tell them apart: {_listed(left)}",
            instead="choose by --key-column, such as the day; repeat it for several",
        )
    return tuple(left)


class _Mapper:
    """Makes outcomes of records, and keeps the names that it gave."""

    def __init__(self, log: Log, columns: Columns, *, has_ids: bool) -> None:
        self._log, self._columns, self._known = log, columns, set(log.columns)
        self._answers = [(columns.outcome, columns.outcome_option)]  # without one of them there is no outcome
        self._answers += [(columns.gold, "--gold-column")] * bool(columns.gold)
        self._needed = _needed(columns)
        self._rows = self.blank = 0
        self._leave_out = dict.fromkeys(columns.leave_out, 0)
        self._words: Counter[str] = Counter()
        self.arms, self.items = Labels(), Labels()
        kind = "counts" if columns.count else "key" if columns.key or has_ids else LINES
        self.form = " ".join([kind, ", ".join(columns.key)]).rstrip()
        earlier_ids = getattr(log.records, "chained_ids", None)
        self.outcomes = OutcomeColumns(source=log.name, form=self.form, earlier_ids=earlier_ids)
        self.left_out, self.values = OutcomeColumns(source=log.name, form=self.form), Values()
        asked = [*self._answers, *((column, "--leave-out") for column, _ in columns.leave_out)]
        for column, option in [*asked, *([(columns.repeat, "--repeat-column")] if columns.repeat else [])]:
            if column not in self._known:
                raise _no_column(log, column, option)

    def add(self, record: Record) -> None:
        """Add the outcome of a record, if it has one; raise InvalidOutcomeError if a cell is wrong."""
        if self._is_blank(record):
            self._rows += 1
            self.blank += 1
            return
        pairs = [pair for pair in self._leave_out if _word(record.cells.get(pair[0])) == pair[1]]
        for pair in pairs:
            self._leave_out[pair] += 1
        one = self.outcome(record, is_kept=not pairs)
        self._rows += 1
        if pairs:
            self.left_out.append(one)
            return
        cell = record.cells[self._columns.outcome]
        self.outcomes.append(one)
        self.values.add(cell, one.value, MOST_VALUES)
        if self._columns.success and len(self._words) < MOST_WORDS:
            self._words[_word(cell)] += 1

    def _is_blank(self, record: Record) -> bool:
        """Return whether a record has no outcome; raise InvalidOutcomeError if it must have one."""
        empty = next((column for column, _ in self._answers if not _word(record.cells.get(column))), None)
        if empty is not None and self._columns.blank == "error":
            raise InvalidOutcomeError(
                f"{record.place} has an empty column {empty!r}", instead="fill it in, or leave out --blank error"
            )
        return empty is not None

    def outcome(self, record: Record, *, is_kept: bool) -> LoggedOutcome:
        """Return the outcome of a record, NaN if it is left out; raise InvalidOutcomeError if a cell is wrong."""
        columns, cells = self._columns, record.cells
        for column, option in self._needed:
            if column not in cells or not _word(cells[column]):
                if column not in self._known:
                    raise _no_column(self._log, column, option)
                raise InvalidOutcomeError(f"{record.place} has an empty column {column!r}", instead="fill it in")
        value = _value(record, columns) if is_kept else math.nan
        if columns.ticket:
            return LoggedOutcome(record.place, record.line, "", _word(cells[columns.ticket]), value)
        arm = columns.arm_name.strip() or self.arms.add(record.place, cells, columns.arm)
        has_item = bool(columns.item) and all(_word(cells.get(column)) for column in columns.item)
        item = self.items.add(record.place, cells, columns.item) if has_item else ""
        one = LoggedOutcome(record.place, self._hash(record, arm), arm, "", value, item, self._rows)
        one = one._replace(repeat=_repeat(cells, columns.repeat)) if columns.repeat else one
        return one._replace(**_aggregate(record, columns)) if columns.count and is_kept else one

    def _hash(self, record: Record, arm: str) -> int:
        """Return the hash of a line: of its key and its arm, or of the whole of it."""
        if self.form == LINES:
            return record.line
        key = _key(record, self._columns)
        if self._columns.count:
            return hash_of(import_key(f"count {key}", arm))
        return hash_of(import_key(f"key {key}" if self._columns.key else record.id, arm))

    def check(self) -> None:
        """Raise InvalidOutcomeError if a value or a word never occurs, or two measurements have the same key."""
        log, columns = self._log, self._columns
        for (column, value), times in self._leave_out.items():
            if not times:
                found = Counter(_word(record.cells.get(column)) for record in log.records)
                raise InvalidOutcomeError(
                    f"{log.name}: no measurement has {_visible(value)!r} in {column!r}",
                    instead=f"values found: {_counted(found)}; nothing was stored",
                )
        if self.blank == self._rows:
            raise InvalidOutcomeError(
                f"{log.name} has no measurements with an outcome in {columns.outcome!r}",
                instead=f"choose another column by {columns.outcome_option}",
            )
        if not len(self.outcomes):
            raise InvalidOutcomeError(
                f"{log.name} has no measurements that are kept", instead="leave out fewer of them"
            )
        if not columns.failure:
            self._check_words()
        if self.form != LINES and not columns.ticket and (twice := self.outcomes.first_repeat()):
            raise InvalidOutcomeError(
                f"{twice[0]} has the key of {twice[1]}",
                instead="give each measurement a unique key; repeat --key-column to combine columns",
            )

    def _check_words(self) -> None:
        """Raise unless each word that counts as 1 occurs: a misspelt one would make every outcome 0."""
        for word in self._columns.success:
            if word not in self._words and not any(_word(text) == word for text, _ in self.values.counts):
                raise InvalidOutcomeError(
                    f"{self._log.name}: 0 of {len(self.outcomes):,} rows match {_visible(word)!r} in "
                    f"{self._columns.outcome!r}",
                    instead=f"values found: {_counted(self._words)}; name one by --success; if there are only "
                    "failures, give their word by --failure; nothing was stored",
                )

    def result(self) -> MappedLog:
        """Return the log with its outcomes."""
        return MappedLog(
            log=self._log,
            columns=self._columns,
            outcomes=self.outcomes,
            left_out=self.left_out,
            values=self.values,
            renamed=self.arms.changed | self.items.changed,
            blank=self.blank,
        )


def _needed(columns: Columns) -> list[tuple[str, str]]:
    """Return the columns that every measurement must have filled in, each with its option."""
    uses: tuple[tuple[str, Sequence[str]], ...] = (
        ("--arm-column", columns.arm),
        ("--item-column", [column for column in columns.item if column != ITEM]),
        ("--ticket-column", [columns.ticket]),
        ("--key-column", columns.key),
        ("--count-column", [columns.count]),
        ("--squares-column", [columns.squares]),
    )
    return [(column, option) for option, names in uses for column in names if column]


def _key(record: Record, columns: Columns) -> str:
    """Return the cells of the key; those of several columns are separated by a character that no cell has."""
    return "\x1f".join(str(record.cells[column]) for column in columns.key)


def _repeat(cells: Mapping[str, Any], column: str) -> int:
    """Return the ordinal in a cell; -1 if it is not a whole number from 1 on."""
    number = as_number(cells.get(column))
    return int(number) if number is not None and number == math.floor(number) and 1 <= number < MOST_REPEATS else -1


def _aggregate(record: Record, columns: Columns) -> dict[str, Any]:
    """Return the number of outcomes, the sum of their squares and the key of a line that is an aggregate."""
    count, squares = as_number(record.cells[columns.count]), None
    if count is None or count != math.floor(count) or count < 1:
        raise InvalidOutcomeError(
            f"{record.place}: {columns.count} is {str(record.cells[columns.count])[:40]!r}",
            instead="give the number of measurements: a whole number from 1 on",
        )
    if columns.squares and (squares := as_number(record.cells[columns.squares])) is None:
        raise InvalidOutcomeError(
            f"{record.place}: {columns.squares} is {str(record.cells[columns.squares])[:40]!r}",
            instead="give the sum of the squared outcomes",
        )
    return {"n": int(count), "squares": squares, "key": _key(record, columns).replace("\x1f", " ")}


def _no_column(log: Log, column: str, option: str) -> InvalidOutcomeError:
    return InvalidOutcomeError(
        f"{log.name} has no column {column!r}", instead=f"it has {_listed(log.columns)}: choose one by {option}"
    )


def _counted(values: Counter[str]) -> str:
    return _shown([f"{_visible(value)} ({count:,})" for value, count in values.most_common()], MOST_VALUES) or "none"


def _word(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _visible(text: str, longest: int = 40) -> str:
    """Return the beginning of a text without control sequences for a terminal."""
    return (text if text.isprintable() else repr(text))[:longest]


def _value(record: Record, columns: Columns) -> float:
    column, cell = columns.outcome, record.cells[columns.outcome]
    if columns.gold:
        return float(_agree(cell, record.cells[columns.gold]))
    if columns.failure and _word(cell) not in (*columns.success, *columns.failure):
        raise InvalidOutcomeError(
            f"{record.place}: {column} is {str(cell)[:40]!r}", instead="name every word by --success or --failure"
        )
    if columns.success or columns.failure:
        return float(_word(cell) in columns.success)
    value = as_number(cell)
    if value is None:
        raise InvalidOutcomeError(
            f"{record.place}: {column} is {str(cell)[:40]!r}",
            instead="give a number, say by --success which word counts as 1, or choose another column by "
            f"{columns.outcome_option}",
        )
    return value


def _agree(label: Any, gold: Any) -> bool:
    """Return whether a label is the right answer: the same word, or the same number."""
    if _word(label) == _word(gold):
        return True
    return as_number(label) is not None and as_number(label) == as_number(gold)


def _listed(columns: Sequence[str]) -> str:
    return _shown([_visible(name) for name in columns], MOST_COLUMNS) or "no columns"


def _shown(texts: Sequence[str], most: int) -> str:
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")
