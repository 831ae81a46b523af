"""Results of a league read from files, checked, and put together."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from thresher.errors import ExperimentError, InvalidInputError
from thresher.report import exact
from thresher.research.league.leagues import CHAMPION, FORMAT, League, LeagueCell, LeagueStanding, geometric_mean
from thresher.research.league.suite import NAMED, VERSION

KINDS = {"str": "a text", "bool": "true or false", "int": "a whole number", "float": "a number"}
TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int": (int,), "float": (int, float)}
NUMBERS_OR_NOTHING = ("stderr", "ratio", "ratio_low", "ratio_high", "low", "high", "limit", "limit_kind")
CLOSE = 1e-9  # relative: what a number may lose on its way through JSON and another machine's sums


def read_league(path: Path | str) -> League:
    """Return the league of a file that ``thresher league --out`` or ``--json`` wrote.

    Raises
    ------
    ExperimentError
        If the file cannot be read or is not JSON.
    InvalidInputError
        If a field is missing or wrong, the format or the suite has another version, or a problem or a budget is not in
        the suite.
    """
    where, document = str(path), _document(Path(path))
    if document.get("format") != FORMAT:
        raise InvalidInputError(
            f"{where}: format", document.get("format"), rule=f"must be {FORMAT!r}", fix="write it with thresher league"
        )
    if document.get("suite") != VERSION:
        raise InvalidInputError(
            f"{where}: suite",
            document.get("suite"),
            rule=f"must be {VERSION!r}, the suite of this version",
            fix="play it again with this version of thresher",
        )
    cells = [LeagueCell(**_values(LeagueCell, row, at)) for at, row in _rows(where, document, "cells")]
    standings = [LeagueStanding(**_values(LeagueStanding, row, at)) for at, row in _rows(where, document, "standings")]
    seed, about = document.get("seed"), document.get("about")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InvalidInputError(f"{where}: seed", seed, rule="must be a whole number")
    found = League(cells, standings, seed, about if isinstance(about, dict) else {}, VERSION)
    _check_places(where, found)
    _check_standings(where, found)
    return found


def merge_leagues(leagues: Sequence[League]) -> League:
    """Return the results of several leagues as one: the same suite, runs and random numbers, other policies.

    Raises
    ------
    ExperimentError
        If they are of other problems, seeds or runs, or differ in what the same policy did.
    """
    first = leagues[0]
    cells = {(cell.problem, cell.budget, cell.policy): cell for cell in first.cells}
    standings = {standing.policy: standing for standing in first.standings}
    for other in leagues[1:]:
        if (other.suite, other.seed, _places(other)) != (first.suite, first.seed, _places(first)):
            raise ExperimentError(
                "the results have other problems, budgets or seeds", instead="play the same suite with the same --seed"
            )
        for cell in other.cells:
            known = cells.setdefault((cell.problem, cell.budget, cell.policy), cell)
            if known.runs != cell.runs or not math.isclose(known.mean, cell.mean, rel_tol=CLOSE):
                raise ExperimentError(
                    f"{cell.policy!r} on {cell.problem!r} at {exact(cell.budget)} made {exact(known.mean)} mistakes "
                    f"over {known.runs} runs in one result and {exact(cell.mean)} over {cell.runs} in another",
                    instead="play both with the same version of thresher, the same --seed and the same --runs",
                )
        standings |= {standing.policy: standing for standing in other.standings if standing.policy not in standings}
    return replace(first, cells=list(cells.values()), standings=list(standings.values()))


def _document(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ExperimentError(
            f"cannot read {path}: {error}", instead="give a file that thresher league --out or --json wrote"
        ) from error
    if not isinstance(document, dict):
        raise ExperimentError(f"{path} is not a JSON object", instead="give a file that thresher league wrote")
    return document


def _rows(where: str, document: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    rows = document.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidInputError(f"{where}: {key}", rows, rule="must be a list of objects")
    return [(f"{where}: {key}[{i}]", row) for i, row in enumerate(rows)]


def _values(kind: type[LeagueCell] | type[LeagueStanding], row: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a row, each of its type; what is null and should be a number is not a number."""
    return {each.name: _value(str(each.type).partition(" ")[0], row, each.name, where) for each in fields(kind)}


def _value(kind: str, row: dict[str, Any], name: str, where: str) -> Any:
    if name not in row:
        raise InvalidInputError(f"{where}.{name}", rule=f"every row needs it: {KINDS[kind]}")
    value = row[name]
    if value is None and name in NUMBERS_OR_NOTHING:
        return None if name.startswith("limit") else math.nan
    is_of_kind = isinstance(value, TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))
    if not is_of_kind:
        raise InvalidInputError(f"{where}.{name}", value, rule=f"must be {KINDS[kind]}")
    if kind in ("int", "float") and not math.isfinite(value):
        raise InvalidInputError(f"{where}.{name}", value, rule="must be a finite number")
    return float(value) if kind == "float" else value


def _places(league: League) -> set[tuple[str, float]]:
    return {(cell.problem, cell.budget) for cell in league.cells}


def _check_places(where: str, league: League) -> None:
    """Raise unless every cell is at a budget of the suite, appears once, and comes with `stopping`."""
    budgets = {name: values for name, values, _ in NAMED}
    seen: set[tuple[str, float, str]] = set()
    for i, cell in enumerate(league.cells):
        at = f"{where}: cells[{i}]"
        if cell.problem not in budgets:
            rule = f"must be a problem of suite {VERSION!r}: {', '.join(budgets)}"
            raise InvalidInputError(f"{at}.problem", cell.problem, rule=rule)
        if cell.budget not in budgets[cell.problem]:
            known = ", ".join(exact(budget) for budget in budgets[cell.problem])
            raise InvalidInputError(f"{at}.budget", cell.budget, rule=f"must be a budget of {cell.problem!r}: {known}")
        if (key := (cell.problem, cell.budget, cell.policy)) in seen:
            raise InvalidInputError(f"{at}.policy", cell.policy, rule="must be at a problem and a budget once")
        seen.add(key)
    for problem in league.problems:
        for budget in budgets[problem]:
            if (problem, budget, CHAMPION) not in seen:
                rule = f"a cell of {CHAMPION!r} at every budget of {problem!r} is needed"
                raise InvalidInputError(f"{where}: cell of {CHAMPION!r} on {problem!r} at {exact(budget)}", rule=rule)
    if not league.cells:
        raise InvalidInputError(f"{where}: cells", [], rule="must not be empty")


def _check_standings(where: str, league: League) -> None:
    """Raise unless the standing of every policy is the geometric mean of the ratios of its cells."""
    ratios: dict[str, list[float]] = {policy: [] for policy in league.policies if policy != CHAMPION}
    for cell in league.cells:
        if cell.policy != CHAMPION and cell.ratio > 0.0:
            ratios[cell.policy].append(cell.ratio)
    if set(ratios) != {standing.policy for standing in league.standings}:
        rule = f"must have one standing for each policy but {CHAMPION!r}"
        raise InvalidInputError(f"{where}: standings", sorted(s.policy for s in league.standings), rule=rule)
    for i, standing in enumerate(league.standings):
        own = geometric_mean(ratios[standing.policy])
        is_own = math.isclose(standing.ratio, own, rel_tol=1e-6) or (math.isnan(own) and math.isnan(standing.ratio))
        if not is_own or standing.cells != len(ratios[standing.policy]):
            rule = (
                f"must be the geometric mean of the ratios of its cells, {exact(own)} of {len(ratios[standing.policy])}"
            )
            raise InvalidInputError(f"{where}: standings[{i}].ratio", standing.ratio, rule=rule)
