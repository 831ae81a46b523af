"""Verdicts on arms, with decisions, intervals and chances of error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, overload

from thresher.problem import finite_or_none, with_nulls
from thresher.report import (
    COLUMNS,
    MOST_ROWS,
    NOTEBOOK,
    Strips,
    TextTerms,
    control_sentence,
    decided_clause,
    essence,
    in_order,
    lead,
    level_sentence,
    mistakes_sentence,
    notebook_table,
    some_of,
    standing_of,
    table_of,
    text_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thresher.campaign.ledger import Terms
    from thresher.policy import Offer
    from thresher.report import DecisionTable


@dataclass(frozen=True, slots=True)
class ControlStatistics:
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
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one arm, with its statistics.

    Attributes
    ----------
    arm : str
    verdict : str
        ``above``, ``below`` or ``undecided``.
    mean : float or None
        Mean of the outcomes. Adaptive sampling biases it a little. With items it is adjusted for the difficulty of
        the items that the arm answered. With `pass_k` it is the mean to the power `k`, the chance that all of `k`
        trials succeed, and so are the limits.
    pulls : int
    low, high : float
        The interval behind the decision; NaN if none exists. It is for the mean; by a quantile for the `share`; with a
        control for the `difference`, or for the `lift` if the margin is relative.
    p_wrong : float
        Chance that the verdict is wrong, at most 0.5; see :mod:`thresher.inference.chance_of_error`.
    price : float
        Value of the next measurement, in mistakes saved per unit of budget.
    threshold : float
        The bar. With a control it is the current estimate, NaN before the control is measured.
    outstanding : int
    retired : bool
    decision : str
        ``pass``, ``fail`` or ``open``.
    proven : bool
        Whether the always-valid interval excludes the bar; with a control, that of the distance from the bar.
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
    share : float or None
        By a quantile: the share of the outcomes at or below the bar; `low` and `high` are its interval.
    quantile : float or None
        By a quantile: that quantile of the outcomes.
    valid_low, valid_high : float
        The always-valid interval at the level of the risk, for the same number as `low` and `high`; NaN if none exists.
    pass_k : float or None
        With items and repeats: an estimate of the chance that all of `pass_k` trials on an item succeed, without a
        guarantee; None if no item has that many outcomes.
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
    share: float | None = None
    quantile: float | None = None
    valid_low: float = math.nan
    valid_high: float = math.nan
    pass_k: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Spending:
    """What a campaign had spent when its arms were judged.

    Parameters
    ----------
    budget, spent : float
    told : int
        Number of outcomes in the statistics.
    items : int
        Number of items that every arm can answer; 0 without items.
    """

    budget: float
    spent: float
    told: int
    items: int = 0


def said_under(terms: Terms, goal: str, *, level: float | None = None) -> TextTerms:
    """Return the terms under which arms are decided, for the words of verdicts.

    `goal` is that of the campaign, and `level` the chance of error at which arms are decided now.
    """
    return replace(_said_at_the_risk(terms, goal), level=level)


@lru_cache(maxsize=8)
def _said_at_the_risk(terms: Terms, goal: str) -> TextTerms:
    return TextTerms(
        terms.risk,
        terms.guarantee,
        terms.passes,
        terms.unit,
        terms.control,
        str(terms.margin),
        goal,
        terms.quantile,
        terms.trials,
        terms.target,
        is_rate=terms.kind.range_of(terms.low, terms.high) == (0.0, 1.0) and not terms.quantile,
        reported_k=terms.pass_k if terms.trials == 1 else 1,
        repeats=terms.repeats,
    )


def _reopened(row: Verdict) -> Verdict:
    """Return a row without its decision, and without the intervals that would contradict that."""
    none = math.nan
    return replace(row, decision="open", proven=False, low=none, high=none, valid_low=none, valid_high=none)


class Verdicts(Sequence[Verdict]):
    """The verdicts on all arms, in their order, with the decisions and the expected number of mistakes.

    Parameters
    ----------
    rows : sequence of Verdict
    expected_mistakes : float, optional
        The sum of the chances of error unless given; an arm never measured counts one half.
    notes : sequence of str
    said : TextTerms
        The terms under which the arms are decided.
    offer : callable, optional
        Returns the extension to offer.
    control : ControlStatistics, optional
        Statistics of the control, which has no row.
    spending : Spending, optional
        What was spent when the arms were judged.
    is_withheld : bool
        Whether decisions wait for a check of what they rest on.
    """

    def __init__(
        self,
        rows: Sequence[Verdict],
        *,
        expected_mistakes: float | None = None,
        notes: Sequence[str] = (),
        said: TextTerms | None = None,
        offer: Callable[[], Offer | None] | None = None,
        control: ControlStatistics | None = None,
        spending: Spending | None = None,
        is_withheld: bool = False,
    ) -> None:
        self._rows = tuple(rows)
        expected = math.fsum(row.p_wrong for row in self._rows) if expected_mistakes is None else expected_mistakes
        self.expected_mistakes = expected
        self.notes = tuple(notes)
        is_unpaid = spending is not None and spending.told > 0 and spending.spent == 0
        is_asked = any(row.outstanding for row in self._rows) or (control is not None and control.outstanding > 0)
        is_imported = is_unpaid and not is_asked
        self.said = replace(TextTerms() if said is None else said, is_imported=is_imported)
        # Not a cached property: until Python 3.12 one computes for one object at a time, and the others wait.
        self._offer = None if offer is None else cache(offer)
        self.control = control
        self.spending = spending
        self.is_withheld = is_withheld

    @property
    def offer(self) -> Offer | None:
        """How many more measurements are expected to decide how many of the undecided arms; None if it is not known.

        It takes a moment to compute, by simulation.
        """
        return None if self._offer is None else self._offer()

    @property
    def counts(self) -> dict[str, int]:
        """How many arms are decided as ``pass`` and ``fail``, are ``open`` (undecided), and are ``proven``."""
        decisions = [row.decision for row in self._rows]
        counts = {word: decisions.count(word) for word in ("pass", "fail", "open")}
        return counts | {"proven": sum(row.proven for row in self._rows)}

    def standing(self, row: Verdict) -> str:
        """Return the decision on an arm in words: for an undecided one, which way it leans, or that it is too close."""
        return standing_of(row, self.said.passes)

    @property
    def summary(self) -> str:
        """What was decided, in a few sentences: see :attr:`paragraphs`."""
        return " ".join(self.paragraphs)

    @property
    def paragraphs(self) -> tuple[str, str]:
        """How many arms pass, fail and are undecided, the bar and the budget spent; and how sure that is."""
        known = control_sentence(self.control, self.said)
        is_certain = bool(self._rows) and all(row.certain for row in self._rows)
        kept = "Every verdict is certain, whatever is left to measure: the rest of the budget is kept."
        mistakes = mistakes_sentence(self._rows, self.expected_mistakes)
        level = level_sentence(self.said, () if self.is_withheld else self._rows)
        rest = (mistakes, level, known, kept if is_certain else "")
        return lead(self._rows, self.said, self.spending), " ".join(filter(None, rest))

    @property
    def drawn(self) -> tuple[Verdict, ...]:
        """The rows on the scale of pictures, where the bar is fixed: shares, or with a control differences or lifts."""
        if self.said.quantile:
            return tuple(replace(row, mean=row.share, threshold=self.said.quantile) for row in self._rows)
        if self.control is None:
            return self._rows
        if not self.control.margin.endswith("%"):
            bar = float(self.control.margin)
            return tuple(replace(row, mean=row.difference, threshold=bar) for row in self._rows)
        bar = float(self.control.margin.removesuffix("%"))
        return tuple(replace(row, mean=row.lift, threshold=bar) for row in self._rows)

    @property
    def essence(self) -> str:
        """The summary without the counts, for a list of campaigns: the bar, and the mistakes to expect."""
        return essence(self._rows, self.said, self.expected_mistakes)

    def noting(self, notes: Sequence[str]) -> Verdicts:
        """Return the same with more notes."""
        return self._with(notes=[*self.notes, *notes])

    def after(self, spending: Spending) -> Verdicts:
        """Return the same with what was spent when the arms were judged."""
        return self._with(spending=spending)

    def _with(self, rows: Sequence[Verdict] | None = None, **changes: Any) -> Verdicts:
        names = ("expected_mistakes", "notes", "said", "control", "spending", "is_withheld")
        same = {name: getattr(self, name) for name in names}
        return Verdicts(self._rows if rows is None else rows, **{**same, "offer": self._offer, **changes})

    def withheld(self, note: str) -> Verdicts:
        """Return the same without decisions and their intervals, but for arms that are certain, and with a note."""
        rows = [row if row.certain else _reopened(row) for row in self._rows]
        return self._with(rows, notes=[*self.notes, note], is_withheld=True)

    def leaving_open(self, abstain: float) -> Verdicts:
        """Return the same, with every arm undecided whose chance of error is above this."""
        open_ = [row.verdict != "undecided" and row.p_wrong > abstain for row in self._rows]
        if not any(open_):
            return self
        rows = [
            replace(_reopened(row), verdict="undecided") if is_open else row
            for row, is_open in zip(self._rows, open_, strict=True)
        ]
        rest = self.expected_mistakes - math.fsum(
            row.p_wrong for row, is_open in zip(self._rows, open_, strict=True) if is_open
        )
        note = f"{sum(open_)} arm(s) are left undecided on purpose: their verdicts would be too uncertain"
        return self._with(rows, expected_mistakes=max(rest, 0.0), notes=[*self.notes, note])

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
        return f"<Verdicts: {decided_clause(self._rows, self.said.passes)}>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary for each arm: the fields of its row, and the columns that are computed from them."""
        return self._dicts(self._rows)

    def _dicts(self, rows: Sequence[Verdict]) -> list[dict[str, Any]]:
        computed = {column.key: column.value for column in COLUMNS if column.value is not None}
        return [row.to_dict() | {key: value(row) for key, value in computed.items()} for row in rows]

    def to_document(self, part: slice = slice(None)) -> dict[str, Any]:
        """Return the summary, the counts, a part of the rows and the notes for JSON: an unknown number is None."""
        return {
            "summary": self.summary,
            "counts": self.counts,
            "expected_mistakes": finite_or_none(self.expected_mistakes),
            "level": self.said.risk if self.said.level is None else self.said.level,
            "verdicts": [with_nulls(row) for row in self._dicts(self._rows[part])],
            "control": None if self.control is None else with_nulls(self.control.to_dict()),
            "spending": None if self.spending is None else asdict(self.spending),
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
        from thresher.report import draw_verdicts

        return draw_verdicts(self.drawn, title=title or decided_clause(self._rows, self.said.passes), path=path)

    def __str__(self) -> str:
        """Return the summary, the arms as a table and the notes."""
        shown, _, notes = self._shown()
        return "\n".join([*self.paragraphs, "", text_table(shown.heads, shown.rows, left=2), *notes])

    def _repr_html_(self) -> str:
        shown, arms, notes = self._shown()
        drawn, strips = {row.arm: row for row in self.drawn}, Strips(self.drawn)
        pictures = [strips.strip(drawn[arm]) for arm in arms]
        return notebook_table(self.paragraphs, shown.heads, shown.rows, notes, strips=pictures, words=2)

    def _shown(self) -> tuple[DecisionTable, list[str], list[str]]:
        """Return the table of at most MOST_ROWS arms, their names, and the notes under it."""
        ordered = in_order(self._rows, self.said.passes)
        places = some_of(ordered, MOST_ROWS)
        more = len(self) - len(places)
        notes = [*([f"{more:,} more arms."] if more else []), *(f"{note}." for note in self.notes)]
        table = table_of(self._rows, self.said, NOTEBOOK)
        return table.at(places), [ordered[place].arm for place in places], notes
