"""CSV and Parquet tables with one measurement per row."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, InvalidOutcomeError, MissingExtraError
from thresher.problem.arms_table import read_text
from thresher.problem.csv_text import TableRow, rows_of
from thresher.runner.adapters.log import Log, Record


def read_csv(path: Path) -> Log:
    """Return the rows of a CSV file with column names in its first line.

    Raises
    ------
    InvalidOutcomeError
        If it cannot be read; the message names the line.
    """
    try:
        rows, fault = rows_of(read_text(path), comments=False)
    except InvalidInputError as error:
        raise InvalidOutcomeError(str(error), instead="name a CSV file in UTF-8") from error
    if fault is not None:
        raise InvalidOutcomeError(f"{path.name} line {fault.line}: {fault.rule}", instead=fault.fix)
    return Log(path.name, _records(path.name, "line", _named(path.name, rows)))


def _named(name: str, rows: Sequence[TableRow]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line and the cells of each row, by the column names in the first row."""
    heads = rows[0].cells if rows else []
    if twice := next((head for i, head in enumerate(heads) if head in heads[:i]), None):
        raise InvalidOutcomeError(f"{name} has two columns {twice!r}", instead="rename one of them")
    for line, cells in rows[1:]:
        if len(cells) != len(rows[0].cells):
            raise InvalidOutcomeError(
                f"{name} line {line} has {len(cells)} cells", instead=f"give {len(rows[0].cells)}, one for each column"
            )
        yield line, dict(zip(rows[0].cells, cells, strict=True))


def read_parquet(path: Path) -> Log:
    """Return the rows of a Parquet file.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    InvalidOutcomeError
        If the file cannot be read.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "parquet") from error
    try:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, ValueError, OverflowError, pyarrow.ArrowException) as error:
        raise InvalidOutcomeError(f"cannot read {path}: {error}", instead="name a Parquet file") from error
    return Log(path.name, _records(path.name, "row", enumerate(rows, start=1)))


def _records(name: str, unit: str, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> list[Record]:
    """Return records whose ids are a hash chain over the rows: a log that grows keeps the ids of its old rows."""
    chain, records = hashlib.sha256(), []
    for number, row in rows:
        chain.update(repr(sorted(row.items())).encode())
        records.append(Record(f"{name} {unit} {number}", f"table {chain.hexdigest()}", row, chained=True))
    return records
