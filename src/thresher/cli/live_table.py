"""A live table of a run, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.live import Verdict
    from thresher.runner.run import Run, Watch

REFRESH = 1.0  # seconds between tables
WIDTH = 60  # characters of the bar
SHARE = 0.05  # largest share of the time spent on drawing them


@contextmanager
def watching() -> Iterator[Watch | None]:
    """Yield a function that draws a run, or None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, markup=False, highlight=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield _Drawer(live, console)


class _Drawer:
    """Draws at most once a second, and less often if drawing is slow."""

    def __init__(self, live: Any, console: Any) -> None:
        self._live, self._console = live, console
        self._next = 0.0

    def __call__(self, run: Run) -> None:
        started = time.monotonic()
        if run.campaign is None or started < self._next:
            return
        self._live.update(picture(run, rows=max(self._console.height - 5, 3), width=self._console.width), refresh=True)
        took = time.monotonic() - started
        self._next = started + max(REFRESH, took / SHARE)


def picture(run: Run, *, rows: int, width: int = 80) -> Any:
    """Return the table of a run: the budget spent, and the arms whose next measurement is worth most."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from thresher.cli.show import visible
    from thresher.report.decision_table import COLOURED, LEFT, table_of
    from thresher.report.numbers import amount
    from thresher.report.summary import decided_clause, spent_of

    assert run.campaign is not None
    standing, verdicts = run.campaign.standing, run.verdicts()
    chosen = table_of(sorted(verdicts, key=_interest)[:rows], verdicts.said).fitted(width)
    grid = Table(box=None, pad_edge=False, padding=(0, 1), header_style="bold")
    for i, header in enumerate(chosen.heads):
        grid.add_column(Text(header), justify="left" if i in LEFT else "right", width=chosen.widths[i])
    for row, colour in zip(chosen.rows, chosen.colours, strict=True):
        grid.add_row(*(Text(visible(cell), style=colour if i == COLOURED else "") for i, cell in enumerate(row)))
    flying = f"{amount(standing.outstanding)} in flight"
    decided = decided_clause(verdicts, verdicts.said.passes)
    head = Text(f"{visible(standing.name)}: {decided}. {spent_of(standing)} {flying}.")
    more = [Text(f"… and {len(verdicts) - rows:,} more")] if len(verdicts) > rows else []
    full = round(WIDTH * min(standing.spent / standing.budget, 1.0))
    return Group(head, Text("━" * full + "·" * (WIDTH - full)), grid, *more)


def _interest(row: Verdict) -> tuple[bool, float]:
    """Sort arms that are being measured first, then by decreasing chance of error."""
    return (row.outstanding == 0, -row.p_wrong if row.p_wrong == row.p_wrong else 0.0)
