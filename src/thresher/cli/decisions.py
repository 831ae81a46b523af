"""Decisions on the terminal: the summary first, then the table, then what to do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.usage import OUTPUT, RATE

if TYPE_CHECKING:
    from thresher.campaign import Standing, Verdicts

MOST_ROWS = 40

All = Annotated[
    bool, typer.Option("--all", help=f"Show all arms, not only the first {MOST_ROWS}.", rich_help_panel=OUTPUT)
]
OWN = "[default: the campaign's]"
Pass = Annotated[str | None, typer.Option("--pass", help=f"Side of the bar that passes: above, below. {OWN}")]
Risk = Annotated[
    float | None, typer.Option("--risk", help=f"Highest chance of error at which an arm is decided. {OWN}", **RATE)
]
Guarantee = Annotated[
    str | None, typer.Option("--guarantee", help=f"What the risk applies to: calibrated, anytime, fdr, fwer. {OWN}")
]
SigmaCheck = Annotated[
    str | None,
    typer.Option("--sigma-check", help=f"While outcomes contradict sigma: withhold decisions, or warn. {OWN}"),
]


def show_decisions(verdicts: Verdicts, standing: Standing, *, step: str, all_rows: bool = False) -> None:
    """Print the summary, the table of arms and the next step, no wider than the terminal."""
    from thresher.cli.show import NARROWEST, answer, say_left_out, table, terminal_width, wrapped
    from thresher.report import STRIP, View, in_order, ordered_table, some_of

    lead, rest = verdicts.paragraphs
    answer(f"{wrapped(f'{standing.name}: {lead}')}\n{wrapped(rest)}\n")
    ordered, view = in_order(verdicts, verdicts.said.passes), View(verdicts, verdicts.said)
    every = ordered_table(ordered, view)
    chosen = every if all_rows else every.at(some_of(ordered, MOST_ROWS))
    shown = chosen.fitted(max(terminal_width(80), NARROWEST))
    table(shown.heads, shown.rows, left=shown.left, widths=shown.widths, colours=shown.colours, coloured=shown.coloured)
    if len(shown.rows) < len(every.rows):
        answer(f"… and {len(every.rows) - len(shown.rows):,} more (--all)")
    say_left_out([column.heading(view) for column in every.columns if column not in (STRIP, *shown.columns)])
    answer("\n" + wrapped(step))


def next_step_of(verdicts: Verdicts, standing: Standing, db: str, *, is_imported: bool = False) -> str:
    """Return the next step of a campaign, with the command for it; its outcomes are measured, or imported."""
    from thresher.report import next_step

    name, place = shlex.quote(standing.name), place_of(db)
    if is_imported:
        go_on = (
            f"thresher allocate {name}{place} splits the next batch over the arms, "
            f"thresher tell {name} --from FILE{place} imports its outcomes"
        )
    elif db.startswith(("http://", "https://")):
        go_on = f"start a worker (thresher work {db} {name} --command …)"
    else:
        go_on = f"continue measuring (thresher ask {name}{place})"
    extend = (
        f"thresher extend {name} {{amount}}{place}".replace("{", "{{")
        .replace("}", "}}")
        .replace("{{amount}}", "{amount}")
    )
    terms = {"goal": verdicts.said.goal, "extend": extend, "go_on": go_on}
    has_control = verdicts.control is not None
    return next_step(
        verdicts, standing, lambda: verdicts.offer, has_control=has_control, repeats=verdicts.said.repeats, **terms
    )


def place_of(db: str) -> str:
    """Return the option that names the database; nothing for the default, and no password."""
    from thresher.cli.campaigns import DEFAULT

    if db == DEFAULT:
        return ""
    return f" --db {shlex.quote(db)}" if db.startswith(("sqlite:", "http://", "https://")) else " --db …"
