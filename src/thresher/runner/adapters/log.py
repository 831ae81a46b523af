"""What a log of another tool says: records with named cells, and the outcomes that chosen columns of them hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from thresher.errors import InvalidOutcomeError
from thresher.runner.reading import as_number

MOST_COLUMNS = 30  # that a complaint names
TICKET = "ticket"  # the column of tickets, unless another is named


@dataclass(frozen=True)
class Record:
    """One measurement in a log.

    Parameters
    ----------
    place : str
        Where it stands, for complaints: ``runs.csv line 7``.
    id : str
        Unlike that of every other measurement, and the same whenever the log is read.
    cells : mapping of str to object
        What is known of it, by column.
    chained : bool
        Whether the id stands for all that comes before in the log too.
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
        Of the file.
    records : list of Record
        Its measurements; what the tool itself calls an error is none.
    arm : tuple of str
        Columns that name the arm unless others are chosen.
    outcome : str
        The column of the outcome unless another is chosen; empty where there are several.
    left_out : int
        Measurements of which nothing came.
    """

    name: str
    records: list[Record]
    arm: tuple[str, ...] = ("arm",)
    outcome: str = "outcome"
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which columns of a log are what; whatever is empty is left to the format.

    Parameters
    ----------
    arm : tuple of str
        One names the arm by its cell; several name it as a matrix of parameters does: ``model=small prompt=terse``.
    outcome : str
    key : str
        A column that tells measurements apart.
    ticket : str
        A column with the tickets that were asked for; then no arm is needed. A column ``ticket`` is that one, unless an
        arm is named.
    success : tuple of str
        If given, the outcome is 1 where its cell is one of these words, else 0.
    """

    arm: tuple[str, ...] = ()
    outcome: str = ""
    key: str = ""
    ticket: str = ""
    success: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class LoggedOutcome:
    """One outcome of a log.

    Parameters
    ----------
    place, id : str
    chained : bool
        As in :class:`Record`.
    arm, ticket : str
        Whose it is: the name of an arm, or a ticket; the other one is empty.
    value : float
    """

    place: str
    id: str
    arm: str
    ticket: str
    value: float
    chained: bool = False


def outcomes_of(log: Log, columns: Columns) -> list[LoggedOutcome]:
    """Return the outcomes that stand in a log.

    Raises
    ------
    InvalidOutcomeError
        If a column is not there, a cell is no number, or two measurements have the same key; it names the line.
    """
    arm, outcome = columns.arm or log.arm, columns.outcome or log.outcome
    if not outcome:
        raise InvalidOutcomeError(
            f"{log.name} has several outcomes", instead=f"choose one by --outcome-column: {_known(log)}"
        )
    if not columns.arm and not columns.ticket and any(TICKET in record.cells for record in log.records):
        columns = replace(columns, ticket=TICKET)
    wanted = [outcome, *((columns.ticket,) if columns.ticket else arm), *filter(None, [columns.key])]
    found = [_outcome(log, record, columns, arm, outcome, wanted) for record in log.records]
    seen: dict[str, str] = {}
    for one in found:
        if (first := seen.setdefault(one.id, one.place)) != one.place:
            raise InvalidOutcomeError(f"{one.place} has the key of {first}", instead="give every measurement its own")
    return found


def _outcome(
    log: Log, record: Record, columns: Columns, arm: tuple[str, ...], outcome: str, wanted: list[str]
) -> LoggedOutcome:
    for column in wanted:
        if record.cells.get(column) in (None, ""):
            there = any(column in each.cells for each in log.records)
            what = f"{record.place} has nothing in the" if there else f"{log.name} has no"
            raise InvalidOutcomeError(
                f"{what} column {column!r}", instead="fill it in" if there else f"it has {_known(log)}: choose one"
            )
    identity = f"key {record.cells[columns.key]}" if columns.key else record.id
    value = _value(record, outcome, columns.success)
    if columns.ticket:
        return LoggedOutcome(record.place, identity, "", str(record.cells[columns.ticket]), value)
    names = [str(record.cells[column]) for column in arm]
    name = names[0] if len(arm) == 1 else " ".join(f"{c}={n}" for c, n in zip(arm, names, strict=True))
    return LoggedOutcome(record.place, identity, name, "", value, record.chained and not columns.key)


def _value(record: Record, column: str, success: tuple[str, ...]) -> float:
    cell = record.cells[column]
    if success:
        return float(str(cell).strip() in success)
    value = as_number(cell)
    if value is None:
        raise InvalidOutcomeError(
            f"{record.place}: {column} is {str(cell)[:40]!r}",
            instead="give a number, or say by --success which word counts as 1",
        )
    return value


def _known(log: Log) -> str:
    columns = dict.fromkeys(column for record in log.records for column in record.cells)
    # A name from a file may hold anything, also what steers a terminal.
    shown = [name if name.isprintable() else repr(name) for name in list(columns)[:MOST_COLUMNS]]
    return ", ".join(shown) + (", …" if len(columns) > MOST_COLUMNS else "") or "no columns"
