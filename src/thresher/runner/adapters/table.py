"""Tables that any tool writes: CSV and Parquet, one measurement in a row."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InvalidOutcomeError, MissingExtraError
from thresher.runner.adapters.log import Log, Record


def read_csv(path: Path) -> Log:
    """Return the rows of a CSV file with column names in its first line.

    Raises
    ------
    InvalidOutcomeError
        If it cannot be read; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidOutcomeError(f"cannot read {path}: {error}", instead="name a CSV file in UTF-8") from error
    return Log(path.name, _records(path.name, "line", _rows(path.name, text)))


def _rows(name: str, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise InvalidOutcomeError(
                    f"{name} line {reader.line_num} has another number of cells than the first", instead="mend it"
                )
            yield reader.line_num, row
    except csv.Error as error:
        # The inner reader: the outer one still stands on the line before.
        raise InvalidOutcomeError(f"{name} line {reader.reader.line_num}: {error}", instead="mend it") from error


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
    except (OSError, pyarrow.ArrowException) as error:
        raise InvalidOutcomeError(f"cannot read {path}: {error}", instead="name a Parquet file") from error
    return Log(path.name, _records(path.name, "row", enumerate(rows, start=1)))


def _records(name: str, unit: str, rows: Iterable[tuple[int, Mapping[str, Any]]]) -> list[Record]:
    """Return records whose ids chain over all rows before: a log that has grown says the same of its old rows."""
    chain, records = hashlib.sha256(), []
    for number, row in rows:
        chain.update(repr(sorted(row.items())).encode())
        records.append(Record(f"{name} {unit} {number}", f"table {chain.hexdigest()}", row, chained=True))
    return records
