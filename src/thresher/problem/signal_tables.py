"""Cheap signals of a crossed table: outcomes of past arms on its items, and a score for each of its answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem.crossed import VALUE, Crossed, Row, crossed_rows, named_rows
from thresher.problem.question import Question
from thresher.problem.structure import Structure
from thresher.types import Bools, Floats

SCORES = (VALUE, "score")  # names of the column of scores in a table, which has one of them


def with_signals(question: Question, table: Crossed, *, history: Any = None, proxy: Any = None) -> Structure:
    """Return the structure of a question about a crossed table, with history and proxy.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If a shape, a name or a number does not fit the table.
    """
    assert question.structure
    past = None if history is None else history_in(history, table.items)
    if past is not None:
        check_outcomes(question, past.values, past.arms)
    scores = None if proxy is None else scores_in(proxy, table.arms, table.items)
    width = question.sampling.layout.shape[1]  # items at the end of the table may be those of no arm
    past_values = None if past is None else np.ascontiguousarray(past.values[:, :width])
    return replace(question.structure, history=past_values, proxy=None if scores is None else scores[:, :width])


def history_in(table: Any, items: Sequence[str]) -> Crossed:
    """Return the outcomes of past arms on these items; other items and arms without any of these are left out.

    Parameters
    ----------
    table : array, data frame, mapping or path
        An array has a column for each item; everything else names arms and items.
    items : sequence of str
    """
    rows = named_rows(table)
    if rows is None:
        values = _array("history", table, len(items))
        found = Crossed(values, tuple(str(h) for h in range(1, len(values) + 1)), tuple(items))
    elif given := list(rows):
        found = _of_items(crossed_rows(given), items)
    else:
        found = Crossed(np.empty((0, len(items))), (), tuple(items))
    is_told: Bools = np.asarray(~np.isnan(found.values).all(axis=1))
    if not is_told.any():
        raise InvalidInputError("history", table, rule="must have an outcome of a past arm on one of the items")
    arms = tuple(arm for arm, told in zip(found.arms, is_told.tolist(), strict=True) if told)
    return Crossed(found.values[is_told], arms, found.items)


def _of_items(found: Crossed, items: Sequence[str]) -> Crossed:
    """Return the columns of a table that belong to these items, in their order; NaN where it has none."""
    places = {item: i for i, item in enumerate(found.items)}
    values = np.full((len(found.arms), len(items)), np.nan)
    for i, item in enumerate(items):
        if item in places:
            values[:, i] = found.values[:, places[item]]
    return Crossed(values, found.arms, tuple(items))


def check_outcomes(question: Question, values: Floats, arms: Sequence[str]) -> None:
    """Raise InvalidInputError if an outcome of a past arm is none that the family of a question can have."""
    for value in np.unique(values[~np.isnan(values)]).tolist():
        why = question.kind.misfit(value, low=question.low, high=question.high)
        if why is not None:
            arm = arms[int(np.argwhere(values == value)[0][0])]
            raise InvalidInputError(
                f"an outcome of past arm {arm!r}", value, rule=f"must fit the family {question.family!r}: {why}"
            )


def scores_in(table: Any, arms: Sequence[str], items: Sequence[str]) -> Floats:
    """Return the scores of these arms on these items, shape (K, N); NaN where there is none.

    Parameters
    ----------
    table : array, data frame, mapping or path
        An array has a row for each arm and a column for each item; a frame or a CSV file has the columns ``arm``,
        ``item`` and ``value``, or ``score`` in place of the last.
    arms, items : sequence of str

    Raises
    ------
    InvalidInputError, UnknownNameError
        If there is no such arm or item, a score is given twice or is not a number, or there is none at all.
    """
    rows = named_rows(table, SCORES)
    if rows is None:
        values = _array("proxy", table, len(items))
        if len(values) != len(arms):
            raise InvalidInputError("number of rows of the proxy", len(values), rule=f"must be {len(arms)}, the arms")
        return values
    scored = list(with_a_number(rows))
    if not scored:
        raise InvalidInputError("proxy", table, rule="must have a score of an answer")
    found = crossed_rows(scored)
    for what, given, known in (("arm", found.arms, arms), ("item", found.items, items)):
        for name in sorted(set(given) - set(known)):
            raise UnknownNameError(f"{what} of the proxy", name[:60], known)
    places = {arm: k for k, arm in enumerate(found.arms)}
    values = np.full((len(arms), len(items)), np.nan)
    for k, arm in enumerate(arms):
        if arm in places:
            values[k] = _of_items(found, items).values[places[arm]]
    return values


def with_a_number(rows: Iterable[Row]) -> Iterable[Row]:
    """Return the rows that have a value: an empty cell, None or NaN is a missing one."""
    return (row for row in rows if not is_missing(row[3]))


def is_missing(value: Any) -> bool:
    """Return whether a score is not there."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _array(what: str, table: Any, n_items: int) -> Floats:
    try:
        values = np.array(table, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(what, table, rule="must be numbers, NaN where there is none") from error
    if values.ndim != 2 or values.shape[1] != n_items:
        raise InvalidInputError(
            f"shape of the {what}", values.shape, rule=f"must be (arms, {n_items}): a column for each item"
        )
    if np.isinf(values).any():
        raise InvalidInputError(f"a number of the {what}", math.inf, rule="must be finite, or NaN for none")
    return values
