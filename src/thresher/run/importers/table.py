"""CSV and Parquet tables with one measurement per row, and JSON objects with one measurement each."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, InvalidOutcomeError, MissingExtraError
from thresher.problem import Fault, TableRow, iterate_rows, read_text
from thresher.run.importers.log import MOST_UNPACKED, Log, Record, are_objects, too_large

BATCH = 100  # rows of a Parquet file that are unpacked at a time


def read_csv(path: Path, _: int = MOST_UNPACKED) -> Log:
    """Return the rows of a CSV file with a header; raise InvalidOutcomeError with the line that is wrong."""
    try:
        text = read_text(path)
    except InvalidInputError as error:
        raise InvalidOutcomeError(str(error), instead="name a CSV file in UTF-8") from error
    heads = _heads(path.name, text)
    return Log(path.name, TableRecords(path, "line", partial(_named, path.name, text, heads)), heads=heads)


def _heads(name: str, text: str) -> tuple[str, ...]:
    """Return the names of the columns in the first row."""
    heads = next((tuple(cell.strip() for cell in row.cells) for row in _rows_of(name, text)), ())
    if twice := next((head for i, head in enumerate(heads) if head in heads[:i]), None):
        raise InvalidOutcomeError(f"{name} has two columns {twice!r}", instead="rename one of them")
    return heads


def _named(name: str, text: str, heads: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line and the cells of each row after the first, by the names of the columns."""
    for line, cells in islice(_rows_of(name, text), 1, None):
        if len(cells) != len(heads):
            raise InvalidOutcomeError(
                f"{name} line {line} has {len(cells)} cells", instead=f"give {len(heads)}, one for each column"
            )
        yield line, dict(zip(heads, cells, strict=True))


def _rows_of(name: str, text: str) -> Iterator[TableRow]:
    for row in iterate_rows(text, comments=False):
        if isinstance(row, Fault):
            raise InvalidOutcomeError(f"{name} line {row.line}: {row.rule}", instead=row.fix)
        yield row


def read_parquet(path: Path, most_bytes: int = MOST_UNPACKED) -> Log:
    """Return the rows of a Parquet file, of which at most this many bytes are unpacked.

    Raise InvalidOutcomeError if it cannot be read or has more, MissingExtraError if pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "parquet") from error
    try:
        table = pyarrow.dataset.dataset(path, format="parquet", partitioning="hive")
        heads = tuple(table.schema.names)
    except (OSError, ValueError, OverflowError, pyarrow.ArrowException) as error:
        raise InvalidOutcomeError(f"cannot read {path}: {error}", instead="name a Parquet file") from error

    def rows() -> Iterator[tuple[int, Mapping[str, Any]]]:
        try:
            batches = table.to_batches(batch_size=BATCH, batch_readahead=0, fragment_readahead=0)
            yield from enumerate(_rows(batches, most_bytes), start=1)
        except (OSError, ValueError, OverflowError, pyarrow.ArrowException) as error:
            raise InvalidOutcomeError(f"cannot read {path}: {error}", instead="name a Parquet file") from error

    return Log(path.name, TableRecords(path, "row", rows, most_bytes=most_bytes), heads=heads)


def _rows(batches: Iterable[Any], most_bytes: int) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of Arrow batches; at most about that many bytes are unpacked at a time."""
    for batch in batches:
        step = max(1, most_bytes // max(batch.nbytes, 1))  # no row is longer than its batch, where a value stands once
        for start in range(0, batch.num_rows, step):
            yield from batch.slice(start, step).to_pylist()


def recognises(document: Any) -> bool:
    """Return whether a JSON document is a list of objects."""
    return are_objects(document)


def read(path: Path, document: Any) -> Log:
    """Return a list of objects as rows; a key of a nested object is a column such as ``scores.exact``."""
    rows = [dict(_cells(one)) for one in document]
    heads = tuple(dict.fromkeys(column for row in rows for column in row))
    return Log(path.name, TableRecords(path, "object", lambda: enumerate(rows, start=1), blank=heads), heads=heads)


def _cells(one: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in one.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


class TableRecords:
    """The rows of a table as records; they are read again whenever they are iterated over.

    Parameters
    ----------
    path : Path
    unit : str
        What a row is called in messages.
    rows : callable
        Returns the number and the cells of each row.
    blank : sequence of str
        Columns that are None where a row has no such cell. They are not part of the hash of a line: a log that grows by
        a column keeps the hashes of its old rows.
    most_bytes : float
        How many bytes all rows may have.
    """

    def __init__(
        self,
        path: Path,
        unit: str,
        rows: Callable[[], Iterable[tuple[int, Mapping[str, Any]]]],
        *,
        blank: Sequence[str] = (),
        most_bytes: float = math.inf,
    ) -> None:
        self._path, self._unit, self._rows, self._most_bytes = path, unit, rows, most_bytes
        self._blank: dict[str, Any] = dict.fromkeys(blank)

    def __iter__(self) -> Iterator[Record]:
        head, blank, size = f"{self._path.name} {self._unit} ", self._blank, 0
        for number, row in self._rows():
            text = repr(sorted(row.items())).encode()
            size += len(text)
            if size > self._most_bytes:
                raise too_large(self._path, int(self._most_bytes))
            line = int.from_bytes(blake2b(text, digest_size=8).digest())
            yield Record(f"{head}{number}", "", blank | dict(row) if blank else row, line)

    def chained_ids(self) -> Iterator[str]:
        """Yield the ids that earlier versions of thresher gave to the rows: a hash chain over all rows so far."""
        chain = hashlib.sha256()
        for _, row in self._rows():
            chain.update(repr(sorted(row.items())).encode())
            yield f"table {chain.hexdigest()}"
