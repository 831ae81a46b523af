"""Pulls of each arm against its mean. They peak on both sides of the bar, in the shape of an M."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from thresher.report.decision_rows import HasDecision
from thresher.report.svg import Scale, axis_below, axis_beside, nothing_yet, picture, span_of, tag, text

WIDTH, HEIGHT = 480, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 30, 44
KINDS = ("open", "fail", "pass")
FEW = 500  # arms that are drawn individually; with more arms, those at the same position share a dot
SIZES = (
    (1, "few"),
    (10, "some"),
    (100, "many"),
    (10**9, "most"),
)  # sizes of dots, by the number of arms they represent


def allocation_picture(rows: Sequence[HasDecision], *, what: str = "mean") -> str:
    """Return the picture of the pulls of all arms against their means, or against their distances from their bars."""
    is_relative = len({row.threshold for row in rows}) > 1
    points = [
        (row.mean - row.threshold if is_relative else row.mean, row.pulls, row.decision)
        for row in rows
        if row.mean is not None
    ]
    bar = 0.0 if is_relative or not rows else rows[0].threshold
    across = Scale(*span_of([point[0] for point in points] + [bar]), LEFT, WIDTH - RIGHT)
    up = Scale(0.0, 1.08 * max([point[1] for point in points], default=1), HEIGHT - BOTTOM, TOP)
    at = across(bar)
    parts = [
        axis_beside(up, LEFT, WIDTH - RIGHT, "measurements"),
        axis_below(across, HEIGHT - BOTTOM, f"{what}, less the bar" if is_relative else what),
        tag("line", x1=at, x2=at, y1=TOP, y2=HEIGHT - BOTTOM, class_="bar"),
        text("bar", at + 4, TOP + 10, class_="tick"),
        *(_dots(points, across, up) if points else [nothing_yet(0.75 * WIDTH, 0.45 * HEIGHT)]),
    ]
    label = f"Measurements of {len(points)} arms against their {what}s." if points else "No outcome was told yet."
    return picture("".join(parts), width=WIDTH, height=HEIGHT, label=label)


def _dots(points: Sequence[tuple[float, int, str]], across: Scale, up: Scale) -> Iterator[str]:
    """Yield the dots of each colour and size as one path: zero-length lines with round caps, a dozen bytes each."""
    digits = 0 if len(points) > FEW else 1
    means, pulls, kinds = zip(*points, strict=True)
    x = across.places(np.array(means)).round(digits).tolist()
    y = up.places(np.array(pulls, dtype=np.float64)).round(digits).tolist()
    paths: dict[tuple[str, str], list[str]] = {(kind, size): [] for _, size in reversed(SIZES) for kind in KINDS}
    for (kind, left, top), count in Counter(zip(kinds, x, y, strict=True)).items():
        size = "few" if digits else next(name for most, name in SIZES if count <= most)
        paths[kind, size].append(f"M{left:g} {top:g}h0")
    for (kind, size), steps in paths.items():
        if steps:
            yield tag("path", d="".join(steps), class_=f"dots {kind} {size if digits == 0 else 'each'}")
