"""What a campaign says of each arm, what it has decided, and how sure it is."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from thresher.report.decisions import Said, standing_of, summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Verdict(NamedTuple):
    """What is known of one arm.

    Attributes
    ----------
    arm : str
    verdict : str
        ``above``, ``below`` or ``undecided``.
    mean : float or None
        Of the outcomes told. Arms are sampled by what they showed before, which biases it a little.
    pulls : int
    low, high : float
        An interval that is valid at every moment, so that looking early is allowed; NaN where none exists.
    p_wrong : float
        Chance that the verdict is wrong, at most 0.5; see :mod:`thresher.policy.doubt`.
    price : float
        What the next measurement is worth, in mistakes saved per unit of budget.
    threshold : float
    outstanding : int
    retired : bool
    decision : str
        ``pass``, ``fail`` or ``open``.
    proven : bool
        The interval excludes the bar.
    within : bool
        The mean is more likely than not within the tolerance of the bar.
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

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return self._asdict()


class Verdicts(Sequence[Verdict]):
    """The verdicts on all arms, in their order, what is decided, and how many are expected to be wrong.

    Parameters
    ----------
    rows : sequence of Verdict
    expected_mistakes : float, optional
        The sum of the chances of error unless given; an arm never measured counts one half.
    notes : sequence of str
    said : Said
        The terms under which the arms are decided.
    outlook : callable, optional
        Returns about how many more measurements decide most of the open arms.
    """

    def __init__(
        self,
        rows: Sequence[Verdict],
        *,
        expected_mistakes: float | None = None,
        notes: Sequence[str] = (),
        said: Said | None = None,
        outlook: Callable[[], float] | None = None,
    ) -> None:
        self._rows = tuple(rows)
        expected = math.fsum(row.p_wrong for row in self._rows) if expected_mistakes is None else expected_mistakes
        self.expected_mistakes = expected
        self.notes = tuple(notes)
        self.said = Said() if said is None else said
        self._outlook = outlook

    @cached_property
    def more(self) -> float:
        """About how many more measurements decide most of the open arms; infinity if no reasonable number does.

        It takes a moment to compute. NaN if it is not known, as of a campaign that is open over HTTP.
        """
        return math.nan if self._outlook is None else self._outlook()

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
        """Two or three sentences: how many pass and fail, how many are decided and how surely, and the bar."""
        return summary(self._rows, self.said, self.expected_mistakes)

    def noting(self, notes: Sequence[str]) -> Verdicts:
        """Return the same with more notes."""
        return self._with(self._rows, self.expected_mistakes, notes)

    def _with(self, rows: Sequence[Verdict], expected: float, notes: Sequence[str]) -> Verdicts:
        return Verdicts(
            rows,
            expected_mistakes=expected,
            notes=[*self.notes, *notes],
            said=self.said,
            outlook=self._outlook,
        )

    def leaving_open(self, abstain: float) -> Verdicts:
        """Return the same with every arm undecided whose verdict is wrong with more than this probability."""
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
        note = f"{sum(open_)} arm(s) are left open on purpose: their verdicts would be too unsure"
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
        return iter(self._rows)  # a sequence's own would ask for one place after another, ten times as slowly

    def __repr__(self) -> str:
        return f"<{len(self)} verdicts, {self.expected_mistakes:.3g} mistakes expected>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary for each arm."""
        return [row.to_dict() for row in self._rows]

    def to_frame(self) -> Any:
        """Return the rows as a data frame of whichever library is installed."""
        from thresher.report import frame_of

        return frame_of(self.to_dicts())

    def plot(self, path: str | None = None, *, title: str = "") -> Figure:
        """Return the picture of each arm's interval beside its bar; write it if a path is given.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from thresher.report.verdict_picture import draw_verdicts

        return draw_verdicts(self._rows, title=title or f"{self.expected_mistakes:.2g} mistakes expected", path=path)

    def _repr_html_(self) -> str:
        columns = ("arm", "decision", "verdict", "proven", "mean", "pulls", "low", "high", "p_wrong", "price")
        head = "".join(f"<th>{column}</th>" for column in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(getattr(row, column))}</td>" for column in columns) + "</tr>"
            for row in self._rows[:100]
        )
        more = f"<p>… and {len(self) - 100} more</p>" if len(self) > 100 else ""
        notes = "".join(f"<p>{html.escape(note)}.</p>" for note in self.notes)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f"<p>{html.escape(self.summary)}</p>{table}{more}{notes}"


def _cell(value: Any) -> str:
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))
