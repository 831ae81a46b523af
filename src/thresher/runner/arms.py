"""Where the arms of a run come from: a list, a file, a glob, or a matrix of parameters."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.errors import InvalidProblemError
from thresher.runner.placeholders import NAME
from thresher.runner.reading import as_number

NUMBERS = ("threshold", "sigma", "cost", "pull_cost")  # columns of a CSV file that are the campaign's


@dataclass(frozen=True)
class PlannedArm:
    """One arm of a run.

    Parameters
    ----------
    name : str
    parameters : mapping
        What the measurement is given beside the name.
    numbers : mapping of str to float
        ``threshold``, ``sigma``, ``cost``, ``pull_cost`` of its own.
    place : str
        Where it was written, for complaints.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    place: str = ""


def checked(arms: Iterable[PlannedArm]) -> list[PlannedArm]:
    """Return the arms as a list.

    Raises
    ------
    InvalidProblemError
        If there is none, or two share a name.
    """
    found: dict[str, PlannedArm] = {}
    for arm in arms:
        if (first := found.setdefault(arm.name, arm)) is not arm:
            places = f" ({first.place} and {arm.place})" if arm.place else ""
            raise InvalidProblemError(
                f"two arms share the name {arm.name[:60]!r}{places}", instead="give every arm a name of its own"
            )
    if not found:
        raise InvalidProblemError("no arms", instead="name at least one")
    return list(found.values())


def listed(names: Sequence[Any]) -> list[PlannedArm]:
    """Return arms given by their names."""
    return checked(PlannedArm(str(name), place=f"number {i}") for i, name in enumerate(names, start=1))


def globbed(pattern: str, folder: Path) -> list[PlannedArm]:
    """Return one arm for each file that a pattern finds in a folder, named by its path in there."""
    try:
        found = sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())
    except (ValueError, NotImplementedError, IndexError) as error:
        raise InvalidProblemError(
            f"the pattern {pattern!r}: {error}", instead="write one like prompts/*.txt"
        ) from error
    if not found:
        raise InvalidProblemError(f"no file matches {pattern!r}", instead="name the pattern relative to the spec file")
    return checked(PlannedArm(name) for name in found)


def crossed(matrix: Mapping[str, Sequence[Any]]) -> list[PlannedArm]:
    """Return one arm for each combination of parameters, named ``model=small size=3``."""
    for name in matrix:
        check_parameter(name)
    combinations = itertools.product(*matrix.values())
    settings = [dict(zip(matrix, values, strict=True)) for values in combinations]
    return checked(PlannedArm(" ".join(f"{k}={v}" for k, v in each.items()), each) for each in settings)


def check_parameter(name: str) -> None:
    """Refuse a name that no placeholder can have."""
    if not NAME.fullmatch(name) or name == "arm":
        raise InvalidProblemError(
            f"a parameter named {name[:60]!r}", instead="use letters, digits and _, but not 'arm'"
        )


def read_arms(path: Path) -> list[PlannedArm]:
    """Return the arms of a file: one name a line (# begins a comment), or a CSV file with a column ``arm``.

    In a CSV file the columns ``threshold``, ``sigma``, ``cost`` and ``pull_cost`` are the campaign's; every other one
    is a parameter of the measurement.

    Raises
    ------
    InvalidProblemError
        If the file cannot be read, has no arms, or one of its lines is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidProblemError(f"cannot read the arms in {path}: {error}", instead="name a text file") from error
    if path.suffix.lower() == ".csv":
        return checked(_rows(path.name, text))
    lines = enumerate((line.strip() for line in text.splitlines()), start=1)
    return checked(PlannedArm(line, place=f"{path.name} line {i}") for i, line in lines if line and line[0] != "#")


def _rows(name: str, text: str) -> Iterator[PlannedArm]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = list(reader.fieldnames or ())
        if "arm" not in columns:
            raise InvalidProblemError(f"{name} has no column 'arm'", instead="name the columns in its first line")
        for column in set(columns) - {"arm", *NUMBERS}:
            check_parameter(column)
        for row in reader:
            yield _row(row, f"{name} line {reader.line_num}")
    except csv.Error as error:
        # The inner reader: the outer one still stands on the line before.
        raise InvalidProblemError(f"{name} line {reader.reader.line_num}: {error}", instead="mend it") from error


def _row(row: dict[str | Any, Any], place: str) -> PlannedArm:
    if None in row or None in row.values():
        raise InvalidProblemError(f"{place} has another number of cells than the first", instead="mend it")
    numbers: dict[str, float] = {}
    for column in NUMBERS:
        if text := row.pop(column, ""):
            number = as_number(text)
            if number is None or (column != "threshold" and number <= 0.0):
                wanted = "a number" if column == "threshold" else "a positive number"
                raise InvalidProblemError(f"{place}: {column} is {text[:60]!r}", instead=f"give {wanted}")
            numbers[column] = number
    return PlannedArm(row.pop("arm"), row, numbers, place)


def numbers_of(arms: Sequence[PlannedArm], column: str, default: float | None) -> Any:
    """Return a column of numbers for all arms, the default where an arm has none; None if nobody has any."""
    if not any(column in arm.numbers for arm in arms):
        return default
    values = [arm.numbers.get(column, default) for arm in arms]
    if None in values:
        arm = arms[values.index(None)]
        raise InvalidProblemError(f"{arm.place}: no {column}", instead="give every arm one, or none")
    return values
