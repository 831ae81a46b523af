"""A live table of a run, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.campaign import Standing, Verdict, Verdicts
    from thresher.report import HasSpending
    from thresher.run import Run, Scored, Watch

REFRESH = 1.0  # seconds between tables
SHARE = 0.05  # largest share of the time spent on drawing them
TOO_EARLY = 1.0  # seconds before a rate of measurements is shown


@contextmanager
def watching() -> Iterator[Watch | None]:
    """Yield a function that draws a run, or None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True, markup=False, highlight=False)
    with Live(Text("starting…"), console=console, auto_refresh=False, transient=True) as live:
        live.refresh()
        yield _Drawer(live, console)


class _Drawer:
    """Draws at most once a second, and less often if drawing is slow."""

    def __init__(self, live: Any, console: Any) -> None:
        self._live, self._console = live, console
        self._next, self._pace = 0.0, Pace()

    def __call__(self, run: Run) -> None:
        started = time.monotonic()
        if run.campaign is None or started < self._next:
            return
        if run.scored is not None and not run.measured and run.scored.done < run.scored.wanted:
            self._live.update(scoring_line(run.campaign.name, run.scored), refresh=True)
            self._next = started + REFRESH
            return
        self._pace.note(run.campaign.standing, started)
        shown = picture(run, self._pace, rows=max(self._console.height - 5, 3), width=self._console.width)
        self._live.update(shown, refresh=True)
        took = time.monotonic() - started
        self._next = started + max(REFRESH, took / SHARE)


def scoring_line(name: str, scored: Scored) -> Any:
    """Return how far the scoring of answers is: ``prompts  212/300 answers scored``."""
    from rich.text import Text

    from thresher.cli.show import visible

    failed = f" · {scored.failed:,} without a score" if scored.failed else ""
    return Text(f"{visible(name)}  {scored.done:,}/{scored.wanted:,} answers scored{failed}")


class Pace:
    """How fast a run measures, from the first time it was looked at."""

    def __init__(self) -> None:
        self._first: tuple[float, int, float] | None = None
        self._seconds, self._told, self._spent = 0.0, 0, 0.0

    def note(self, standing: HasSpending, now: float) -> None:
        """Note what is told and spent at this time."""
        if self._first is None:
            self._first = (now, standing.told, standing.spent)
        began, told, spent = self._first
        self._seconds, self._told, self._spent = now - began, standing.told - told, standing.spent - spent

    def words(self, standing: HasSpending) -> list[str]:
        """Return the rate and the time left; nothing while they are not known."""
        if self._seconds < TOO_EARLY or not self._told or self._spent <= 0.0:
            return []
        from thresher.report import duration, figure

        left = (standing.budget - standing.spent) * self._seconds / self._spent
        rate = self._told / self._seconds
        pace = f"{figure(rate, 2)}/s" if rate >= 1.0 else f"{figure(60.0 * rate, 2)}/min"
        return [pace, f"{duration(left)} left"]


def picture(run: Run, pace: Pace, *, rows: int, width: int = 80) -> Any:
    """Return the line and the table of a run: the arms in their own order, the undecided ones first to be shown."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from thresher.cli.show import visible
    from thresher.report import View, ordered_table

    assert run.campaign is not None
    standing, verdicts = run.campaign.standing, run.verdicts()
    shown = ordered_table(_chosen(verdicts, rows), View(verdicts, verdicts.said)).fitted(width)
    grid = Table(box=None, pad_edge=False, padding=(0, 1), header_style="bold")
    for i, header in enumerate(shown.heads):
        grid.add_column(Text(header), justify="left" if i in shown.left else "right", width=shown.widths[i])
    for row, colour in zip(shown.rows, shown.colours, strict=True):
        grid.add_row(*(Text(visible(cell), style=colour if i == shown.coloured else "") for i, cell in enumerate(row)))
    more = [Text(f"… and {len(verdicts) - rows:,} more")] if len(verdicts) > rows else []
    return Group(Text(headline(standing, verdicts, pace), no_wrap=True, overflow="ellipsis"), grid, *more)


def headline(standing: Standing, verdicts: Verdicts, pace: Pace) -> str:
    """Return how far a run is: ``prompts  212/300 · 14/s · 6 s left · bar > 0.8 · 3 undecided``."""
    from thresher.cli.show import visible
    from thresher.report import amount, bar_mark

    spent = f"{visible(standing.name)}  {amount(standing.spent)}/{amount(standing.budget)}"
    return " · ".join(
        [
            spent,
            *pace.words(standing),
            bar_mark(verdicts, verdicts.said),
            f"{verdicts.counts['open']:,} undecided",
        ]
    )


def _chosen(rows: Sequence[Verdict], most: int) -> list[Verdict]:
    """Return at most that many arms in their own order; decided ones only where the undecided ones leave room."""
    undecided_first = sorted(range(len(rows)), key=lambda i: (rows[i].decision != "open", i))
    return [rows[i] for i in sorted(undecided_first[:most])]
