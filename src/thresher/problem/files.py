"""Problems in files: JSON, TOML, a CSV of arms, a CSV of samples to replay."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.problem.catalogue import PROBLEMS, named, replace_name
from thresher.problem.problem import Population, Problem
from thresher.problem.spec import Spec, parse_spec

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
    if path.suffix.lower() in (".json", ".toml", ".csv") or path.is_file():
        return load(path, **spec.parameters)
    try:
        return named(text)
    except UnknownNameError as error:
        if error.kind == "problem" and ("/" in text or "." in path.name):
            raise InvalidProblemError(
                f"no file {spec.name!r}", instead=f"give a file or a name: {', '.join(PROBLEMS)}"
            ) from error
        raise


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
    if "population" in fields:
        fields["population"] = _population(fields["population"], where)
    if "arms" in fields:
        fields["arms"] = tuple(map(str, fields["arms"]))
    return Problem.of(fields.pop("family", "gaussian"), **fields)


def _population(table: Any, where: str) -> Population:
    if not isinstance(table, Mapping) or set(table) != {"kind", "first", "second"}:
        raise InvalidProblemError(f"'population' of {where}", instead="give it the keys kind, first and second")
    return Population(str(table["kind"]), float(table["first"]), float(table["second"]))


def _read_json(path: Path, parameters: dict[str, str]) -> Problem:
    _refuse(parameters, path)
    try:
        return from_dict(json.loads(path.read_text(encoding="utf-8")), where=str(path))
    except json.JSONDecodeError as error:
        raise InvalidProblemError(f"{path}, line {error.lineno}: {error.msg}", instead="mend the JSON") from error


def _read_toml(path: Path, parameters: dict[str, str]) -> Problem:
    _refuse(parameters, path)
    try:
        return from_dict(tomllib.loads(path.read_text(encoding="utf-8")), where=str(path))
    except tomllib.TOMLDecodeError as error:
        raise InvalidProblemError(f"{path}: {error}", instead="mend the TOML") from error


def _refuse(parameters: dict[str, str], path: Path) -> None:
    if parameters:
        raise UnknownNameError(f"parameter of {path}", next(iter(parameters)), [])


def _read_csv(path: Path, parameters: dict[str, str]) -> Problem:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        columns = [column.strip() for column in rows.fieldnames or []]
        rows.fieldnames = columns
        if "value" in columns and "arm" in columns:
            return _read_samples(path, rows, parameters)
        _refuse(parameters, path)
        return _read_arms(path, rows, columns)


def _read_arms(path: Path, rows: csv.DictReader[str], columns: list[str]) -> Problem:
    if "mean" not in columns:
        raise InvalidProblemError(
            f"{path}, line 1: no column 'mean'", instead=f"head the columns arm, {', '.join(ARM_COLUMNS)}, family"
        )
    for column in columns:
        if column not in (*ARM_COLUMNS, "arm", "family"):
            raise UnknownNameError(f"column of {path}", column, [*ARM_COLUMNS, "arm", "family"])
    records = list(rows)
    fields: dict[str, Any] = {
        ARM_COLUMNS[column]: [
            _number(path, line, column, record[column]) for line, record in enumerate(records, start=2)
        ]
        for column in columns
        if column in ARM_COLUMNS
    }
    if "arm" in columns:
        fields["arms"] = tuple(record["arm"] for record in records)
    families = {record["family"] for record in records} if "family" in columns else {"gaussian"}
    if len(families) != 1:
        raise InvalidProblemError(f"{path} names the families {sorted(families)}", instead="a problem has one family")
    return Problem.of(families.pop(), **fields)


def _read_samples(path: Path, rows: csv.DictReader[str], parameters: dict[str, str]) -> Problem:
    known = {"threshold", "replacement", "family"}
    for key in parameters:
        if key not in known:
            raise UnknownNameError(f"parameter of {path}", key, known)
    if "threshold" not in parameters:
        raise InvalidProblemError(f"{path} holds samples and no bar", instead=f"type {path}:threshold=0.5")
    samples: dict[str, list[float]] = {}
    for line, record in enumerate(rows, start=2):
        samples.setdefault(record["arm"], []).append(_number(path, line, "value", record["value"]))
    return Problem.replay(
        samples,
        thresholds=_number(path, 0, "threshold", parameters["threshold"]),
        family=parameters.get("family"),
        replacement=parameters.get("replacement", "no").lower() in ("yes", "true", "1"),
    )


def _number(path: Path, line: int, column: str, text: str | None) -> float:
    try:
        return float(text or "")
    except ValueError as error:
        place = f"{path}, line {line}" if line else str(path)
        raise InvalidProblemError(f"{place}: {column} is {text!r}", instead="give a number") from error
