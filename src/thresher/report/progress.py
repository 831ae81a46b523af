"""Expected mistakes against the budget spent, and their projection to the end of the budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from thresher.number_text import figure
from thresher.report.svg import Scale, axis_below, axis_left, nothing_yet, picture, place, tag, text

WIDTH, HEIGHT = 400, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 24, 36, 44


class HasMistakes(Protocol):
    """The expected mistakes after an amount was spent."""

    @property
    def spent(self) -> float:
        """What was spent."""

    @property
    def mistakes(self) -> float:
        """How many were expected."""


def progress_picture(points: Sequence[HasMistakes], *, budget: float, end: HasMistakes | None = None) -> str:
    """Return the picture of the mistakes expected so far, and of those projected at the end of the budget."""
    shown = [*points, *([end] if end is not None else [])]
    across = Scale(0.0, max(budget, 1e-9), LEFT, WIDTH - RIGHT)
    up = _scale([point.mistakes for point in shown])
    parts = [
        axis_left(up, LEFT, WIDTH - RIGHT, "mistakes expected"),
        axis_below(across, HEIGHT - BOTTOM, "spent"),
        tag("path", d=_path(points, across, up), class_="line"),
    ]
    if not points:
        parts.append(nothing_yet(0.5 * WIDTH, 0.45 * HEIGHT))
    else:
        last = points[-1]
        parts.append(tag("circle", cx=across(last.spent), cy=up(last.mistakes), r=4, class_="now"))
    if points and end is not None:
        parts.append(tag("path", d=_path([points[-1], end], across, up), class_="line projected"))
        parts.append(_projected_label(end, across, up))
    return picture("".join(parts), width=WIDTH, height=HEIGHT, label=_label(points, end))


def _projected_label(end: HasMistakes, across: Scale, up: Scale) -> str:
    """Return the label at the end of the curve: below the line if there is space."""
    y = up(end.mistakes)
    y = y + 15 if y + 18 < HEIGHT - BOTTOM else y - 8
    return text(figure(end.mistakes, 2), across(end.spent), y, anchor="end", class_="tick")


def _scale(mistakes: Sequence[float]) -> Scale:
    """Return the vertical scale: linear from zero, so pictures at different times can be compared."""
    return Scale(0.0, 1.1 * (max(mistakes, default=0.0) or 1.0), HEIGHT - BOTTOM, TOP)


def _path(points: Sequence[HasMistakes], across: Scale, up: Scale) -> str:
    steps = [f"{place(across(point.spent))} {place(up(point.mistakes))}" for point in points]
    return "M" + "L".join(steps) if steps else "M0 0"


def _label(points: Sequence[HasMistakes], end: HasMistakes | None) -> str:
    if not points:
        return "No outcome was told yet."
    label = f"Expected mistakes fell from {figure(points[0].mistakes)} to {figure(points[-1].mistakes)}."
    return label if end is None else f"{label} Projected at the end of the budget: {figure(end.mistakes)}."
