"""Decisions on the terminal: the summary first, then the table, then what to do next."""

from __future__ import annotations

import shlex
import shutil
import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thresher.live import Standing, Verdicts

MOST_ROWS = 40
NARROWEST = 40
SHORTEST_NAME = 12  # width of the column of arm names; longer names are wrapped

All = Annotated[bool, typer.Option("--all", help=f"Show all arms, not only the first {MOST_ROWS}.")]
OWN = "[default: the campaign's]"
Pass = Annotated[str | None, typer.Option("--pass", help=f"Side of the bar that passes: above, below. {OWN}")]
Risk = Annotated[
    float | None, typer.Option("--risk", help=f"Highest chance of error at which an arm is decided. {OWN}")
]
Guarantee = Annotated[
    str | None, typer.Option("--guarantee", help=f"What the risk bounds: calibrated, anytime, fdr, fwer. {OWN}")
]


def show_decisions(verdicts: Verdicts, standing: Standing, *, step: str, all_rows: bool = False) -> None:
    """Print the summary, the table of arms and the next step, no wider than the terminal."""
    from thresher.cli.show import answer, say_left_out, table
    from thresher.report.decision_table import COLOURED, LEFT, table_of
    from thresher.report.next_step import spent_of

    width = _width()
    answer(wrapped(f"{standing.name}: {verdicts.summary} {spent_of(standing)}") + "\n")
    every = table_of(verdicts, verdicts.said)
    whole = every.fitted(width)
    shown = whole.rows if all_rows else whole.rows[:MOST_ROWS]
    first = min(whole.widths[0], max(width - whole.width + whole.widths[0], SHORTEST_NAME))
    widths = [first, *whole.widths[1:]]
    table(whole.heads, shown, left=LEFT, widths=widths, colours=whole.colours, coloured=COLOURED)
    if len(shown) < len(whole.rows):
        answer(f"… and {len(whole.rows) - len(shown)} more (--all)")
    say_left_out([head for head in every.heads if head not in whole.heads])
    answer("\n" + wrapped(step))


def wrapped(text: str) -> str:
    """Return a text wrapped to the width of the terminal."""
    return textwrap.fill(text, _width(), break_long_words=False, break_on_hyphens=False)


def _width() -> int:
    return max(shutil.get_terminal_size((80, 24)).columns, NARROWEST)


def next_step_of(verdicts: Verdicts, standing: Standing, db: str) -> str:
    """Return the next step of a campaign, with the command for it."""
    from thresher.report.next_step import next_step

    name, place = shlex.quote(standing.name), _place(db)
    if db.startswith(("http://", "https://")):
        go_on = f"start a worker (thresher work {db} {name} --command …)"
    else:
        go_on = f"continue measuring (thresher ask {name}{place})"
    extend = (
        f"thresher extend {name} {{amount}}{place}".replace("{", "{{")
        .replace("}", "}}")
        .replace("{{amount}}", "{amount}")
    )
    return next_step(verdicts, standing, lambda: verdicts.offer, extend=extend, go_on=go_on, goal=verdicts.said.goal)


def _place(db: str) -> str:
    """Return the option that names the database; nothing for the default, and no password."""
    from thresher.cli.campaigns import DEFAULT

    if db == DEFAULT:
        return ""
    return f" --db {shlex.quote(db)}" if db.startswith(("sqlite:", "http://", "https://")) else " --db …"
