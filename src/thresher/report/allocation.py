"""Pulls of each arm against its mean. They peak on both sides of the bar, in the shape of an M."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from thresher.number_text import counted, figure
from thresher.report.decision_rows import HasDecision
from thresher.report.decision_table import shortened
from thresher.report.svg import (
    Scale,
    arrow,
    axis_below,
    axis_left,
    nothing_yet,
    overlap,
    picture,
    span_of,
    tag,
    text,
    without_outliers,
)

WIDTH, HEIGHT = 400, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 36, 44
KINDS = ("open", "fail", "pass")
FEW = 500  # arms that are drawn individually; with more arms, those at the same position share a dot
NAMED = 5  # arms whose names are written, of the most measured
SHORTEST, LONGEST = 12, 22  # characters of such a name
WIDE, TALL = 7.0, 14.0  # pixels of a character and of a line
SIZES = (
    (1, "few"),
    (10, "some"),
    (100, "many"),
    (10**9, "most"),
)  # sizes of dots, by the number of arms they represent


class Dot(NamedTuple):
    """An arm in the picture: its place, its name and its decision."""

    mean: float
    pulls: int
    decision: str
    arm: str
    position: int


def allocation_picture(
    rows: Sequence[HasDecision], *, what: str = "mean", link: Callable[[int], str] | None = None
) -> str:
    """Return the picture of the pulls of all arms against their means, or against their distances from their bars.

    Parameters
    ----------
    rows : sequence of HasDecision
        All arms.
    what : str
        What the horizontal axis shows.
    link : callable, optional
        Returns the address of an arm's page from its place among the rows.
    """
    is_relative = len({row.threshold for row in rows}) > 1
    dots = [
        Dot(row.mean - row.threshold if is_relative else row.mean, row.pulls, row.decision, row.arm, i)
        for i, row in enumerate(rows)
        if row.mean is not None
    ]
    bar = 0.0 if is_relative or not rows else rows[0].threshold
    across = Scale(*span_of([*without_outliers([dot.mean for dot in dots]), bar]), LEFT, WIDTH - RIGHT)
    up = Scale(0.0, 1.08 * max([dot.pulls for dot in dots], default=1), HEIGHT - BOTTOM, TOP)
    at = across(bar)
    parts = [
        axis_left(up, LEFT, WIDTH - RIGHT, "measurements"),
        axis_below(across, HEIGHT - BOTTOM, f"{what}, less the bar" if is_relative else what),
        tag("line", x1=at, x2=at, y1=TOP, y2=HEIGHT - BOTTOM, class_="bar"),
        text("bar", max(at, LEFT + 70.0), TOP - 4, anchor="middle", class_="tick"),
        *(_drawn(dots, across, up, at, link) if dots else [nothing_yet(0.75 * WIDTH, 0.45 * HEIGHT)]),
    ]
    shown = f"Measurements of {counted(len(dots), 'arm')} against their {what}s."
    label = shown if dots else "No outcome was told yet."
    return picture("".join(parts), width=WIDTH, height=HEIGHT, label=label, has_links=link is not None)


def _drawn(
    dots: Sequence[Dot], across: Scale, up: Scale, bar: float, link: Callable[[int], str] | None
) -> Iterator[str]:
    """Yield the dots and the names of the most measured arms; of very many arms, shared dots alone."""
    if len(dots) > FEW:
        yield from _shared_dots(dots, across, up)
        return
    for kind in KINDS:
        for dot in dots:
            if dot.decision == kind:
                yield _dot(dot, across, up, link)
    yield from _names(dots, across, up, bar)


def _dot(dot: Dot, across: Scale, up: Scale, link: Callable[[int], str] | None) -> str:
    """Return an arm with its name as a tooltip; an arrowhead if it lies beyond the scale."""
    x, y = across(dot.mean), up(dot.pulls)
    words = f"{dot.arm}: {figure(dot.mean)}, {counted(dot.pulls, 'measurement')}"
    if across.low <= dot.mean <= across.high:
        drawn = tag("circle", tag("title", escape(words)), cx=x, cy=y, r=4, class_=f"arm {dot.decision}")
    else:
        head = arrow(x, y, to_left=dot.mean < across.low, class_=f"cut {dot.decision}")
        drawn = tag("g", tag("title", escape(words)) + head)
    # The table has the same links: the keyboard need not pass through all of these too.
    return drawn if link is None else tag("a", drawn, href=link(dot.position), tabindex=-1)


def _names(dots: Sequence[Dot], across: Scale, up: Scale, bar: float) -> Iterator[str]:
    """Yield the names of the most measured arms, where they overlap neither each other nor a dot nor the bar."""
    taken = [(bar - 2.0, float(TOP), bar + 2.0, up.start)]
    taken += [(x - 4.0, y - 4.0, x + 4.0, y + 4.0) for x, y in {(across(dot.mean), up(dot.pulls)) for dot in dots}]
    named = 0
    for dot in sorted(dots, key=lambda dot: -dot.pulls)[: 3 * NAMED]:
        x, y = across(dot.mean), up(dot.pulls)
        for start, room, anchor in ((x + 8.0, WIDTH - x - 8.0, "start"), (x - 8.0, x - 8.0 - LEFT, "end")):
            name = shortened(dot.arm, min(LONGEST, int(room / WIDE)))
            left = start if anchor == "start" else start - WIDE * len(name)
            box = (left, y - 0.5 * TALL, left + WIDE * len(name), y + 0.5 * TALL)
            if room < SHORTEST * WIDE or any(overlap(box, other) for other in taken):
                continue
            taken.append(box)
            named += 1
            yield text(name, start, y + 4, anchor=anchor, class_="arm-name")
            break
        if named == NAMED:
            return


def _shared_dots(dots: Sequence[Dot], across: Scale, up: Scale) -> Iterator[str]:
    """Yield the dots of each colour and size as one path: zero-length lines with round caps, a dozen bytes each."""
    x = across.places(np.array([dot.mean for dot in dots])).round().tolist()
    y = up.places(np.array([dot.pulls for dot in dots], dtype=np.float64)).round().tolist()
    paths: dict[tuple[str, str], list[str]] = {(kind, size): [] for _, size in reversed(SIZES) for kind in KINDS}
    for (kind, left, top), count in Counter(zip((dot.decision for dot in dots), x, y, strict=True)).items():
        size = next(name for most, name in SIZES if count <= most)
        paths[kind, size].append(f"M{left:g} {top:g}h0")
    for (kind, size), steps in paths.items():
        if steps:
            yield tag("path", d="".join(steps), class_=f"dots {kind} {size}")
