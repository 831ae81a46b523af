"""Where the arms of a run come from: a list, a file, a glob, or a matrix of parameters."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thresher.errors import InvalidInputError
from thresher.problem import CAMPAIGN, read_file, rows_with, table_of_names
from thresher.run.environment import variable_of
from thresher.run.placeholders import NAME


@dataclass(frozen=True)
class PlannedArm:
    """One arm of a run."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)  # arguments of the measurement besides the name
    numbers: Mapping[str, float] = field(default_factory=dict)  # its own threshold, sigma, cost and pull_cost
    place: str = ""  # file and line, for error messages


def arms_from_names(names: Iterable[Any], parameters: Iterable[Mapping[str, Any]] | None = None) -> list[PlannedArm]:
    """Return arms; raise InvalidInputError if there are no names, two are equal, or one is invalid."""
    table = table_of_names(map(str, names))
    return [PlannedArm(*each) for each in zip(table.names, parameters or itertools.repeat({}), strict=False)]


def arms_from_glob(pattern: str, folder: Path) -> list[PlannedArm]:
    """Return one arm for each file in a folder that matches a pattern, named by its path in the folder."""
    try:
        found = sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())
    except (ValueError, NotImplementedError, IndexError) as error:
        raise InvalidInputError("arms_glob", pattern, rule=f"{error}", fix="write one like prompts/*.txt") from error
    if not found:
        raise InvalidInputError("arms_glob", pattern, rule="must match a file below the folder of the spec file")
    return arms_from_names(found)


def arms_from_matrix(matrix: Mapping[str, Sequence[Any]]) -> list[PlannedArm]:
    """Return one arm for each combination of parameters, named ``model=small size=3``."""
    check_parameters(matrix)
    for name, values in matrix.items():
        if not values or any(isinstance(value, str) and not value.strip() for value in values):
            raise InvalidInputError(
                f"matrix parameter {name!r}", list(values), rule="must have values, none of them empty"
            )
    settings = [dict(zip(matrix, values, strict=True)) for values in itertools.product(*matrix.values())]
    return arms_from_names((" ".join(f"{k}={v}" for k, v in each.items()) for each in settings), settings)


def check_parameters(names: Iterable[str]) -> None:
    """Raise InvalidInputError if a name cannot be a placeholder, or two would be the same environment variable."""
    variables: dict[str, str] = {}
    for name in names:
        if not NAME.fullmatch(name) or name == "arm":
            raise InvalidInputError("name of a parameter", name, rule="must be letters, digits and _, but not 'arm'")
        if (other := variables.setdefault(variable_of(name), name)) != name:
            raise InvalidInputError(
                "name of a parameter",
                name,
                rule=f"must differ from {other!r} by more than upper and lower case: both would be {variable_of(name)}",
                fix="rename one of them",
            )


def read_arms(path: Path) -> list[PlannedArm]:
    """Return the arms of a file, see :func:`thresher.problem.arms_table.read_file`.

    Columns of a table that a campaign does not use are parameters of the measurement.
    """
    table = read_file(path, extra=True)
    check_parameters(column for column in table.columns if column not in CAMPAIGN)
    arms = []
    for line, cells in rows_with(table):
        numbers = {key: cells[key] for key in CAMPAIGN[1:] if cells.get(key) is not None}
        parameters = {key: value for key, value in cells.items() if key not in CAMPAIGN}
        arms.append(PlannedArm(cells["arm"], parameters, numbers, f"{path.name}, line {line}"))
    return arms


def numbers_of(arms: Sequence[PlannedArm], column: str, default: float | None) -> Any:
    """Return a column of numbers, the default where an arm has none; only the default if no arm has one."""
    if not any(column in arm.numbers for arm in arms):
        return default
    values = [arm.numbers.get(column, default) for arm in arms]
    if None in values:
        arm = arms[values.index(None)]
        raise InvalidInputError(f"{arm.place}, column {column!r}", rule="every arm needs one, or none has one")
    return values
