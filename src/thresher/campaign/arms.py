"""Arms from user input: names, or a table with columns for thresholds and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from thresher.campaign.ledger import Terms
from thresher.errors import InvalidInputError
from thresher.problem import ArmsTable, Question, table_of, table_of_names

ArmRow: TypeAlias = tuple[str, float, float, float, int]  # name, threshold, sigma, cost, pull cost in millionths

KEYS = {"threshold": "thresholds", "sigma": "sigma", "cost": "costs", "pull_cost": "pull_costs"}


def arm_rows(terms: Terms, arms: Any, **numbers: Any) -> list[ArmRow]:
    """Return the arms as a campaign stores them.

    Parameters
    ----------
    terms : Terms
    arms : sequence of str, mapping of columns, data frame, or ArmsTable
        Names; or the columns ``arm``, ``threshold``, ``sigma``, ``cost``, ``pull_cost``, all but the first optional.
        A cell that is None, or null in a data frame, is blank.
    **numbers
        ``thresholds``, ``sigma``, ``costs``, ``pull_costs``: one number for all arms, or one for each. They are the
        defaults for blank cells and missing columns.

    Raises
    ------
    InvalidInputError
        If there are no arms, a name is empty, too long or repeated, a column is unknown, or a number is missing or out
        of range.
    """
    from thresher.inference import check_terms

    table = _table(arms)
    values = {key: table.filled(column, numbers.get(key)) for column, key in KEYS.items()}
    if terms.control:
        values["thresholds"] = _no_bars(terms, values["thresholds"])
    if values["thresholds"] is None:
        values["thresholds"] = terms.kind.default_bar()
        if values["thresholds"] is None:
            raise InvalidInputError("threshold", rule="every arm needs one", fix="give a bar, or a column 'threshold'")
    if terms.kind.needs_sigma and values["sigma"] is None:
        rule = f"{terms.family} outcomes need their standard deviation"
        raise InvalidInputError("sigma", rule=rule, fix="give it, or use the family gaussian-unknown-variance")
    values |= terms.kind.used_range(terms)
    try:
        given = values["thresholds"]
        question = Question.of(terms.family, arms=table.names, **values | {"thresholds": terms.scoring.bars(given)})
        thresholds = terms.scoring.thresholds(question, given)
    except InvalidInputError as error:
        raise error.at("threshold") if error.where == "thresholds" else error from None
    check_terms(question, risk=terms.risk, guarantee=terms.guarantee, tolerance=terms.tolerance)
    columns = (thresholds, question.sigma, question.costs, question.ticks)
    return list(zip(table.names, *(column.tolist() for column in columns), strict=True))


def first_rows(terms: Terms, arms: Any, **numbers: Any) -> list[ArmRow]:
    """Return the first arms of a campaign, as :func:`arm_rows` does; the control must be one of them.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If it is not, or it is the only one.
    """
    rows = arm_rows(terms, arms, **numbers)
    names = [row[0] for row in rows]
    control = terms.control_among(names)
    if control is not None:
        Question.of(terms.family, arms=names, control=control, low=terms.low, high=terms.high)
    return rows


def _no_bars(terms: Terms, thresholds: Any) -> float:
    """Return where squares are counted from in a campaign with a control; raise if thresholds are given."""
    terms.combined()._replace(bar=thresholds).check(bar="threshold")
    return terms.kind.origin_of_squares(terms.low, terms.high)


def _table(arms: Any) -> ArmsTable:
    """Return the arms of a table, a mapping, a data frame or a list of names."""
    if isinstance(arms, ArmsTable):
        return arms.checked()
    columns = as_columns(arms)
    if columns is not None:
        return table_of(columns)
    if isinstance(arms, str) or not isinstance(arms, Iterable):
        raise InvalidInputError("arms", arms, rule="must be a list of names, or a table with a column 'arm'")
    return table_of_names(arms)


def as_columns(arms: Any) -> Mapping[str, Sequence[Any]] | None:
    """Return the columns of a mapping, or of a data frame of any library; None for anything else."""
    if isinstance(arms, Mapping):
        return arms
    if isinstance(arms, (list, tuple, set, range, str)):
        return None
    import narwhals

    try:
        frame = narwhals.from_native(arms, eager_only=True, pass_through=True)
    except narwhals.exceptions.DuplicateError as error:
        raise InvalidInputError("columns of the data frame", list(arms), rule="must have different names") from error
    if not isinstance(frame, narwhals.DataFrame):
        return None
    return {str(column): _cells(frame[column]) for column in frame.columns}


def _cells(column: Any) -> list[Any]:
    """Return the cells of a column, None for missing values."""
    return [None if is_blank else cell for cell, is_blank in zip(column, column.is_null(), strict=True)]
