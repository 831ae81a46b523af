"""The columns of the table of arms, declared once for every surface, from the terminal to JSON.

To add a column, add a :class:`Column` to :data:`COLUMNS`. CSV and JSON have every field of a row, and under its key the
`value` of each column that is computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from thresher.number_text import NONE, chance, counted, figure, rate, signed
from thresher.report.decision_rows import HasDecision, HasDifference, HasShare
from thresher.report.decisions import decision_cell, interval_cell
from thresher.report.quantile_words import SHARE, quantile_name
from thresher.report.text_strips import TextStrips
from thresher.report.text_terms import Measure, TextTerms, has_interval

TERMINAL, MARKDOWN, NOTEBOOK, REPORT, DASHBOARD = "terminal", "markdown", "notebook", "report", "dashboard"
PAGES = frozenset({REPORT, DASHBOARD})
TABLES = frozenset({TERMINAL, MARKDOWN, NOTEBOOK}) | PAGES


@dataclass(frozen=True)
class View:
    """What a table shows: the arms, and the terms under which they were decided."""

    rows: Sequence[HasDecision]
    said: TextTerms

    @cached_property
    def measure(self) -> Measure:
        """How measured numbers are shown."""
        return self.said.measure(self.rows)

    @cached_property
    def has_bars(self) -> bool:
        """Whether each arm has a bar of its own; with a control all have the same."""
        return not self.said.control and len({row.threshold for row in self.rows}) > 1

    @cached_property
    def strips(self) -> TextStrips:
        """The intervals of all arms on one scale, drawn with characters."""
        return TextStrips(self.rows, self.said)


def _always(_: View) -> bool:
    return True


def _by_difference(view: View) -> bool:
    return bool(view.said.control) and not view.said.is_relative


def _by_lift(view: View) -> bool:
    return bool(view.said.control) and view.said.is_relative


def _by_quantile(view: View) -> bool:
    return bool(view.said.quantile)


def _by_trials(view: View) -> bool:
    return view.said.pass_k > 1


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the table of arms.

    Parameters
    ----------
    key : str
        Its name in code, and in CSV and JSON if it has a `value`.
    heading : callable
        Returns its heading; pages begin it with a capital letter.
    cell : callable
        Returns the cell of a row, formatted.
    help : str
        What it means, in a sentence.
    surfaces : frozenset of str
        The tables that show it.
    applies : callable
        Returns whether a table has it.
    phrase : callable, optional
        Returns it in words, for the sentence about an arm in JUnit; empty if there is nothing to say.
    value : callable, optional
        Returns its number or text for CSV and JSON, if the row has no field for it.
    is_text : bool
        Whether it holds words: left-aligned.
    is_aligned : bool
        Whether pages align the decimal points of its cells.
    dropped : int, optional
        Its place in the order in which a terminal that is too narrow leaves columns out; None if it always stays.
    narrow : str
        When a page hides it: ``extra`` below the width of a desktop, ``spare`` on a phone; never if empty.
    label : str
        Its name on a phone, which shows no headings; its key unless given.
    """

    key: str
    heading: Callable[[View], str]
    cell: Callable[[Any, View], str]
    help: str
    surfaces: frozenset[str] = TABLES
    applies: Callable[[View], bool] = _always
    phrase: Callable[[Any, View], str] | None = None
    value: Callable[[Any], float | str | None] | None = None
    is_text: bool = False
    is_aligned: bool = False
    dropped: int | None = None
    narrow: str = ""
    label: str = ""

    @property
    def classes(self) -> str:
        """The classes of its cells on a page."""
        return " ".join(filter(None, ("" if self.is_text else "n", self.narrow)))


def lift_of(row: HasDifference) -> str:
    """Return the lift in per cent; a dash where there is none."""
    return signed(figure(row.lift), row.lift) if row.pulls else NONE


def _mean_words(row: HasDecision, view: View) -> str:
    mean = f"{view.said.mean_head} {view.measure.quantity(view.measure.figure(row.mean))}"
    return mean if view.said.quantile else f"{mean} over {counted(row.pulls, 'measurement')}"


def _interval_words(row: HasDecision, view: View) -> str:
    shown = interval_cell(row, view.said, view.measure)
    return "" if shown == NONE else f"interval {shown}"


def bar_words(row: HasDecision, view: View) -> str:
    """Return the bar of an arm in words."""
    show = view.measure.figure if view.said.control else view.measure.bar
    return f"bar {view.measure.quantity(show(row.threshold))}"


def _share_words(row: HasShare, _: View) -> str:
    return f"{rate(row.share)} of {counted(row.pulls, 'outcome')} at most the bar"


def _quantile_words(row: HasShare, view: View) -> str:
    return f"{quantile_name(view.said.quantile)} {view.measure.quantity(view.measure.figure(row.quantile))}"


ARM = Column(
    key="arm",
    heading=lambda _: "arm",
    cell=lambda row, _: str(row.arm),
    help="Name of the arm.",
    is_text=True,
)
DECISION = Column(
    key="decision",
    heading=lambda _: "decision",
    cell=lambda row, view: decision_cell(row, view.said.passes),
    help="Pass or fail where the risk allows a decision; otherwise which way the arm leans.",
    is_text=True,
)
STRIP = Column(
    key="strip",
    heading=lambda view: view.strips.heading,
    cell=lambda row, view: view.strips.strip(row),
    help="The interval behind the decision; the thin line is the one that stays valid however often you look.",
    surfaces=frozenset({TERMINAL}) | PAGES,  # pages draw it as a picture
    applies=lambda view: any(map(has_interval, view.rows)),
    is_text=True,
    dropped=0,
    narrow="wide",
)
INTERVAL = Column(
    key="interval",
    heading=lambda view: view.said.interval_head(view.measure, len(view.rows)),
    cell=lambda row, view: interval_cell(row, view.said, view.measure),
    help="The interval behind the decision: a decided arm's does not contain the bar. With the guarantee 'calibrated' "
    "it uses the other arms too, and the arm's own mean may lie outside it.",
    phrase=_interval_words,
    is_aligned=True,
)
DIFFERENCE = Column(
    key="difference",
    heading=lambda view: view.measure.head("difference"),
    cell=lambda row, view: view.measure.difference(row.difference),
    help="Mean of this arm minus that of the control.",
    applies=_by_difference,
    phrase=lambda row, view: f"difference from the control {view.measure.difference(row.difference)}",
    is_aligned=True,
    dropped=4,
    narrow="extra",
)
LIFT = Column(
    key="lift",
    heading=lambda _: "lift, %",
    cell=lambda row, _: lift_of(row),
    help="Difference from the control in per cent of its mean.",
    applies=_by_difference,
    is_aligned=True,
    dropped=2,
    narrow="extra",
)
COLUMNS: list[Column] = [
    ARM,
    DECISION,
    STRIP,
    Column(
        key="mean",
        heading=lambda view: view.measure.head("mean"),
        cell=lambda row, view: view.measure.figure(row.mean),
        help="Mean of the outcomes of this arm; with items, adjusted for the difficulty of those that it answered.",
        applies=lambda view: not _by_quantile(view) and not _by_trials(view),
        phrase=_mean_words,
        is_aligned=True,
        dropped=5,
    ),
    Column(
        key="mean",
        heading=lambda view: view.measure.head(view.said.mean_head),
        cell=lambda row, view: view.measure.figure(row.mean),
        help="Estimated chance that all of this many trials succeed: the rate of one to that power.",
        applies=_by_trials,
        phrase=_mean_words,
        is_aligned=True,
        dropped=5,
    ),
    Column(
        key="pass_k",
        heading=lambda view: f"pass^{view.said.reported_k}",
        cell=lambda row, view: view.measure.figure(row.pass_k),
        help="Estimated chance that all of this many trials on an item succeed, from items asked that often; "
        "no guarantee.",
        applies=lambda view: view.said.reported_k > 1,
        phrase=lambda row, view: f"pass^{view.said.reported_k} {view.measure.figure(row.pass_k)}",
        is_aligned=True,
        dropped=2,
        narrow="extra",
    ),
    DIFFERENCE,
    replace(LIFT, applies=_by_lift, dropped=DIFFERENCE.dropped),
    Column(
        key="share",
        heading=lambda _: SHARE,
        cell=lambda row, _: rate(row.share),
        help="Share of the outcomes at or below the bar.",
        applies=_by_quantile,
        phrase=_share_words,
    ),
    INTERVAL,
    LIFT,
    replace(DIFFERENCE, applies=_by_lift, dropped=LIFT.dropped),
    Column(
        key="quantile",
        heading=lambda view: view.measure.head(quantile_name(view.said.quantile)),
        cell=lambda row, view: view.measure.figure(row.quantile),
        help="The quantile of the outcomes that is compared with the bar.",
        applies=_by_quantile,
        phrase=_quantile_words,
        is_aligned=True,
        narrow="extra",
    ),
    Column(
        key="mean",
        heading=lambda view: view.measure.head("mean"),
        cell=lambda row, view: view.measure.figure(row.mean),
        help="Mean of the outcomes of this arm.",
        applies=_by_quantile,
        phrase=_mean_words,
        is_aligned=True,
        dropped=2,
        narrow="extra",
    ),
    Column(
        key="threshold",
        heading=lambda view: view.measure.head("bar"),
        cell=lambda row, view: view.measure.bar(row.threshold),
        help="Value that the mean is compared with.",
        applies=lambda view: view.has_bars,
        is_aligned=True,
        dropped=4,
        narrow="extra",
    ),
    Column(
        key="pulls",
        heading=lambda _: "measurements",
        cell=lambda row, _: f"{row.pulls:,}",
        help="Number of outcomes; with a plus sign, measurements in flight.",
        dropped=3,
        narrow="spare",
    ),
    Column(
        key="p_wrong",
        label="chance of error",
        heading=lambda _: "chance of error",
        cell=lambda row, _: chance(row.p_wrong),
        help="Probability that the verdict on this arm is wrong.",
        phrase=lambda row, _: f"chance of error {chance(row.p_wrong)}",
        dropped=6,
    ),
]


MARKUP = (ARM, DECISION, STRIP)  # pages write these themselves: a link, a badge and a picture


def columns_of(view: View, surface: str) -> list[Column]:
    """Return the columns of a table on a surface, in their order."""
    return [column for column in COLUMNS if surface in column.surfaces and column.applies(view)]


def numbers_of(view: View, surface: str) -> list[Column]:
    """Return the columns of a page whose cells are text."""
    return [column for column in columns_of(view, surface) if column not in MARKUP]
