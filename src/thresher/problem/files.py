"""Problems in files: JSON, TOML, a CSV of arms, of samples to replay, of arms by items."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem.arms_table import PROBLEM, ArmsTable, read_table, read_text
from thresher.problem.catalogue import PROBLEMS, named
from thresher.problem.combinations import Combination
from thresher.problem.crossed import crossed_csv
from thresher.problem.csv_text import Fault, TableRow, rows_of
from thresher.problem.numbers import number_in
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
    "control",
    "margin",
)
EXTRA_KEYS = ("control", "margin", "history", "proxy")  # what is given in addition to a file
# The key of a problem file that a column of a table stands for.
COLUMN_KEYS = {"mean": "means", "threshold": "thresholds", "sigma": "sigma", "cost": "costs", "pull_cost": "pull_costs"}


def find_problem(
    text: str | Path | Problem,
    *,
    control: str | None = None,
    margin: float | str | None = None,
    history: Path | str | None = None,
    proxy: Path | str | None = None,
) -> Problem:
    """Return the problem that a command-line argument names: a file or a name, with parameters after a colon.

    A problem is returned as it is. With a `control`, the mean of that arm takes the place of the thresholds, with a
    `margin` as in :meth:`Problem.gaussian <thresher.problem.Problem.gaussian>`. `history` and `proxy` are files for a
    CSV of arms by items, as in :meth:`Problem.crossed <thresher.problem.Problem.crossed>`.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If the file cannot be read as a problem, nothing has that name, or there is no such arm.
    """
    asked = {"control": control, "margin": margin, "history": history, "proxy": proxy}
    given = {key: value for key, value in asked.items() if value is not None}
    if isinstance(text, Problem):
        return _controlled(text, given)
    if isinstance(text, Path):
        return load(text, **given)
    if not isinstance(text, str):
        raise InvalidInputError(
            "problem",
            text,
            rule="must be a Problem, such as Problem.gaussian([0.3, -0.1]), a file, or a name such as 'linear'",
        )
    spec = parse_spec(text) if "=" in text else Spec(text, {})
    path = Path(spec.name)
    if path.suffix.lower() in READERS or _can_be_read(path):
        return load(path, **(dict(spec.parameters) | given))
    try:
        return _controlled(named(text), given)
    except UnknownNameError as error:
        if error.kind == "problem" and ("/" in text or "." in path.name):
            raise InvalidInputError(
                f"file {spec.name!r}", rule=f"must be a file or the name of a problem: {', '.join(PROBLEMS)}"
            ) from error
        raise


def _can_be_read(path: Path) -> bool:
    """Return whether a file exists, or a stream such as /dev/stdin."""
    try:
        return path.exists() and not path.is_dir()
    except OSError:  # too long for a file's name
        return False


def _controlled(problem: Problem, given: Mapping[str, Any]) -> Problem:
    """Return a problem with the given control and margin, if any."""
    if not given:
        return problem
    _refuse_signals(given)
    control = given.get("control", None if problem.control is None else problem.control.arm)
    Combination(has_control=control not in (None, ""), margin=given.get("margin")).check()
    return problem.with_control(control, given.get("margin", 0.0))


def _refuse_signals(given: Mapping[str, Any]) -> None:
    """Raise InvalidInputError if a problem without shared items is given a history or a proxy."""
    Combination(has_items=False, history=given.get("history"), proxy=given.get("proxy")).check()


def _merged(table: Any, given: dict[str, Any]) -> Any:
    """Return the keys of a file with the given control and margin; a control replaces thresholds."""
    if not given or not isinstance(table, Mapping):
        return table
    _refuse_signals(given)
    return {key: value for key, value in table.items() if key != "thresholds" or "control" not in given} | given


def load(path: Path | str, **parameters: Any) -> Problem:
    """Return the problem in a file.

    The file extension selects the format; for a stream without one, such as ``/dev/stdin``, the first line does. A
    CSV of samples (columns arm, value) takes the parameters ``threshold``, ``replacement`` and ``family``; one of
    arms by items (columns arm, item, value) takes ``threshold``, ``family``, ``low``, ``high``, and the files
    ``history`` and ``proxy``. Every file takes
    ``control``, the name of the arm whose mean is the bar in place of thresholds, and ``margin``.

    Raises
    ------
    InvalidInputError
        If the file is missing or malformed; the message names the line or the key.
    """
    try:
        path = Path(path)
    except TypeError as error:
        raise InvalidInputError("path of the problem", path, rule="must be a path") from error
    ending = path.suffix.lower()
    if ending not in READERS and (path.is_file() or not _can_be_read(path)):
        raise InvalidInputError(f"ending of {path}", ending, rule="must be .json, .toml or .csv")
    text = read_text(path)
    reader = READERS[ending if ending in READERS else _ending_of(text)]
    given: dict[str, Any] = {key: parameters.pop(key) for key in EXTRA_KEYS if key in parameters}
    return replace(reader(path, text, dict(parameters), given), name=path.name)


def _ending_of(text: str) -> str:
    """Return the file extension that matches the first line of a text."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if first.startswith("{"):
        return ".json"
    return ".toml" if "=" in first or first.startswith(("#", "[")) else ".csv"


def from_dict(table: Mapping[str, Any], *, where: str = "the problem") -> Problem:
    """Return the problem of a mapping with the keys of a problem file."""
    if not isinstance(table, Mapping):
        raise InvalidInputError(where, table, rule=f"must be a table with the keys {', '.join(KEYS)}")
    for key in table:
        if key not in KEYS:
            raise UnknownNameError(f"key of {where}", str(key), KEYS)
    if "means" not in table:
        raise InvalidInputError(f"key 'means' of {where}", rule="must be one mean for each arm")
    fields = dict(table)
    family = str(fields.pop("family", "gaussian"))
    if "population" in fields:
        fields["population"] = _population(fields["population"], where)
    if "arms" in fields:
        fields["arms"] = _names(fields["arms"], where)
    return _noting_defaults(Problem.of(family, **fields), table)


def _noting_defaults(problem: Problem, given: Mapping[str, Any]) -> Problem:
    """Return a problem that names the keys which a file left to their defaults."""
    missing = tuple(key for key in ("family", "sigma", "thresholds") if given.get(key) is None)
    if "control" in given:
        missing = tuple(key for key in missing if key != "thresholds")
    return replace(problem, assumed=missing)


def _names(names: Any, where: str) -> tuple[str, ...]:
    if not isinstance(names, list | tuple):
        raise InvalidInputError(f"'arms' of {where}", names, rule="must be a list of names, one for each arm")
    return tuple(map(str, names))


def _population(table: Any, where: str) -> Population:
    if not isinstance(table, Mapping) or set(table) != {"kind", "first", "second"}:
        raise InvalidInputError(f"'population' of {where}", table, rule="must have the keys kind, first and second")
    first, second = table["first"], table["second"]
    if not all(type(number) in (int, float) and abs(number) <= sys.float_info.max for number in (first, second)):
        raise InvalidInputError(f"'population' of {where}", table, rule="must have numbers as first and second")
    return Population(str(table["kind"]), float(first), float(second))


def _read_json(path: Path, text: str, parameters: dict[str, str], given: dict[str, Any]) -> Problem:
    _refuse(parameters, path)
    try:
        table = json.loads(text, object_pairs_hook=_each_key_once)
    except json.JSONDecodeError as error:
        rule = f"must be JSON: {error.msg}"
        raise Fault(error.lineno, "text", _line(text, error.lineno), rule).error(str(path)) from error
    except (ValueError, RecursionError) as error:  # too many digits or brackets
        raise InvalidInputError(f"text of {path}", text, rule=f"must be JSON: {_clause(error)}") from error
    return from_dict(_merged(table, given), where=str(path))


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    for key in table:
        if sum(key == other for other, _ in pairs) > 1:
            raise ValueError(f"the key {key!r} stands there twice")
    return table


def _read_toml(path: Path, text: str, parameters: dict[str, str], given: dict[str, Any]) -> Problem:
    _refuse(parameters, path)
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"text of {path}", text, rule=f"must be TOML: {_clause(error)}") from error
    return from_dict(_merged(table, given), where=str(path))


def _line(text: str, number: int) -> str:
    return "".join(text.splitlines()[number - 1 : number]).strip()


def _clause(error: Exception) -> str:
    return str(error).partition(";")[0]


def _refuse(parameters: dict[str, str], path: Path) -> None:
    if parameters:
        raise UnknownNameError(f"parameter of {path}", next(iter(parameters)), [])


def _read_csv(path: Path, text: str, parameters: dict[str, str], given: dict[str, Any]) -> Problem:
    rows, fault = rows_of(text)
    heads = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    if {"arm", "value"} <= set(heads):
        if fault is not None:
            raise fault.error(path.name)
        if "item" in heads:
            return _read_crossed(path, text, parameters, given)
        return _read_samples(path, heads, rows[1:], parameters, given)
    _refuse(parameters, path)
    return _of_arms(read_table(text, PROBLEM, required="mean").checked(path.name), path, given)


def _of_arms(table: ArmsTable, path: Path, given: dict[str, Any]) -> Problem:
    values = {key: table.filled(column) for column, key in COLUMN_KEYS.items()}
    if values["means"] is None:
        raise InvalidInputError(f"column 'mean' of {path.name}", rule="every arm needs one")
    named_families = sorted(set(table.columns.get("family", ())) - {""})
    families = named_families or ["gaussian"]
    if len(families) > 1:
        raise InvalidInputError(f"column 'family' of {path.name}", families, rule="must be the same for all arms")
    fields = {key: value for key, value in values.items() if value is not None}
    fields = _merged(fields, given)
    made = Problem.of(families[0], arms=table.names, **fields)
    return _noting_defaults(made, fields | ({"family": families[0]} if named_families else {}))


def _replay_parameters(threshold: float = 0.0, replacement: bool = False, family: str = "") -> None:
    """Declare the parameters of a CSV of samples, for :func:`bind`."""


def _read_samples(
    path: Path, heads: list[str], rows: list[TableRow], parameters: dict[str, str], given: dict[str, Any]
) -> Problem:
    _refuse_signals(given)
    chosen = bind(_replay_parameters, Spec(str(path), parameters))
    if "threshold" not in chosen and "control" not in given:
        raise InvalidInputError(f"threshold of {path}", rule="samples need a bar", fix=f"type {path}:threshold=0.5")
    samples: dict[str, list[float]] = {}
    for row in rows:
        if len(row.cells) != len(heads):
            rule = f"must be {len(heads)}, one for each column"
            raise Fault(row.line, "number of cells", len(row.cells), rule).error(path.name)
        cells = dict(zip(heads, row.cells, strict=True))
        arm, value = cells["arm"].strip(), number_in(cells["value"])
        if value is None:
            raise Fault(row.line, "column 'value'", cells["value"], "must be a number").error(path.name)
        if not arm:
            raise Fault(row.line, "column 'arm'", arm, "must have 1 to 500 characters").error(path.name)
        samples.setdefault(arm, []).append(value)
    return Problem.replay(
        samples,
        thresholds=chosen.get("threshold"),
        family=chosen.get("family"),
        replacement=chosen.get("replacement", False),
        **given,
    )


def _crossed_parameters(threshold: float = 0.0, family: str = "", low: float = 0.0, high: float = 1.0) -> None:
    """Declare the parameters of a CSV of arms by items, for :func:`bind`."""


def _read_crossed(path: Path, text: str, parameters: dict[str, str], given: dict[str, Any]) -> Problem:
    chosen = bind(_crossed_parameters, Spec(str(path), parameters))
    if "threshold" not in chosen and "control" not in given:
        raise InvalidInputError("threshold", rule=f"{path} holds outcomes and no bar", fix=f"type {path}:threshold=0.5")
    return Problem.crossed(
        crossed_csv(text, where=str(path)), thresholds=chosen.pop("threshold", None), **chosen, **given
    )


READERS: dict[str, Callable[[Path, str, dict[str, str], dict[str, Any]], Problem]] = {
    ".json": _read_json,
    ".toml": _read_toml,
    ".csv": _read_csv,
    ".tsv": _read_csv,
}
