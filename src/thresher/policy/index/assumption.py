"""Assumption 1 of the paper, tried on a formula: non-decreasing in pulls and in evidence, and unbounded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from thresher.errors import InvalidIndexError

COUNTS = [float(n) for n in sorted({*range(1, 33), *(int(1.5**i) for i in range(8, 35))})]
EVIDENCES = [0.0, *(10.0 ** (i / 8) for i in range(-48, 33))]
COSTS = (1e-3, 0.5, 1.0, 30.0)
GROWTH = (1e-4, 1e-2, 1.0)
ROUNDING = 1e-12  # a formula may lose this much, relatively, to floating point


def check_assumption(name: str, formula: Callable[[float, float, float], float]) -> None:
    r"""Raise unless a formula is non-decreasing in `n` and `x` and :math:`F(n, n y; a) \to \infty`, tried on a grid.

    :cite:p:`ouhamma2021`, Assumption 1. A grid cannot prove it; what it finds is a counter-example.

    Raises
    ------
    InvalidIndexError
        With the counter-example, or with the arguments at which the formula is not a number.
    """
    for cost in COSTS:
        rows = [[_value(name, formula, n, x, cost) for x in EVIDENCES] for n in COUNTS]
        for n, row in zip(COUNTS, rows, strict=True):
            _demand_order(name, row, [(n, x) for x in EVIDENCES], cost)
        for x, column in zip(EVIDENCES, zip(*rows, strict=True), strict=True):
            _demand_order(name, column, [(n, x) for n in COUNTS], cost)
        for y in GROWTH:
            _demand_growth(name, formula, y, cost)


def _value(name: str, formula: Callable[[float, float, float], float], n: float, x: float, cost: float) -> float:
    try:
        value = float(formula(n, x, cost))
    except (ArithmeticError, ValueError) as error:  # a kernel could not raise this error and would rank the arm by NaN
        raise InvalidIndexError(name, f"F({n:g}, {x:g}; {cost:g}) fails with {error}") from error
    if math.isnan(value):
        raise InvalidIndexError(name, f"F({n:g}, {x:g}; {cost:g}) is not a number")
    return value


def _demand_order(name: str, values: Sequence[float], places: Sequence[tuple[float, float]], cost: float) -> None:
    for i in range(1, len(values)):
        slack = ROUNDING * (1.0 + min(abs(values[i - 1]), 1e300))
        if values[i] < values[i - 1] - slack:
            (n, x), (m, y) = places[i - 1], places[i]
            before, after = f"F({n:g}, {x:g}; {cost:g})", f"F({m:g}, {y:g}; {cost:g})"
            what = f"it decreases from {before} = {values[i - 1]:.6g} to {after} = {values[i]:.6g}"
            raise InvalidIndexError(name, what)


def _demand_growth(name: str, formula: Callable[[float, float, float], float], y: float, cost: float) -> None:
    near, far = (_value(name, formula, n, n * y, cost) for n in (1e6, 1e12))
    if far <= near + 1e-3:
        ends = f"F(1e6, {1e6 * y:g}; {cost:g}) = {near:.6g}, F(1e12, {1e12 * y:g}; {cost:g}) = {far:.6g}"
        raise InvalidIndexError(name, f"it stays bounded: {ends}")
