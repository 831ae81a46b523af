"""Logs of other tools as records with named cells, the meaning of columns, and the outcomes in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from thresher.errors import InvalidOutcomeError

if TYPE_CHECKING:
    from thresher.run.importers.outcome_columns import OutcomeColumns, Values

MOST_UNPACKED = 1_000_000_000  # bytes that a compressed log may have when it is unpacked


def too_large(path: Path, most_bytes: int) -> InvalidOutcomeError:
    """Return the error of a compressed log that would fill the memory."""
    return InvalidOutcomeError(
        f"{path} is too large when it is unpacked; must be at most {most_bytes:,} bytes",
        instead="split it, or write its arms and outcomes to a CSV file",
    )


def are_objects(document: Any, *keys: str) -> bool:
    """Return whether a JSON document, or JSON lines, is a list of objects that have these keys."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(one, Mapping) and one.keys() >= {*keys} for one in document)
    )


class Record(NamedTuple):
    """One measurement in a log.

    Attributes
    ----------
    place : str
        File and line, for error messages: ``runs.csv line 7``.
    id : str
        Unique, and the same whenever the log is read; empty if records have no ids of their own.
    cells : mapping of str to object
        Its values, by column.
    line : int
        Without an id, the hash of its cells: equal records have the same.
    """

    place: str
    id: str
    cells: Mapping[str, Any]
    line: int = 0


@dataclass(frozen=True)
class Log:
    """A file of another tool.

    Parameters
    ----------
    name : str
        Name of the file.
    records : iterable of Record
        Its measurements, without those that the tool marks as errors; those of a table are read whenever they are
        iterated over.
    arm : tuple of str
        The default columns that name the arm.
    outcome : str
        The default column of the outcome; empty if there are several.
    left_out : int
        Number of measurements without an outcome.
    error : str
        Why the run of the tool ended, or a measurement failed; empty if the log has no such message.
    format : str
        One of :data:`~thresher.run.importers.FORMATS`.
    heads : tuple of str
        The columns, if all records have the same.
    repeat : str
        The default column that says for which time an arm was asked an item; it counts where items are repeated.
    """

    name: str
    records: Iterable[Record]
    arm: tuple[str, ...] = ("arm",)
    outcome: str = "outcome"
    left_out: int = 0
    error: str = ""
    format: str = ""
    heads: tuple[str, ...] = ()
    repeat: str = "repeat"

    @cached_property
    def columns(self) -> list[str]:
        """The columns, in the order in which they come."""
        if self.heads:
            return list(self.heads)
        return list(dict.fromkeys(column for record in self.records for column in record.cells))


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The meaning of the columns of a log; an empty field is the default of the format.

    Parameters
    ----------
    arm : tuple of str
        One column holds the name of the arm; several are joined as in a matrix: ``model=small prompt=terse``.
    outcome : str
    key : tuple of str
        Columns that tell measurements apart, together.
    count, squares : str
        If `count` is given, a line is an aggregate: the column of its number of outcomes, and that of the sum of their
        squares; `outcome` is the column of their sum.
    ticket : str
        The column of tickets; then `arm` is not needed. The default is a column ``ticket``, unless `arm` is given.
    item : tuple of str
        The columns that name the item; several are joined as those of the arm are. A campaign that is created has items
        only if they are given. For a campaign that has items, the default is a column ``item``.
    success : tuple of str
        If given, the outcome is 1 if its cell is one of these words, else 0. Each of them must occur.
    failure : tuple of str
        If given, the outcome is 0 if its cell is one of these words; every cell must be a word of success or failure,
        and a word may be absent.
    arm_name : str
        The arm of all measurements, in a log of which no column names it.
    leave_out : tuple of (str, str)
        A column and a value: measurements with that value are left out. Each value must occur.
    gold : str
        A column with the right answer: the outcome is 1 if its cell agrees with it, else 0. Measurements without a
        right answer have no outcome.
    blank : str
        What a blank outcome is: ``skip`` leaves the measurement out, ``error`` refuses the log.
    repeat : str
        The column that says for which time an arm was asked an item, 1, 2, …: for a campaign with repeats. Without one
        the outcomes of an arm on an item are numbered as they come.
    outcome_option : str
        The option that chose the outcome, for messages.
    """

    arm: tuple[str, ...] = ()
    outcome: str = ""
    key: tuple[str, ...] = ()
    count: str = ""
    squares: str = ""
    ticket: str = ""
    item: tuple[str, ...] = ()
    success: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()
    arm_name: str = ""
    leave_out: tuple[tuple[str, str], ...] = ()
    gold: str = ""
    blank: str = "skip"
    repeat: str = ""
    outcome_option: str = "--outcome-column"


class LoggedOutcome(NamedTuple):
    """One outcome of a log.

    Attributes
    ----------
    place : str
        As in :class:`Record`.
    hash : int
        The same for lines that are the same measurement: of the key and the arm, or of the whole line.
    arm, ticket : str
        The name of the arm, or the ticket; the other one is empty.
    value : float
        The outcome, or the sum of an aggregate.
    item : str
        The item, empty if the log has none.
    row : int
        Its ordinal among the records of the log, from 0 on.
    n : int
        Of an aggregate: its number of outcomes; 0 for a single outcome.
    squares : float or None
        Of an aggregate: the sum of the squares of its outcomes, if it is known.
    key : str
        Of an aggregate: its key, for messages.
    repeat : int
        For which time the arm was asked the item; 0 if no column says it, -1 if its cell is not a whole number.
    """

    place: str
    hash: int
    arm: str
    ticket: str
    value: float
    item: str = ""
    row: int = 0
    n: int = 0
    squares: float | None = None
    key: str = ""
    repeat: int = 0


@dataclass(frozen=True)
class MappedLog:
    """A log and what its columns mean.

    Parameters
    ----------
    log : Log
    columns : Columns
        With the defaults of the format filled in.
    outcomes, left_out : OutcomeColumns
        The outcomes, and those that `columns.leave_out` leaves out.
    values : Values
        The cells that the outcomes come from.
    renamed : dict of str to str
        The names of arms and items that differ from the text in the log, and that text.
    blank : int
        Number of measurements whose outcome is blank, or with a gold column the right answer.
    asks_items : bool
        Whether the columns of the item were chosen; a column ``item`` that was only found does not make items.
    asks_repeats : bool
        Whether the column of the repeat was chosen.
    """

    log: Log
    columns: Columns
    outcomes: OutcomeColumns
    left_out: OutcomeColumns
    values: Values
    renamed: dict[str, str]
    blank: int = 0
    asks_items: bool = False
    asks_repeats: bool = False
