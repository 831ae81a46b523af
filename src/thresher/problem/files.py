"""Problems in files: JSON, TOML, a CSV of arms, of samples to replay, of arms by items."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, InvalidProblemError, UnknownNameError
from thresher.problem.catalogue import PROBLEMS, named
from thresher.problem.crossed import crossed_csv
from thresher.problem.population import Population
from thresher.problem.problem import Problem
from thresher.problem.spec import Spec, bind, parse_spec

KEYS = (
    "family",
    "means",
    "thresholds",
    "sigma",
    "costs",
    "pull_costs",
    "low",
    "high",
    "concentration",
    "arms",
    "population",
)
# A CSV names a column as the key is named in other files, or by the word for one arm.
ARM_COLUMNS = {"mean": "means", "threshold": "thresholds", "sigma": "sigma", "cost": "costs", "pull_cost": "pull_costs"}
COLUMN_KEYS = ARM_COLUMNS | {key: key for key in ARM_COLUMNS.values()}


def find_problem(text: str | Path | Problem) -> Problem:
    """Return the problem that a word of the command line stands for: a file or a name, with parameters after a colon.

    A problem is returned as it is.

    Raises
    ------
    InvalidProblemError, UnknownNameError
        If the file cannot be read as a problem or nothing has that name.
    """
    if isinstance(text, Problem):
        return text
    if isinstance(text, Path):
        return load(text)
    if not isinstance(text, str):
        raise InvalidProblemError(
            f"a {type(text).__name__} as a problem",
            instead="give a Problem, such as Problem.gaussian([0.3, -0.1]), a file, or a name such as 'linear'",
        )
    spec = parse_spec(text) if "=" in text else Spec(text, {})
    path = Path(spec.name)
    if path.suffix.lower() in READERS or _can_be_read(path):
        return load(path, **spec.parameters)
    try:
        return named(text)
    except UnknownNameError as error:
        if error.kind == "problem" and ("/" in text or "." in path.name):
            raise InvalidProblemError(
                f"no file {spec.name!r}", instead=f"give a file or a name: {', '.join(PROBLEMS)}"
            ) from error
        raise


def _can_be_read(path: Path) -> bool:
    """Return whether a file is there, or a stream such as /dev/stdin."""
    try:
        return path.exists() and not path.is_dir()
    except OSError:  # too long for a file's name
        return False


def load(path: Path | str, **parameters: str) -> Problem:
    """Return the problem in a file.

    The ending says what the file holds; a stream without one, such as ``/dev/stdin``, is known by its first line. A CSV
    of samples (columns arm, value) takes the parameters ``threshold``, ``replacement`` and ``family``; one of arms by
    items (columns arm, item, value) takes ``threshold``, ``family``, ``low`` and ``high``.

    Raises
    ------
    InvalidProblemError
        If the file is missing or malformed; the message names the line or the key.
    """
    try:
        path = Path(path)
    except TypeError as error:
        raise InvalidProblemError(f"{path!r} as a file", instead="give its path") from error
    ending = path.suffix.lower()
    if ending not in READERS and (path.is_file() or not _can_be_read(path)):
        raise InvalidProblemError(f"cannot tell what {path} holds", instead="name the file .json, .toml or .csv")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidProblemError(f"cannot read {path}: {error.strerror}", instead="give an existing file") from error
    except UnicodeDecodeError as error:
        raise InvalidProblemError(f"{path} is not text in UTF-8", instead="save it as UTF-8") from error
    reader = READERS[ending if ending in READERS else _ending_of(text)]
    return replace(reader(path, text, dict(parameters)), name=path.name)


def _ending_of(text: str) -> str:
    """Return the ending that a text would have as a file, by its first line."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if first.startswith("{"):
        return ".json"
    return ".toml" if "=" in first or first.startswith(("#", "[")) else ".csv"


def from_dict(table: Mapping[str, Any], *, where: str = "the problem") -> Problem:
    """Return the problem of a mapping with the keys of a problem file."""
    if not isinstance(table, Mapping):
        raise InvalidProblemError(f"{where} is no table of keys", instead=f"give the keys {', '.join(KEYS)}")
    for key in table:
        if key not in KEYS:
            raise UnknownNameError(f"key of {where}", str(key), KEYS)
    if "means" not in table:
        raise InvalidProblemError(f"{where} has no key 'means'", instead="give one mean for each arm")
    fields = dict(table)
    family = str(fields.pop("family", "gaussian"))
    if "population" in fields:
        fields["population"] = _population(fields["population"], where)
    if "arms" in fields:
        fields["arms"] = _names(fields["arms"], where)
    return Problem.of(family, **fields)


def _names(names: Any, where: str) -> tuple[str, ...]:
    if not isinstance(names, list | tuple):
        raise InvalidProblemError(f"'arms' of {where} is no list", instead="give a list of names, one for each arm")
    return tuple(map(str, names))


def _population(table: Any, where: str) -> Population:
    if not isinstance(table, Mapping) or set(table) != {"kind", "first", "second"}:
        raise InvalidProblemError(f"'population' of {where}", instead="give it the keys kind, first and second")
    first, second = table["first"], table["second"]
    if not all(type(number) in (int, float) and abs(number) <= sys.float_info.max for number in (first, second)):
        raise InvalidProblemError(f"'population' of {where}", instead="give numbers as first and second")
    return Population(str(table["kind"]), float(first), float(second))


def _read_json(path: Path, text: str, parameters: dict[str, str]) -> Problem:
    _refuse(parameters, path)
    try:
        table = json.loads(text, object_pairs_hook=_each_key_once)
    except json.JSONDecodeError as error:
        raise InvalidProblemError(f"{path}, line {error.lineno}: {error.msg}", instead="mend the JSON") from error
    except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
        raise InvalidProblemError(f"{path}: {_clause(error)}", instead="mend the JSON") from error
    return from_dict(table, where=str(path))


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    for key in table:
        if sum(key == other for other, _ in pairs) > 1:
            raise ValueError(f"the key {key!r} stands there twice")
    return table


def _read_toml(path: Path, text: str, parameters: dict[str, str]) -> Problem:
    _refuse(parameters, path)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidProblemError(f"{path}: {_clause(error)}", instead="mend the TOML") from error
    return from_dict(table, where=str(path))


def _clause(error: Exception) -> str:
    return str(error).partition(";")[0]


def _refuse(parameters: dict[str, str], path: Path) -> None:
    if parameters:
        raise UnknownNameError(f"parameter of {path}", next(iter(parameters)), [])


Records = list[tuple[int, dict[str, str]]]


def _read_csv(path: Path, text: str, parameters: dict[str, str]) -> Problem:
    columns, records = _rows_of(path, text)
    if {"arm", "item", "value"} <= set(columns):
        return _read_crossed(path, text, parameters)
    if "value" in columns and "arm" in columns:
        return _read_samples(path, records, parameters)
    _refuse(parameters, path)
    return _read_arms(path, columns, records)


def _rows_of(path: Path, text: str) -> tuple[list[str], Records]:
    """Return the columns of a CSV, and its rows with the lines on which they stand."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = [column.strip() for column in next(rows, [])]
        records = [(rows.line_num, row) for row in rows if row]
    except csv.Error as error:
        raise InvalidProblemError(f"{path}, line {rows.line_num}: {error}", instead="mend the CSV") from error
    for column in columns:
        if columns.count(column) > 1:
            raise InvalidProblemError(f"{path}, line 1: the column {column!r} stands there twice", instead="drop one")
    for line, row in records:
        if len(row) != len(columns):
            raise InvalidProblemError(
                f"{path}, line {line}: {len(row)} cells under {len(columns)} columns", instead="give one for each"
            )
    return columns, [(line, dict(zip(columns, row, strict=True))) for line, row in records]


def _read_arms(path: Path, columns: list[str], records: Records) -> Problem:
    if not {"mean", "means"} & set(columns):
        raise InvalidProblemError(
            f"{path}, line 1: no column 'mean' or 'means'",
            instead=f"head the columns arm, {', '.join(ARM_COLUMNS)}, family",
        )
    for column in columns:
        if column not in (*COLUMN_KEYS, "arm", "family"):
            raise UnknownNameError(f"column of {path}", column, [*COLUMN_KEYS, "arm", "family"])
    for one, key in ARM_COLUMNS.items():
        if one != key and one in columns and key in columns:
            raise InvalidProblemError(
                f"{path}, line 1: the columns {one!r} and {key!r} mean the same", instead="drop one"
            )
    fields: dict[str, Any] = {
        COLUMN_KEYS[column]: [_number(path, line, column, record[column]) for line, record in records]
        for column in columns
        if column in COLUMN_KEYS
    }
    if "arm" in columns:
        fields["arms"] = tuple(_arm(path, line, record) for line, record in records)
    families = {record["family"] for _, record in records} if "family" in columns else {"gaussian"}
    if len(families) > 1:
        raise InvalidProblemError(f"{path} names the families {sorted(families)}", instead="a problem has one family")
    return Problem.of(*families or {"gaussian"}, **fields)


def _replay_parameters(threshold: float = 0.0, replacement: bool = False, family: str = "") -> None:
    """Show the parameters of a CSV of samples, and their types, to :func:`bind`."""


def _read_samples(path: Path, records: Records, parameters: dict[str, str]) -> Problem:
    chosen = bind(_replay_parameters, Spec(str(path), parameters))
    if "threshold" not in chosen:
        raise InvalidProblemError(f"{path} holds samples and no bar", instead=f"type {path}:threshold=0.5")
    samples: dict[str, list[float]] = {}
    for line, record in records:
        samples.setdefault(_arm(path, line, record), []).append(_number(path, line, "value", record["value"]))
    return Problem.replay(
        samples,
        thresholds=chosen["threshold"],
        family=chosen.get("family"),
        replacement=chosen.get("replacement", False),
    )


def _crossed_parameters(threshold: float = 0.0, family: str = "", low: float = 0.0, high: float = 1.0) -> None:
    """Show the parameters of a CSV of arms by items, and their types, to :func:`bind`."""


def _read_crossed(path: Path, text: str, parameters: dict[str, str]) -> Problem:
    chosen = bind(_crossed_parameters, Spec(str(path), parameters))
    if "threshold" not in chosen:
        raise InvalidInputError("threshold", rule=f"{path} holds outcomes and no bar", fix=f"type {path}:threshold=0.5")
    return Problem.crossed(crossed_csv(text, where=str(path)), thresholds=chosen.pop("threshold"), **chosen)


def _arm(path: Path, line: int, record: dict[str, str]) -> str:
    if not record["arm"].strip():
        raise InvalidProblemError(f"{path}, line {line}: the arm has no name", instead="give it one")
    return record["arm"]


def _number(path: Path, line: int, column: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InvalidProblemError(f"{path}, line {line}: {column} is {text!r}", instead="give a number")
    return number


READERS: dict[str, Callable[[Path, str, dict[str, str]], Problem]] = {
    ".json": _read_json,
    ".toml": _read_toml,
    ".csv": _read_csv,
}
