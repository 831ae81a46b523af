"""Logs of other tools as records with named cells, and the outcomes in chosen columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from thresher.errors import InvalidOutcomeError
from thresher.runner.reading import as_number

MOST_COLUMNS, MOST_VALUES = 30, 10  # listed in an error message
TICKET, ITEM = "ticket", "item"  # the default columns of tickets and of items


@dataclass(frozen=True)
class Record:
    """One measurement in a log.

    Parameters
    ----------
    place : str
        File and line, for error messages: ``runs.csv line 7``.
    id : str
        Unique, and the same whenever the log is read.
    cells : mapping of str to object
        Its values, by column.
    chained : bool
        Whether the id is a hash over this record and all before it in the log.
    """

    place: str
    id: str
    cells: Mapping[str, Any]
    chained: bool = False


@dataclass(frozen=True)
class Log:
    """A file of another tool.

    Parameters
    ----------
    name : str
        Name of the file.
    records : list of Record
        Its measurements, without those that the tool marks as errors.
    arm : tuple of str
        The default columns that name the arm.
    outcome : str
        The default column of the outcome; empty if there are several.
    left_out : int
        Number of measurements without an outcome.
    """

    name: str
    records: list[Record]
    arm: tuple[str, ...] = ("arm",)
    outcome: str = "outcome"
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The meaning of the columns of a log; an empty field is the default of the format.

    Parameters
    ----------
    arm : tuple of str
        One column holds the name of the arm; several are joined as in a matrix: ``model=small prompt=terse``.
    outcome : str
    key : str
        A column that is unique for each measurement.
    ticket : str
        The column of tickets; then `arm` is not needed. The default is a column ``ticket``, unless `arm` is given.
    item : str
        The column of items, for a campaign that has items. The default is a column ``item``.
    success : tuple of str
        If given, the outcome is 1 if its cell is one of these words, else 0. Each of them must occur.
    failure : tuple of str
        If given, the outcome is 0 if its cell is one of these words; every cell must be a word of success or failure,
        and a word may be absent.
    """

    arm: tuple[str, ...] = ()
    outcome: str = ""
    key: str = ""
    ticket: str = ""
    item: str = ""
    success: tuple[str, ...] = field(default=())
    failure: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class LoggedOutcome:
    """One outcome of a log.

    Parameters
    ----------
    place, id : str
    chained : bool
        As in :class:`Record`.
    arm, ticket : str
        The name of the arm, or the ticket; the other one is empty.
    value : float
    item : str
        The item, empty if the log has none.
    """

    place: str
    id: str
    arm: str
    ticket: str
    value: float
    chained: bool = False
    item: str = ""


def outcomes_of(log: Log, columns: Columns) -> list[LoggedOutcome]:
    """Return the outcomes in a log.

    Raises
    ------
    InvalidOutcomeError
        If a column is missing, a cell is not a number, or two measurements have the same key; it names the line.
    """
    if not log.records:
        without = f" but {log.left_out} without an outcome" if log.left_out else ""
        raise InvalidOutcomeError(f"{log.name} has no measurements{without}", instead="name a file with outcomes")
    has_items, columns = bool(columns.item), _found(log, columns)
    arm, outcome = columns.arm, columns.outcome
    if not outcome:
        raise InvalidOutcomeError(
            f"{log.name} has several outcomes", instead=f"choose one by --outcome-column: {_known(log)}"
        )
    wanted = [outcome, *((columns.ticket,) if columns.ticket else arm), *filter(None, [columns.key])]
    wanted += [columns.item] if has_items else []
    found = [_outcome(log, record, columns, arm, outcome, wanted) for record in log.records]
    if not columns.failure:
        _check_words(log, outcome, columns.success)
    seen: dict[str, str] = {}
    for one in found:
        if (first := seen.setdefault(one.id, one.place)) != one.place:
            raise InvalidOutcomeError(
                f"{one.place} has the key of {first}", instead="give each measurement a unique key"
            )
    return found


def _found(log: Log, columns: Columns) -> Columns:
    """Return the columns as the log spells them: capitals and blanks around a name do not matter."""
    spelled: dict[str, list[str]] = {}
    for name in dict.fromkeys(column for record in log.records for column in record.cells):
        spelled.setdefault(name.strip().lower(), []).append(name)

    def find(name: str, default: str = "") -> str:
        known = spelled.get((name or default).strip().lower(), [])
        return known[0] if len(known) == 1 and (name or default) not in known else name or default

    has_ticket = not columns.arm and TICKET in spelled
    return replace(
        columns,
        arm=tuple(find(name) for name in columns.arm or log.arm),
        outcome=find(columns.outcome, log.outcome),
        key=find(columns.key),
        ticket=find(columns.ticket, TICKET if has_ticket else ""),
        item=find(columns.item, ITEM if ITEM in spelled else ""),
    )


def _outcome(
    log: Log, record: Record, columns: Columns, arm: tuple[str, ...], outcome: str, wanted: list[str]
) -> LoggedOutcome:
    for column in wanted:
        if record.cells.get(column) in (None, ""):
            there = any(column in each.cells for each in log.records)
            what = f"{record.place} has an empty" if there else f"{log.name} has no"
            raise InvalidOutcomeError(
                f"{what} column {column!r}", instead="fill it in" if there else f"it has {_known(log)}: choose one"
            )
    identity = f"key {record.cells[columns.key]}" if columns.key else record.id
    value = _value(record, outcome, columns)
    if columns.ticket:
        return LoggedOutcome(record.place, identity, "", str(record.cells[columns.ticket]), value)
    names = [str(record.cells[column]) for column in arm]
    name = names[0] if len(arm) == 1 else " ".join(f"{c}={n}" for c, n in zip(arm, names, strict=True))
    item = record.cells.get(columns.item)
    is_chained = record.chained and not columns.key
    return LoggedOutcome(record.place, identity, name, "", value, is_chained, "" if item is None else str(item))


def _check_words(log: Log, column: str, success: tuple[str, ...]) -> None:
    """Check that each word that counts as 1 occurs: a misspelt one would make every outcome 0.

    Raises
    ------
    InvalidOutcomeError
        If one does not; the message counts the values that do.
    """
    values = Counter(_word(record.cells[column]) for record in log.records)
    for word in success:
        if word not in values:
            shown = [f"{_visible(value)} ({count:,})" for value, count in values.most_common(MOST_VALUES)]
            more = ", …" if len(values) > MOST_VALUES else ""
            raise InvalidOutcomeError(
                f"{log.name}: 0 of {len(log.records):,} rows match {_visible(word)!r} in {column!r}",
                instead=f"values found: {', '.join(shown) or 'none'}{more}; name one by --success; if there are only "
                "failures, give their word by --failure; nothing was stored",
            )


def _word(cell: Any) -> str:
    return str(cell).strip()


def _visible(text: str) -> str:
    """Return the beginning of a text without control sequences for a terminal."""
    return (text if text.isprintable() else repr(text))[:40]


def _value(record: Record, column: str, columns: Columns) -> float:
    cell = record.cells[column]
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


def _known(log: Log) -> str:
    columns = dict.fromkeys(column for record in log.records for column in record.cells)
    shown = [_visible(name) for name in list(columns)[:MOST_COLUMNS]]
    return ", ".join(shown) + (", …" if len(columns) > MOST_COLUMNS else "") or "no columns"
