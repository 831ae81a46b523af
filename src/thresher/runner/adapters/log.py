"""Logs of other tools as records with named cells, the meaning of columns, and the outcomes in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.errors import InvalidOutcomeError

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
    format : str
        One of :data:`~thresher.runner.adapters.FORMATS`.
    """

    name: str
    records: list[Record]
    arm: tuple[str, ...] = ("arm",)
    outcome: str = "outcome"
    left_out: int = 0
    format: str = ""

    @property
    def columns(self) -> list[str]:
        """The columns, in the order in which they come."""
        return list(dict.fromkeys(column for record in self.records for column in record.cells))


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
    item : tuple of str
        The columns that name the item, for a campaign that has items; several are joined as those of the arm are. The
        default is a column ``item``.
    success : tuple of str
        If given, the outcome is 1 if its cell is one of these words, else 0. Each of them must occur.
    failure : tuple of str
        If given, the outcome is 0 if its cell is one of these words; every cell must be a word of success or failure,
        and a word may be absent.
    arm_name : str
        The arm of all measurements, in a log of which no column names it.
    leave_out : tuple of (str, str)
        A column and a value: measurements with that value are left out. Each value must occur.
    """

    arm: tuple[str, ...] = ()
    outcome: str = ""
    key: str = ""
    ticket: str = ""
    item: tuple[str, ...] = ()
    success: tuple[str, ...] = ()
    failure: tuple[str, ...] = ()
    arm_name: str = ""
    leave_out: tuple[tuple[str, str], ...] = ()


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
    index : int
        Its ordinal among the measurements of its arm in the log, those that were left out included.
    """

    place: str
    id: str
    arm: str
    ticket: str
    value: float
    chained: bool = False
    item: str = ""
    index: int = 0


@dataclass(frozen=True)
class MappedLog:
    """A log and what its columns mean.

    Parameters
    ----------
    log : Log
    columns : Columns
        With the defaults of the format filled in.
    outcomes, left_out : list of LoggedOutcome
        The outcomes, and those that `columns.leave_out` leaves out.
    cells : list of object
        The cell that each of the outcomes comes from.
    renamed : dict of str to str
        The names of arms and items that differ from the text in the log, and that text.
    """

    log: Log
    columns: Columns
    outcomes: list[LoggedOutcome]
    left_out: list[LoggedOutcome]
    cells: list[Any]
    renamed: dict[str, str]
