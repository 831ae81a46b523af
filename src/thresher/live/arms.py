"""Arms as users bring them: names, or a data frame with columns for their own thresholds and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from thresher.campaign import Terms
from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.live.texts import name_of
from thresher.problem import Problem

ArmRow: TypeAlias = tuple[str, float, float, float, int]  # name, threshold, sigma, cost, pull cost in millionths

__all__ = ["COLUMNS", "ArmRow", "arm_rows", "name_of"]

COLUMNS = {"arm": "arms", "threshold": "thresholds", "sigma": "sigma", "cost": "costs", "pull_cost": "pull_costs"}


def arm_rows(terms: Terms, arms: Any, **numbers: Any) -> list[ArmRow]:
    """Return the arms as a campaign keeps them.

    Parameters
    ----------
    terms : Terms
    arms : sequence of str, mapping of columns, or data frame
        Names; or the columns ``arm``, ``threshold``, ``sigma``, ``cost``, ``pull_cost``, all but the first optional.
    **numbers
        ``thresholds``, ``sigma``, ``costs``, ``pull_costs``: one number for all arms, or one for each; None leaves it
        to the column or the default.

    Raises
    ------
    InvalidProblemError, UnknownNameError
        If there is no arm, a name is empty, too long or there twice, a column is unknown or given twice, or a number is
        out of range.
    """
    columns = _columns(arms)
    for key, value in numbers.items():
        if value is not None:
            if key in columns:
                raise InvalidProblemError(f"{key} are given twice", instead="give a column or a keyword, not both")
            columns[key] = value
    names = [name_of("arm", name) for name in columns.pop("arms")]
    if "thresholds" not in columns:
        if terms.family != "two-point":
            raise InvalidProblemError("no threshold", instead="give a threshold, or a column 'threshold'")
        columns["thresholds"] = 0.0
    if terms.family == "bounded":
        columns |= {"low": terms.low, "high": terms.high}
    problem = Problem.live(terms.family, arms=names, **columns)
    return [
        (name, float(theta), float(sigma), float(cost), int(ticks))
        for name, theta, sigma, cost, ticks in zip(
            names, problem.thresholds, problem.sigma, problem.costs, problem.ticks, strict=True
        )
    ]


def _columns(arms: Any) -> dict[str, Any]:
    if isinstance(arms, str):
        raise InvalidProblemError(f"the arms are one string, {arms[:40]!r}", instead="give a list of names")
    if not isinstance(arms, Mapping):
        frame = _as_frame(arms)
        if frame is None:
            return {"arms": _listed(arms)}
        arms = frame
    for column in arms:
        if column not in COLUMNS:
            raise UnknownNameError("column of the arms", str(column), COLUMNS)
    if "arm" not in arms:
        raise InvalidProblemError("no column 'arm'", instead=f"name the columns {', '.join(COLUMNS)}")
    return {COLUMNS[column]: list(values) for column, values in arms.items()}


def _listed(arms: Iterable[Any]) -> list[Any]:
    try:
        names = list(arms)
    except TypeError as error:
        raise InvalidProblemError(f"arms of type {type(arms).__name__}", instead="give a list of names") from error
    if not names:
        raise InvalidProblemError("no arms", instead="give at least one name")
    return names


def _as_frame(arms: Any) -> dict[str, Sequence[Any]] | None:
    """Return the columns of a data frame of any library, or None if it is none."""
    if isinstance(arms, (list, tuple, set, range)):
        return None
    import narwhals

    frame = narwhals.from_native(arms, eager_only=True, pass_through=True)
    if not isinstance(frame, narwhals.DataFrame):
        return None
    return {str(column): frame[column].to_list() for column in frame.columns}
