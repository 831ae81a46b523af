"""Arms as users bring them: names, or a data frame with columns for their own thresholds and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from thresher.campaign import Terms
from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.live.texts import name_of
from thresher.problem import Question

ArmRow: TypeAlias = tuple[str, float, float, float, int]  # name, threshold, sigma, cost, pull cost in millionths

COLUMNS = {"arm": "arms", "threshold": "thresholds", "sigma": "sigma", "cost": "costs", "pull_cost": "pull_costs"}
DEFAULTS = {"cost": 1.0, "pull_cost": 1.0}  # of a blank cell


def arm_rows(terms: Terms, arms: Any, **numbers: Any) -> list[ArmRow]:
    """Return the arms as a campaign keeps them.

    Parameters
    ----------
    terms : Terms
    arms : sequence of str, mapping of columns, or data frame
        Names; or the columns ``arm``, ``threshold``, ``sigma``, ``cost``, ``pull_cost``, all but the first optional.
        A cell that is None, or null in a data frame, is blank.
    **numbers
        ``thresholds``, ``sigma``, ``costs``, ``pull_costs``: one number for all arms, or one for each. A number in a
        column goes first: these are for blank cells and for columns that are not there.

    Raises
    ------
    InvalidProblemError, UnknownNameError
        If there is no arm, a name is empty, too long or there twice, a column is unknown, a number is missing or out of
        range.
    """
    columns = _columns(arms)
    names = [name_of("arm", name) for name in columns["arm"]]
    values = {
        key: _filled(names, column, columns.get(column, []), numbers.get(key))
        for column, key in COLUMNS.items()
        if column != "arm"
    }
    if values["thresholds"] is None:
        if terms.family != "two-point":
            raise InvalidProblemError("no threshold", instead="give a threshold, or a column 'threshold'")
        values["thresholds"] = 0.0
    if terms.family == "bounded":
        values |= {"low": terms.low, "high": terms.high}
    question = Question.of(terms.family, arms=names, **values)
    return [
        (name, float(theta), float(sigma), float(cost), int(ticks))
        for name, theta, sigma, cost, ticks in zip(
            names, question.thresholds, question.sigma, question.costs, question.ticks, strict=True
        )
    ]


def _filled(names: Sequence[str], column: str, cells: Sequence[Any], given: Any) -> Any:
    """Return the numbers of a column, where it is blank what is given; if all of it is, only that."""
    blank = [i for i, cell in enumerate(cells) if cell is None]
    if len(blank) == len(cells):
        return given
    if given is None:
        given = DEFAULTS.get(column)
    if not blank or len(cells) != len(names):
        return cells  # of another length: the question says so
    if given is None:
        raise InvalidProblemError(
            f"the arm {names[blank[0]][:40]!r} has no {column}", instead="fill its cell, or give one for all arms"
        )
    others = np.broadcast_to(given, len(names)) if np.ndim(given) == 0 else list(given)
    if len(others) != len(names):
        return others
    return [other if cell is None else cell for cell, other in zip(cells, others, strict=True)]


def _columns(arms: Any) -> dict[str, Sequence[Any]]:
    if not isinstance(arms, Mapping):
        frame = _as_frame(arms)
        if frame is None:
            return {"arm": _listed(arms)}
        arms = frame
    for column in arms:
        if column not in COLUMNS:
            raise UnknownNameError("column of the arms", str(column), COLUMNS)
    if "arm" not in arms:
        raise InvalidProblemError("no column 'arm'", instead=f"name the columns {', '.join(COLUMNS)}")
    names = _listed(arms["arm"])
    return {column: names if column == "arm" else _cells_of(cells, len(names)) for column, cells in arms.items()}


def _cells_of(cells: Any, n_arms: int) -> list[Any]:
    """Return the cells of a column; a single number is that of every arm."""
    is_single = isinstance(cells, str) or not isinstance(cells, Iterable) or getattr(cells, "ndim", 1) == 0
    return [cells] * n_arms if is_single else list(cells)


def _listed(arms: Iterable[Any]) -> list[Any]:
    if isinstance(arms, str):
        raise InvalidProblemError(f"the arms are one string, {arms[:40]!r}", instead="give a list of names")
    try:
        names = list(arms)
    except TypeError as error:
        raise InvalidProblemError(f"arms of type {type(arms).__name__}", instead="give a list of names") from error
    if not names:
        raise InvalidProblemError("no arms", instead="give at least one name")
    return names


def _as_frame(arms: Any) -> dict[str, Sequence[Any]] | None:
    """Return the columns of a data frame of any library, or None if it is none."""
    if isinstance(arms, (list, tuple, set, range, str)):
        return None
    import narwhals

    try:
        frame = narwhals.from_native(arms, eager_only=True, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        raise InvalidProblemError("a data frame with two columns of one name", instead="name each once") from error
    if not isinstance(frame, narwhals.DataFrame):
        return None
    return {str(column): _cells(frame[column]) for column in frame.columns}


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column, None for what its library takes for missing."""
    return [None if is_blank else cell for cell, is_blank in zip(column, column.is_null(), strict=True)]
