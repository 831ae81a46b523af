"""What a campaign says of each arm, and how sure it is."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Verdict(NamedTuple):
    """What is known of one arm.

    Attributes
    ----------
    arm : str
    verdict : str
        ``above``, ``below`` or ``undecided``.
    sure : bool
        The interval leaves the bar on one side.
    mean : float or None
        Of the outcomes told. Arms are sampled by what they showed before, which biases it a little.
    pulls : int
    low, high : float
        An interval that is valid at every moment, so that looking early is allowed.
    p_wrong : float
        Chance that the verdict is wrong, under the population of means fitted to all arms.
    price : float
        What the next measurement is worth, in mistakes saved per unit of budget.
    threshold : float
    outstanding : int
    retired : bool
    """

    arm: str
    verdict: str
    sure: bool
    mean: float | None
    pulls: int
    low: float
    high: float
    p_wrong: float
    price: float
    threshold: float
    outstanding: int
    retired: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return self._asdict()


class Verdicts(Sequence[Verdict]):
    """The verdicts on all arms, in their order, and how many of them are expected to be wrong."""

    def __init__(self, rows: Sequence[Verdict], *, expected_mistakes: float, notes: Sequence[str] = ()) -> None:
        self._rows = tuple(rows)
        self.expected_mistakes = expected_mistakes
        self.notes = tuple(notes)

    def leaving_open(self, abstain: float) -> Verdicts:
        """Return the same with every arm undecided whose verdict is wrong with more than this probability."""
        open_ = [row.verdict != "undecided" and row.p_wrong > abstain for row in self._rows]
        if not any(open_):
            return self
        rows = [
            row._replace(verdict="undecided", sure=False) if is_open else row
            for row, is_open in zip(self._rows, open_, strict=True)
        ]
        rest = self.expected_mistakes - math.fsum(
            row.p_wrong for row, is_open in zip(self._rows, open_, strict=True) if is_open
        )
        note = f"{sum(open_)} arm(s) are left open on purpose: their verdicts would be too unsure"
        return Verdicts(rows, expected_mistakes=max(rest, 0.0), notes=[*self.notes, note])

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
        columns = ("arm", "verdict", "sure", "mean", "pulls", "low", "high", "p_wrong", "price")
        head = "".join(f"<th>{column}</th>" for column in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(getattr(row, column))}</td>" for column in columns) + "</tr>"
            for row in self._rows[:100]
        )
        more = f"<p>… and {len(self) - 100} more</p>" if len(self) > 100 else ""
        notes = "".join(f"<p>{html.escape(note)}.</p>" for note in self.notes)
        said = f"<p>{self.expected_mistakes:.2g} mistakes expected</p>"
        return f"{said}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{notes}"


def _cell(value: Any) -> str:
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))
