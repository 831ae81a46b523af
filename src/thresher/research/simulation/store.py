"""Results on disk, chunk by chunk, read back only by the experiment that wrote them."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from thresher.errors import ExperimentError

FORMAT = "thresher-results-2"
NO_DATABASES = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".html", ".parquet", ".xlsx")


Record = TypeVar("Record", bound=NamedTuple)


class Store(Generic[Record]):
    """A file of finished chunks (an SQLite database: a chunk is stored whole or not at all).

    Parameters
    ----------
    path : Path
        Created if missing; its ending must not be that of a table or a text file.
    record : type
        A named tuple of arrays: the result of a chunk.
    identity : dict
        What makes this experiment this one (problem, policies, budgets, seed, version); a file of another one is
        refused.
    about : dict
        Metadata: versions, command.

    Raises
    ------
    ExperimentError
        If the file cannot be used, or holds another experiment.
    """

    def __init__(self, path: Path, record: type[Record], *, identity: dict[str, Any], about: dict[str, Any]) -> None:
        self._path, self._record = path, record
        if path.suffix.lower() in NO_DATABASES:
            raise ExperimentError(
                f"{path} would be a database of results, whatever its extension",
                instead=f"name it {path.with_suffix('.db')}; for the rows type --json > {path.with_suffix('.json')}, "
                "or use result.to_frame() in Python",
            )
        with self._explained():
            self._db = sqlite3.connect(path, isolation_level=None)
        try:
            self._open(json.dumps(identity, sort_keys=True), about)
        except BaseException:
            self._db.close()
            raise

    def _open(self, identity: str, about: dict[str, Any]) -> None:
        with self._explained():
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("BEGIN IMMEDIATE")
            tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables and tables != {"about", "piece"}:
                raise ExperimentError(f"{self._path} is a database of something else", instead="give another file")
            self._db.execute("CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS piece (policy TEXT, first_run INTEGER, runs INTEGER,"
                " arrays TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (policy, first_run, runs))"
            )
            self._claim(identity, about)
            self._db.execute("COMMIT")

    def _claim(self, identity: str, about: dict[str, Any]) -> None:
        found = dict(self._db.execute("SELECT key, value FROM about"))
        wrong = ""
        if (kept := found.get("format", FORMAT)) != FORMAT:
            wrong = f"results in the format {kept!r} of another version; this one reads {FORMAT!r}"
        elif (stored := found.get("identity", identity)) != identity:
            wrong = f"the results of another experiment{_difference(stored, identity)}"
        if wrong:
            raise ExperimentError(f"{self._path} holds {wrong}", instead="give another file, or delete this one")
        rows = {"format": FORMAT, "identity": identity} | {key: json.dumps(value) for key, value in about.items()}
        self._db.executemany("INSERT OR IGNORE INTO about VALUES (?, ?)", list(rows.items()))

    def get(self, policy: str, first_run: int, runs: int) -> Record | None:
        """Return a finished chunk, or None."""
        with self._explained():
            row = self._db.execute(
                "SELECT arrays, data FROM piece WHERE policy = ? AND first_run = ? AND runs = ?",
                (policy, first_run, runs),
            ).fetchone()
            found: dict[str, Any] = {} if row is None else _unpack(*row)
            record: Any = self._record
            # A chunk of an earlier version that lacks an array is computed again.
            return cast(Record, record(**found)) if found.keys() == set(record._fields) else None

    def put(self, policy: str, first_run: int, runs: int, counted: Record) -> None:
        """Store a finished chunk."""
        with self._explained():
            self._db.execute(
                "INSERT OR REPLACE INTO piece VALUES (?, ?, ?, ?, ?)", (policy, first_run, runs, *_pack(counted))
            )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise ExperimentError(
                f"cannot use {self._path} for results: {error}", instead="give a file on a disk with room, or none"
            ) from error
        except (sqlite3.Error, zlib.error, ValueError, TypeError) as error:
            raise ExperimentError(
                f"{self._path} does not hold results, or they are damaged: {error}",
                instead="give another file, or delete this one",
            ) from error


def _pack(counted: NamedTuple) -> tuple[str, bytes]:
    arrays = {name: (str(array.dtype), list(array.shape)) for name, array in counted._asdict().items()}
    return json.dumps(arrays), zlib.compress(b"".join(array.tobytes() for array in counted), level=1)


def _unpack(arrays: str, data: bytes) -> dict[str, Any]:
    raw, place, found = zlib.decompress(data), 0, {}
    for name, (dtype, shape) in json.loads(arrays).items():
        count = int(np.prod(shape))
        found[name] = np.frombuffer(raw, dtype, count, place).reshape(shape)
        place += count * np.dtype(dtype).itemsize
    return found


def _difference(stored: str, asked: str) -> str:
    try:
        one, other = json.loads(stored), json.loads(asked)
        keys = [key for key in other if one.get(key) != other[key]]
    except (ValueError, AttributeError):
        return ""
    return f" (other {', '.join(keys)})" if keys else ""
