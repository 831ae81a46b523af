"""One arm over its measurements: the running mean, its interval, the bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from thresher.number_text import exact, figure
from thresher.report.svg import Scale, axis_below, axis_left, nothing_yet, picture, place, span_of, tag, text

WIDTH, HEIGHT = 720, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 24, 36, 44


class HasInterval(Protocol):
    """The statistics of an arm after a number of measurements."""

    @property
    def pulls(self) -> int:
        """The number of measurements."""

    @property
    def mean(self) -> float:
        """Mean of the outcomes so far."""

    @property
    def low(self) -> float:
        """Lower limit of the interval."""

    @property
    def high(self) -> float:
        """Upper limit of the interval."""


def running_picture(points: Sequence[HasInterval], *, threshold: float, what: str = "mean") -> str:
    """Return the picture of an arm's mean, or share, and its interval after each of its measurements."""
    ends = [end for point in points[len(points) // 4 :] for end in (point.low, point.high)]
    up = Scale(*span_of([threshold, *(point.mean for point in points), *ends]), HEIGHT - BOTTOM, TOP)
    across = Scale(0.0, float(max([point.pulls for point in points], default=1)), LEFT, WIDTH - RIGHT)
    bar = up(threshold)
    known = [point for point in points if math.isfinite(point.low) and math.isfinite(point.high)]
    parts = [
        tag("path", d=_band(known, across, up), class_="band"),
        axis_left(up, LEFT, WIDTH - RIGHT, what),
        axis_below(across, HEIGHT - BOTTOM, "measurements"),
        tag("line", x1=LEFT, x2=WIDTH - RIGHT, y1=bar, y2=bar, class_="bar"),
        text(f"bar {exact(threshold)}", WIDTH - RIGHT, bar - 5, anchor="end", class_="tick"),
        tag("path", d=_line([(p.pulls, p.mean) for p in points], across, up), class_="line"),
        *([] if points else [nothing_yet(0.5 * WIDTH, 0.35 * HEIGHT)]),
    ]
    label = (
        f"Running {what} after {points[-1].pulls:,} measurements: {figure(points[-1].mean)}."
        if points
        else "No outcome."
    )
    return picture("".join(parts), width=WIDTH, height=HEIGHT, label=label)


def _line(points: Sequence[tuple[float, float]], across: Scale, up: Scale) -> str:
    return "M" + "L".join(f"{place(across(x))} {place(up(y))}" for x, y in points) if points else "M0 0"


def _band(points: Sequence[HasInterval], across: Scale, up: Scale) -> str:
    there = [(float(point.pulls), point.high) for point in points]
    back = [(float(point.pulls), point.low) for point in reversed(points)]
    return _line([*there, *back], across, up) + "Z"
