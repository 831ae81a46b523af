"""Choice of the reader of a file: by its name, and for JSON by its contents."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownNameError
from thresher.problem.arms_table import read_text
from thresher.runner.adapters import inspect_ai, label_studio, lm_eval, promptfoo
from thresher.runner.adapters.log import MOST_UNPACKED, Columns, Log, MappedLog, are_objects
from thresher.runner.adapters.mapping import Progress, map_columns
from thresher.runner.adapters.outcome_columns import OutcomeColumns
from thresher.runner.adapters.table import read_csv, read_objects, read_parquet

# The formats of JSON and JSON lines, each with its test and its reader.
TOOLS: dict[str, tuple[Callable[[Any], bool], Callable[[Path, Any], Log]]] = {
    "inspect": (inspect_ai.recognises, inspect_ai.read),
    "promptfoo": (promptfoo.recognises, promptfoo.read),
    "lm-eval": (lm_eval.recognises, lm_eval.read),
    "label-studio": (label_studio.recognises, label_studio.read),
    "json": (are_objects, read_objects),  # the last: objects of no known tool
}
# Other formats, by the ending of a file's name; a reader gets how many bytes may be unpacked.
ENDINGS: dict[str, Callable[[Path, int], Log]] = {
    "csv": lambda path, _: read_csv(path),
    "tsv": lambda path, _: read_csv(path),
    "parquet": read_parquet,
    "eval": inspect_ai.read_eval,
}
LINES = (".jsonl", ".ndjson")  # endings of JSON lines
KNOWN = {*(f".{ending}" for ending in ENDINGS), ".json", *LINES}  # endings of files that are imported from a folder
FORMATS = ("csv", "parquet", *TOOLS)


@cache
def installed_tools() -> dict[str, tuple[Callable[[Any], bool], Callable[[Path, Any], Log]]]:
    """Return the formats of installed packages: entry points ``thresher.formats`` with `recognises` and `read`."""
    found = {entry.name: entry.load() for entry in entry_points(group="thresher.formats")}
    return {name: (each.recognises, each.read) for name, each in found.items() if name not in FORMATS}


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
    if chosen and chosen not in FORMATS and chosen not in installed_tools():
        raise UnknownNameError("format", chosen, (*FORMATS, *installed_tools()))
    ending = path.suffix.lower().removeprefix(".")
    kind = ending if not chosen or (chosen, ending) == ("inspect", "eval") else chosen
    if kind in ENDINGS:
        log = _guarded(path, chosen or ending, partial(ENDINGS[kind], path, most_unpacked))
        return replace(log, format="inspect" if kind == "eval" else kind)
    document = _document(path)
    for name, (recognises, read) in (installed_tools() | TOOLS).items():
        if chosen in ("", name) and recognises(document):
            return replace(_guarded(path, name, partial(read, path, document)), format=name)
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
        raise InvalidOutcomeError(
            f"{path} is not JSON, and its name does not end in .{', .'.join(ENDINGS)}",
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
