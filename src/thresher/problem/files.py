"""Problems in files: JSON, TOML, a CSV of arms, a CSV of samples to replay."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.problem.catalogue import PROBLEMS, named, replace_name
from thresher.problem.problem import Population, Problem
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
ARM_COLUMNS = {"mean": "means", "threshold": "thresholds", "sigma": "sigma", "cost": "costs", "pull_cost": "pull_costs"}


def find_problem(text: str) -> Problem:
    """Return the problem that a word of the command line stands for: a file or a name, with parameters after a colon.

    Raises
    ------
    InvalidProblemError, UnknownNameError
        If the file cannot be read as a problem or nothing has that name.
    """
    spec = parse_spec(text) if "=" in text else Spec(text, {})
    path = Path(spec.name)
    if path.suffix.lower() in (".json", ".toml", ".csv") or _is_file(path):
        return load(path, **spec.parameters)
    try:
        return named(text)
    except UnknownNameError as error:
        if error.kind == "problem" and ("/" in text or "." in path.name):
            raise InvalidProblemError(
                f"no file {spec.name!r}", instead=f"give a file or a name: {', '.join(PROBLEMS)}"
            ) from error
        raise


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # too long for a file's name
        return False


def load(path: Path | str, **parameters: str) -> Problem:
    """Return the problem in a file.

    A CSV of samples (columns arm, value) takes the parameters ``threshold``, ``replacement`` and ``family``.

    Raises
    ------
    InvalidProblemError
        If the file is missing or malformed; the message names the line or the key.
    """
    path = Path(path)
    readers = {".json": _read_json, ".toml": _read_toml, ".csv": _read_csv}
    if path.suffix.lower() not in readers:
        raise InvalidProblemError(f"cannot tell what {path} holds", instead="name the file .json, .toml or .csv")
    try:
        found = readers[path.suffix.lower()](path, dict(parameters))
    except OSError as error:
        raise InvalidProblemError(f"cannot read {path}: {error.strerror}", instead="give an existing file") from error
    except UnicodeDecodeError as error:
        raise InvalidProblemError(f"{path} is not text in UTF-8", instead="save it as UTF-8") from error
    return replace_name(found, path.name)


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
    try:
        first, second = float(table["first"]), float(table["second"])
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidProblemError(f"'population' of {where}", instead="give numbers as first and second") from error
    return Population(str(table["kind"]), first, second)


def _read_json(path: Path, parameters: dict[str, str]) -> Problem:
    _refuse(parameters, path)
    text = path.read_text(encoding="utf-8")
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


def _read_toml(path: Path, parameters: dict[str, str]) -> Problem:
    _refuse(parameters, path)
    text = path.read_text(encoding="utf-8")
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


def _read_csv(path: Path, parameters: dict[str, str]) -> Problem:
    columns, records = _rows_of(path)
    if "value" in columns and "arm" in columns:
        return _read_samples(path, records, parameters)
    _refuse(parameters, path)
    return _read_arms(path, columns, records)


def _rows_of(path: Path) -> tuple[list[str], Records]:
    """Return the columns of a CSV, and its rows with the lines on which they stand."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file, strict=True)
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
    if "mean" not in columns:
        raise InvalidProblemError(
            f"{path}, line 1: no column 'mean'", instead=f"head the columns arm, {', '.join(ARM_COLUMNS)}, family"
        )
    for column in columns:
        if column not in (*ARM_COLUMNS, "arm", "family"):
            raise UnknownNameError(f"column of {path}", column, [*ARM_COLUMNS, "arm", "family"])
    fields: dict[str, Any] = {
        ARM_COLUMNS[column]: [_number(path, line, column, record[column]) for line, record in records]
        for column in columns
        if column in ARM_COLUMNS
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
