"""Choice of the reader of a file: by its name, and for JSON by its contents."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownNameError
from thresher.problem import read_text
from thresher.registries import LOG_FORMATS
from thresher.run.importers.log import MOST_UNPACKED, Columns, Log, MappedLog
from thresher.run.importers.mapping import Progress, map_columns
from thresher.run.importers.outcome_columns import OutcomeColumns

LINES = (".jsonl", ".ndjson")  # endings of JSON lines
FORMATS = LOG_FORMATS


def known_endings() -> set[str]:
    """Return the endings of the names of files that are imported from a folder."""
    return {f".{ending}" for known in FORMATS.values() for ending in known.endings} | {".json", *LINES}


@cache
def installed_formats() -> dict[str, Any]:
    """Return the formats of installed packages: entry points ``thresher.formats`` with `recognises` and `read`."""
    return {entry.name: entry.load() for entry in entry_points(group="thresher.formats") if entry.name not in FORMATS}


def read_log(path: Path, columns: Columns | None = None, *, format: str = "") -> tuple[OutcomeColumns, int]:  # noqa: A002
    """Return the outcomes in a file of another tool, and the number of measurements without one.

    Parameters
    ----------
    path : Path
    columns : Columns, optional
        Columns that differ from the defaults of the format.
    format : str
        One of :data:`FORMATS`; detected from the file's name and contents unless given.

    Raises
    ------
    InvalidOutcomeError
        If the file is invalid; the message names the line.
    UnknownNameError
        If the format is unknown.
    """
    found = map_log(path, columns, format=format)
    return found.outcomes, found.log.left_out


def map_log(
    path: Path,
    columns: Columns | None = None,
    *,
    format: str = "",  # noqa: A002
    progress: Progress | None = None,
) -> MappedLog:
    """Return a file of another tool as :func:`read_log` reads it, with what its columns mean."""
    return map_columns(open_log(path, format), columns or Columns(), progress)


def open_log(path: Path, chosen: str = "", *, most_unpacked: int = MOST_UNPACKED) -> Log:
    """Return the measurements in a file of another tool, without a meaning of their columns.

    A compressed file may have `most_unpacked` bytes when it is unpacked.
    """
    if chosen and chosen not in FORMATS and chosen not in installed_formats():
        raise UnknownNameError("format", chosen, (*FORMATS, *installed_formats()))
    ending = path.suffix.lower().removeprefix(".")
    for name, known in FORMATS.items():
        if (ending in known.endings and chosen in ("", name)) or (chosen == name and not known.is_json):
            read_file = getattr(import_module(known.module), f"read_{known.endings[0]}")
            log: Log = _guarded(path, chosen or ending, partial(read_file, path, most_unpacked))
            return replace(log, format=name)
    document = _document(path)
    modules = {name: import_module(known.module) for name, known in FORMATS.items() if known.is_json}
    for name, module in (installed_formats() | modules).items():
        if chosen in ("", name) and module.recognises(document):
            return replace(_guarded(path, name, partial(module.read, path, document)), format=name)
    raise InvalidOutcomeError(
        f"{path} is not a log of {chosen or 'a known tool'}", instead=f"choose by --format: {', '.join(FORMATS)}"
    )


def _document(path: Path) -> Any:
    """Return a JSON document; of JSON lines the list of them."""
    try:
        text = read_text(path)
        if path.suffix.lower() in LINES:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        return json.loads(text)
    except InvalidInputError as error:
        raise InvalidOutcomeError(str(error), instead="name a CSV, Parquet or JSON file") from error
    except (ValueError, RecursionError) as error:
        own = [f".{ending}" for known in FORMATS.values() for ending in known.endings]
        raise InvalidOutcomeError(
            f"{path} is not JSON, and its name does not end in {', '.join(own)}",
            instead="name its format: --format csv",
        ) from error


def _guarded(path: Path, name: str, read: Callable[[], Log]) -> Log:
    """Return a log; raise InvalidOutcomeError if the file only looks like one of that tool."""
    try:
        return read()
    except (LookupError, TypeError, AttributeError) as error:
        raise InvalidOutcomeError(
            f"{path} does not have the structure of {name}: {error!r}", instead="export it again, or convert it to CSV"
        ) from error
