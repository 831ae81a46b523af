"""The meaning of the columns of a log: which cells are the arm, the item and the outcome of each measurement."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

from thresher.errors import InvalidOutcomeError
from thresher.runner.adapters.labels import Labels
from thresher.runner.adapters.log import Columns, Log, LoggedOutcome, MappedLog, Record
from thresher.runner.reading import as_number

MOST_COLUMNS, MOST_VALUES = 30, 10  # listed in an error message
TICKET, ITEM = "ticket", "item"  # the default columns of tickets and of items


def map_columns(log: Log, columns: Columns) -> MappedLog:
    """Return a log with the outcomes in chosen columns.

    Raise InvalidOutcomeError with the line if a column is missing, a cell is not a number, two measurements have the
    same key, or two texts make the same name.
    """
    if not log.records:
        without = f" but {log.left_out} without an outcome" if log.left_out else ""
        raise InvalidOutcomeError(f"{log.name} has no measurements{without}", instead="name a file with outcomes")
    columns = _completed(log, columns)
    dropped = _dropped(log, columns)
    is_kept = [record.id not in dropped for record in log.records]
    if not any(is_kept):
        raise InvalidOutcomeError(f"{log.name} has no measurements that are kept", instead="leave out fewer of them")
    mapper = _Mapper(log, columns)
    found = [mapper.outcome(record, is_kept=kept) for record, kept in zip(log.records, is_kept, strict=True)]
    cells = [record.cells[columns.outcome] for record in compress(log.records, is_kept)]
    if not columns.failure:
        _check_words(log.name, cells, columns)
    _check_keys(found)
    return MappedLog(
        log=log,
        columns=columns,
        outcomes=list(compress(found, is_kept)),
        left_out=[one for one, kept in zip(found, is_kept, strict=True) if not kept],
        cells=cells,
        renamed=mapper.arms.changed | mapper.items.changed,
    )


def _completed(log: Log, columns: Columns) -> Columns:
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
    is_named = bool(columns.arm or columns.arm_name)
    ticket = columns.ticket or (TICKET if TICKET in known and not is_named else "")
    arm = () if ticket or columns.arm_name else columns.arm or log.arm
    if not (arm or ticket or columns.arm_name):
        raise InvalidOutcomeError(
            f"{log.name} does not name the arm",
            instead=f"name it by --arm, or choose its column by --arm-column: {_listed(known)}",
        )
    item = columns.item or ((ITEM,) if ITEM in known else ())
    return replace(columns, arm=arm, outcome=outcome, ticket=ticket, item=item)


def _dropped(log: Log, columns: Columns) -> set[str]:
    """Return the ids of the records that are left out; raise InvalidOutcomeError if a value does not occur."""
    dropped = set[str]()
    for column, value in columns.leave_out:
        if column not in log.columns:
            raise _no_column(log, column)
        found = {record.id for record in log.records if _word(record.cells.get(column)) == value}
        if not found:
            values = Counter(_word(record.cells.get(column)) for record in log.records)
            raise InvalidOutcomeError(
                f"{log.name}: no measurement has {_visible(value)!r} in {column!r}",
                instead=f"values found: {_counted(values)}; nothing was stored",
            )
        dropped |= found
    return dropped


class _Mapper:
    """Makes outcomes of records; counts the measurements of each arm and keeps the names that it gave."""

    def __init__(self, log: Log, columns: Columns) -> None:
        self._log, self._columns = log, columns
        self._needed = [columns.outcome, *filter(None, [columns.ticket, columns.key]), *columns.arm]
        self._needed += [column for column in columns.item if column != ITEM]
        self._counts: Counter[str] = Counter()
        self.arms, self.items = Labels(), Labels()

    def outcome(self, record: Record, *, is_kept: bool) -> LoggedOutcome:
        """Return the outcome of a record, NaN if it is left out; raise InvalidOutcomeError if a cell is wrong."""
        columns, cells = self._columns, record.cells
        for column in self._needed:
            if column not in cells or not _word(cells[column]):
                if column not in self._log.columns:
                    raise _no_column(self._log, column)
                raise InvalidOutcomeError(f"{record.place} has an empty column {column!r}", instead="fill it in")
        identity = f"key {cells[columns.key]}" if columns.key else record.id
        value = _value(record, columns) if is_kept else math.nan
        if columns.ticket:
            return LoggedOutcome(record.place, identity, "", str(cells[columns.ticket]), value)
        arm = columns.arm_name or self.arms.add(record.place, cells, columns.arm)
        has_item = bool(columns.item) and all(_word(cells.get(column)) for column in columns.item)
        item = self.items.add(record.place, cells, columns.item) if has_item else ""
        self._counts[arm] += 1
        is_chained = record.chained and not columns.key
        return LoggedOutcome(record.place, identity, arm, "", value, is_chained, item, self._counts[arm])


def _no_column(log: Log, column: str) -> InvalidOutcomeError:
    return InvalidOutcomeError(
        f"{log.name} has no column {column!r}", instead=f"it has {_listed(log.columns)}: choose one"
    )


def _check_keys(found: Sequence[LoggedOutcome]) -> None:
    seen: dict[str, str] = {}
    for one in found:
        if (first := seen.setdefault(one.id, one.place)) != one.place:
            raise InvalidOutcomeError(
                f"{one.place} has the key of {first}", instead="give each measurement a unique key"
            )


def _check_words(name: str, cells: Sequence[Any], columns: Columns) -> None:
    """Raise InvalidOutcomeError unless each word that counts as 1 occurs: a misspelt one would make every outcome 0."""
    values = Counter(map(_word, cells))
    for word in columns.success:
        if word not in values:
            raise InvalidOutcomeError(
                f"{name}: 0 of {len(cells):,} rows match {_visible(word)!r} in {columns.outcome!r}",
                instead=f"values found: {_counted(values)}; name one by --success; if there are only "
                "failures, give their word by --failure; nothing was stored",
            )


def _counted(values: Counter[str]) -> str:
    return _shown([f"{_visible(value)} ({count:,})" for value, count in values.most_common()], MOST_VALUES) or "none"


def _word(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _visible(text: str) -> str:
    """Return the beginning of a text without control sequences for a terminal."""
    return (text if text.isprintable() else repr(text))[:40]


def _value(record: Record, columns: Columns) -> float:
    column, cell = columns.outcome, record.cells[columns.outcome]
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
            instead="give a number, or say by --success which word counts as 1",
        )
    return value


def _listed(columns: Sequence[str]) -> str:
    return _shown([_visible(name) for name in columns], MOST_COLUMNS) or "no columns"


def _shown(texts: Sequence[str], most: int) -> str:
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")
