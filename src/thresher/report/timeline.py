"""When each arm was decided: the number of decided arms against the budget spent, one dot for each arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Protocol

from thresher.number_text import amount
from thresher.report.decision_table import shortened
from thresher.report.svg import Scale, axis_below, axis_left, picture, place, tag, text

WIDTH, HEIGHT = 400, 270
LEFT, RIGHT, TOP, BOTTOM = 48, 24, 36, 44
FEW = 500  # arms that have a dot each
LATEST = 4  # decisions whose arms are named
LONGEST = 22  # characters of such a name
LINE = 14.0  # pixels of a line of text


class HasMoment(Protocol):
    """A decision, and the amount spent since which it has stood."""

    @property
    def position(self) -> int:
        """Of the arm among all."""

    @property
    def arm(self) -> str:
        """Its name."""

    @property
    def decision(self) -> str:
        """``pass`` or ``fail``."""

    @property
    def spent(self) -> float:
        """The amount spent when it was made."""


def timeline_picture(
    decided: Sequence[HasMoment], *, budget: float, n_arms: int, link: Callable[[int], str] | None = None
) -> str:
    """Return the picture of decisions in their order.

    Parameters
    ----------
    decided : sequence of HasMoment
        The earliest first.
    budget : float
    n_arms : int
        How many could be decided.
    link : callable, optional
        Returns the address of an arm's page from its position.
    """
    across = Scale(0.0, max(budget, 1e-9), LEFT, WIDTH - RIGHT)
    up = Scale(0.0, 1.1 * max(n_arms, 1), HEIGHT - BOTTOM, TOP)
    parts = [
        axis_left(up, LEFT, WIDTH - RIGHT, f"arms decided, of {n_arms:,}"),
        axis_below(across, HEIGHT - BOTTOM, "spent"),
        tag("path", d=_stairs(decided, across, up), class_="line"),
    ]
    if len(decided) <= FEW:
        parts += [_dot(each, across(each.spent), up(n), link) for n, each in enumerate(decided, 1)]
        parts += _names(decided, across, up)
    label = f"{len(decided):,} of {n_arms:,} arms were decided" + (
        f", the last one when {amount(decided[-1].spent)} were spent." if decided else "."
    )
    return picture("".join(parts), width=WIDTH, height=HEIGHT, label=label, has_links=link is not None)


def _stairs(decided: Sequence[HasMoment], across: Scale, up: Scale) -> str:
    steps = [f"M{place(across.start)} {place(up.start)}"]
    for n, each in enumerate(decided, 1):
        steps.append(f"H{place(across(each.spent))}V{place(up(n))}")
    return "".join(steps)


def _dot(each: HasMoment, x: float, y: float, link: Callable[[int], str] | None) -> str:
    title = tag("title", escape(f"{each.arm}: {each.decision}, decided when {amount(each.spent)} were spent"))
    drawn = tag("circle", title, cx=x, cy=y, r=4, class_=f"arm {each.decision}")
    return drawn if link is None else tag("a", drawn, href=link(each.position), tabindex=-1)


def _names(decided: Sequence[HasMoment], across: Scale, up: Scale) -> list[str]:
    """Return the names of the latest decisions, one above the other, where they have space."""
    names, last = list[str](), -LINE
    for n in range(len(decided), max(len(decided) - LATEST, 0), -1):
        each = decided[n - 1]
        x, y = across(each.spent), up(n)
        if y - last < LINE:
            continue
        last = y
        is_left = x > 0.5 * WIDTH
        name = shortened(each.arm, LONGEST)
        names.append(
            text(name, x - 6 if is_left else x + 6, y - 4, anchor="end" if is_left else "start", class_="arm-name")
        )
    return names
