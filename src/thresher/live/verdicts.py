"""Verdicts on arms, with decisions, intervals and chances of error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from thresher.problem.numbers import finite_or_none, with_nulls
from thresher.report.decision_table import table_of
from thresher.report.decisions import Said, control_sentence, essence, standing_of, summary
from thresher.report.notebook import notebook_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thresher.campaign import Terms
    from thresher.policy import Offer


class ControlStatistics(NamedTuple):
    """Statistics of the control, whose mean is the bar of all other arms.

    Attributes
    ----------
    arm : str
    mean : float or None
        Of its outcomes; None before the first.
    pulls, outstanding : int
    low, high : float
        An anytime-valid interval for its mean; NaN if none exists.
    margin : str
        Distance of the bar above its mean: ``"-0.01"``, or relative, ``"-2%"``.
    """

    arm: str
    mean: float | None
    pulls: int
    outstanding: int
    low: float
    high: float
    margin: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return self._asdict()


class Verdict(NamedTuple):
    """The verdict on one arm, with its statistics.

    Attributes
    ----------
    arm : str
    verdict : str
        ``above``, ``below`` or ``undecided``.
    mean : float or None
        Mean of the outcomes. Adaptive sampling biases it a little. With items it is adjusted for the difficulty of
        the items that the arm answered.
    pulls : int
    low, high : float
        An anytime-valid interval; NaN if none exists. It is for the mean, or with a control for the `difference`.
    p_wrong : float
        Chance that the verdict is wrong, at most 0.5; see :mod:`thresher.policy.doubt`.
    price : float
        Value of the next measurement, in mistakes saved per unit of budget.
    threshold : float
        The bar. With a control it is the current estimate, NaN before the control is measured.
    outstanding : int
    retired : bool
    decision : str
        ``pass``, ``fail`` or ``open``.
    proven : bool
        Whether the interval excludes the bar; with a control, that of the distance from the bar.
    within : bool
        The mean is more likely than not within the tolerance of the bar.
    raw_mean : float or None
        Mean of the outcomes, not adjusted.
    certain : bool
        The items that are left cannot change the verdict.
    difference : float or None
        With a control: the mean less that of the control.
    lift, lift_low, lift_high : float or None
        With a control: the difference in per cent of the control's mean, and its interval, valid at every moment.
    """

    arm: str
    verdict: str
    mean: float | None
    pulls: int
    low: float
    high: float
    p_wrong: float
    price: float
    threshold: float
    outstanding: int
    retired: bool
    decision: str = "open"
    proven: bool = False
    within: bool = False
    raw_mean: float | None = None
    certain: bool = False
    difference: float | None = None
    lift: float | None = None
    lift_low: float | None = None
    lift_high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return self._asdict()


def said_under(terms: Terms, goal: str) -> Said:
    """Return the terms under which arms are decided, for the words of verdicts; `goal` is that of the campaign."""
    return Said(terms.risk, terms.guarantee, terms.passes, terms.unit, terms.control, str(terms.margin), goal)


def _number(value: float | None) -> float:
    return math.nan if value is None else value


class Verdicts(Sequence[Verdict]):
    """The verdicts on all arms, in their order, with the decisions and the expected number of mistakes.

    Parameters
    ----------
    rows : sequence of Verdict
    expected_mistakes : float, optional
        The sum of the chances of error unless given; an arm never measured counts one half.
    notes : sequence of str
    said : Said
        The terms under which the arms are decided.
    offer : callable, optional
        Returns the extension to offer.
    control : ControlStatistics, optional
        Statistics of the control, which has no row.
    """

    def __init__(
        self,
        rows: Sequence[Verdict],
        *,
        expected_mistakes: float | None = None,
        notes: Sequence[str] = (),
        said: Said | None = None,
        offer: Callable[[], Offer | None] | None = None,
        control: ControlStatistics | None = None,
    ) -> None:
        self._rows = tuple(rows)
        expected = math.fsum(row.p_wrong for row in self._rows) if expected_mistakes is None else expected_mistakes
        self.expected_mistakes = expected
        self.notes = tuple(notes)
        self.said = Said() if said is None else said
        # Not a cached property: until Python 3.12 one computes for one object at a time, and the others wait.
        self._offer = None if offer is None else cache(offer)
        self.control = control

    @property
    def offer(self) -> Offer | None:
        """How many more measurements are expected to decide how many of the open arms; None if it is not known.

        It takes a moment to compute, by simulation.
        """
        return None if self._offer is None else self._offer()

    @property
    def counts(self) -> dict[str, int]:
        """How many arms are decided as ``pass`` and ``fail``, are ``open``, and are ``proven``."""
        decisions = [row.decision for row in self._rows]
        counts = {word: decisions.count(word) for word in ("pass", "fail", "open")}
        return counts | {"proven": sum(row.proven for row in self._rows)}

    def standing(self, row: Verdict) -> str:
        """Return the decision on an arm in words: for an open one, which way it leans, or that it is too close."""
        return standing_of(row, self.said.passes)

    @property
    def summary(self) -> str:
        """Two or three sentences: how many pass and fail, how many are decided under which guarantee, and the bar."""
        text = summary(self._rows, self.said, self.expected_mistakes)
        if self.control is not None:
            text += f" {control_sentence(self.control, self.said)}"
        if self._rows and all(row.certain for row in self._rows):
            text += " Every verdict is certain, whatever is left to measure: the rest of the budget is kept."
        return text

    @property
    def drawn(self) -> tuple[Verdict, ...]:
        """The rows on the scale of pictures, on which the bar is fixed: with a control, differences or lifts."""
        if self.control is None:
            return self._rows
        if not self.control.margin.endswith("%"):
            bar = float(self.control.margin)
            return tuple(row._replace(mean=row.difference, threshold=bar) for row in self._rows)
        bar = float(self.control.margin.removesuffix("%"))
        return tuple(
            row._replace(mean=row.lift, low=_number(row.lift_low), high=_number(row.lift_high), threshold=bar)
            for row in self._rows
        )

    @property
    def essence(self) -> str:
        """The summary in a few words, for a list of campaigns: the bar, and how many verdicts are wrong."""
        return essence(self._rows, self.said, self.expected_mistakes)

    def noting(self, notes: Sequence[str]) -> Verdicts:
        """Return the same with more notes."""
        return self._with(self._rows, self.expected_mistakes, notes)

    def _with(self, rows: Sequence[Verdict], expected: float, notes: Sequence[str]) -> Verdicts:
        return Verdicts(
            rows,
            expected_mistakes=expected,
            notes=[*self.notes, *notes],
            said=self.said,
            offer=self._offer,
            control=self.control,
        )

    def leaving_open(self, abstain: float) -> Verdicts:
        """Return the same, with every arm undecided whose chance of error is above this."""
        open_ = [row.verdict != "undecided" and row.p_wrong > abstain for row in self._rows]
        if not any(open_):
            return self
        rows = [
            row._replace(verdict="undecided", decision="open", proven=False) if is_open else row
            for row, is_open in zip(self._rows, open_, strict=True)
        ]
        rest = self.expected_mistakes - math.fsum(
            row.p_wrong for row, is_open in zip(self._rows, open_, strict=True) if is_open
        )
        note = f"{sum(open_)} arm(s) are left open on purpose: their verdicts would be too uncertain"
        return self._with(rows, max(rest, 0.0), [note])

    @overload
    def __getitem__(self, place: int) -> Verdict: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Verdict]: ...
    def __getitem__(self, place: int | slice) -> Verdict | Sequence[Verdict]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self._rows)  # ten times as fast as the method of Sequence

    def __repr__(self) -> str:
        return f"<{len(self)} verdicts, {self.expected_mistakes:.3g} mistakes expected>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary for each arm."""
        return [row.to_dict() for row in self._rows]

    def to_document(self, part: slice = slice(None)) -> dict[str, Any]:
        """Return the summary, the counts, a part of the rows and the notes for JSON: an unknown number is None."""
        return {
            "summary": self.summary,
            "counts": self.counts,
            "expected_mistakes": finite_or_none(self.expected_mistakes),
            "verdicts": [with_nulls(row.to_dict()) for row in self._rows[part]],
            "control": None if self.control is None else with_nulls(self.control.to_dict()),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Any:
        """Return the rows as a data frame of whichever library is installed."""
        from thresher.report import frame_of

        return frame_of(self.to_dicts())

    def plot(self, path: str | None = None, *, title: str = "") -> Figure:
        """Return a plot of each arm's interval and its bar; write it if a path is given.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from thresher.report.verdict_picture import draw_verdicts

        return draw_verdicts(self.drawn, title=title or f"{self.expected_mistakes:.2g} mistakes expected", path=path)

    def _repr_html_(self) -> str:
        table = table_of(self._rows, self.said)
        return notebook_table(self.summary, table.heads, table.rows, [f"{note}." for note in self.notes])
