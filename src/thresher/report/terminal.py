"""Curves in the terminal: letters on a grid, logarithmic upwards."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.number_text import amount, figure
from thresher.report.panels import Line

WIDTH, HEIGHT = 64, 16
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def terminal_picture(curves: Sequence[Line], *, ylabel: str) -> str:
    """Return a picture of curves against budget for a terminal, one letter per curve; ``*`` where several overlap."""
    points = [(budget, value) for curve in curves for budget, value in zip(curve.x, curve.y, strict=True) if value > 0]
    if len({budget for budget, _ in points}) < 2:
        return ""
    across = _scale([budget for budget, _ in points], WIDTH)
    up = _scale([value for _, value in points], HEIGHT)
    grid = [[" "] * WIDTH for _ in range(HEIGHT)]
    for letter, curve in zip(LETTERS, curves, strict=False):
        for budget, value in zip(curve.x, curve.y, strict=True):
            if value > 0:
                row, column = HEIGHT - 1 - up(value), across(budget)
                grid[row][column] = letter if grid[row][column] in (" ", letter) else "*"
    return "\n".join([ylabel, *_rows(grid, points), *_foot(curves, points)])


def _scale(values: Sequence[float], size: int) -> _Scale:
    return _Scale(math.log(min(values)), math.log(max(values)), size)


class _Scale:
    """A logarithmic scale from values to cells."""

    def __init__(self, low: float, high: float, size: int) -> None:
        self._low, self._span, self._size = low, max(high - low, 1e-9), size

    def __call__(self, value: float) -> int:
        return round((math.log(value) - self._low) / self._span * (self._size - 1))


def _rows(grid: list[list[str]], points: list[tuple[float, float]]) -> list[str]:
    low, high = min(value for _, value in points), max(value for _, value in points)
    labels = {0: figure(high), HEIGHT // 2: figure(math.sqrt(low * high)), HEIGHT - 1: figure(low)}
    return [f"{labels.get(i, ''):>8} │{''.join(row)}" for i, row in enumerate(grid)]


def _foot(curves: Sequence[Line], points: list[tuple[float, float]]) -> list[str]:
    low, high = amount(min(budget for budget, _ in points)), amount(max(budget for budget, _ in points))
    names = "   ".join(f"{letter} {curve.name}" for letter, curve in zip(LETTERS, curves, strict=False))
    middle = "budget (log)".center(max(WIDTH - len(low) - len(high), 0))
    return [" " * 9 + "└" + "─" * WIDTH, " " * 10 + low + middle + high, " " * 10 + names]
