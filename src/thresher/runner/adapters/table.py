"""CSV and Parquet tables with one measurement per row, and JSON objects with one measurement each."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, InvalidOutcomeError, MissingExtraError
from thresher.problem.arms_table import read_text
from thresher.problem.csv_text import TableRow, rows_of
from thresher.runner.adapters.log import MOST_UNPACKED, Log, Record, too_large

BATCH = 100  # rows of a Parquet file that are unpacked at a time


def read_csv(path: Path) -> Log:
    """Return the rows of a CSV file with a header; raise InvalidOutcomeError with the line that is wrong."""
    try:
        rows, fault = rows_of(read_text(path), comments=False)
    except InvalidInputError as error:
        raise InvalidOutcomeError(str(error), instead="name a CSV file in UTF-8") from error
    if fault is not None:
        raise InvalidOutcomeError(f"{path.name} line {fault.line}: {fault.rule}", instead=fault.fix)
    return Log(path.name, _records(path, "line", _named(path.name, rows)))


def _named(name: str, rows: Sequence[TableRow]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line and the cells of each row, by the column names in the first row."""
    heads = list(rows[0].cells) if rows else []
    if twice := next((head for i, head in enumerate(heads) if head in heads[:i]), None):
        raise InvalidOutcomeError(f"{name} has two columns {twice!r}", instead="rename one of them")
    for line, cells in rows[1:]:
        if len(cells) != len(heads):
            raise InvalidOutcomeError(
                f"{name} line {line} has {len(cells)} cells", instead=f"give {len(heads)}, one for each column"
            )
        yield line, dict(zip(heads, cells, strict=True))


def read_parquet(path: Path, most_bytes: int = MOST_UNPACKED) -> Log:
    """Return the rows of a Parquet file, of which at most so many bytes are unpacked.

    Raise InvalidOutcomeError if it cannot be read or has more, MissingExtraError if pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "parquet") from error
    try:
        table = pyarrow.dataset.dataset(path, format="parquet", partitioning="hive")
        batches = table.to_batches(batch_size=BATCH, batch_readahead=0, fragment_readahead=0)
        return Log(path.name, _records(path, "row", enumerate(_rows(batches, most_bytes), start=1), most_bytes))
    except InvalidOutcomeError:
        raise
    except (OSError, ValueError, OverflowError, pyarrow.ArrowException) as error:
        raise InvalidOutcomeError(f"cannot read {path}: {error}", instead="name a Parquet file") from error


def _rows(batches: Iterable[Any], most_bytes: int) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of Arrow batches; at most about that many bytes are unpacked at a time."""
    for batch in batches:
        step = max(1, most_bytes // max(batch.nbytes, 1))  # no row is longer than its batch, where a value stands once
        for start in range(0, batch.num_rows, step):
            yield from batch.slice(start, step).to_pylist()


def read_objects(path: Path, document: Any) -> Log:
    """Return a list of objects as rows; a key of a nested object is a column such as ``scores.exact``."""
    records = _records(path, "object", enumerate((dict(_cells(one)) for one in document), start=1))
    blank = dict.fromkeys(column for record in records for column in record.cells)
    # Filled in after the ids are made: a log that grows by a column keeps the ids of its old rows.
    return Log(path.name, [replace(record, cells=blank | dict(record.cells)) for record in records])


def _cells(one: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in one.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _records(
    path: Path, unit: str, rows: Iterable[tuple[int, Mapping[str, Any]]], most_bytes: float = math.inf
) -> list[Record]:
    """Return records whose ids are a hash chain over the rows: a log that grows keeps the ids of its old rows."""
    chain, records, size = hashlib.sha256(), [], 0
    for number, row in rows:
        text = repr(sorted(row.items())).encode()
        size += len(text)
        if size > most_bytes:
            raise too_large(path, int(most_bytes))
        chain.update(text)
        records.append(Record(f"{path.name} {unit} {number}", f"table {chain.hexdigest()}", row, chained=True))
    return records
