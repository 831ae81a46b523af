"""``thresher allocate``: how the next batch should be split over the arms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at
from thresher.cli.decisions import MOST_ROWS, All

if TYPE_CHECKING:
    from thresher.campaign import Allocation

Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="What the batch may cost. [default: what is left of the campaign's budget]"),
]
Csv = Annotated[bool, typer.Option("--csv", help="Print the batch as CSV: arm, measurements, share, cost.")]


def allocate(
    campaign: Name = None,
    budget: Budget = None,
    csv: Csv = False,
    all_: All = False,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Split the next batch over the arms; reserve nothing.

    It is the batch that 'thresher ask' would issue now: for label queues, and for experimentation tools that take
    shares. Measure it, import the outcomes with 'thresher tell --from', and allocate again.

    Example: thresher allocate clips --budget 5000
    """
    from json import dumps

    from thresher.cli.show import answer

    if csv and json:
        raise typer.BadParameter("give either --csv or --json")
    with campaign_at(db, campaign) as found:
        name, batch = found.name, found.allocate(budget)
    if json:
        answer(dumps(batch.to_dict()))
    elif csv:
        answer(batch.to_csv().removesuffix("\n"))
    else:
        _show(name, batch, all_rows=all_)


def _show(name: str, batch: Allocation, *, all_rows: bool) -> None:
    from thresher.cli.show import answer, say, say_note, table
    from thresher.report import amount, chance, counted

    rows = sorted((row for row in batch if row.measurements), key=lambda row: -row.measurements)
    answer(f"{name}: {counted(batch.measurements, 'measurement')} on {len(rows):,} of {counted(len(batch), 'arm')}")
    if rows:
        cells = [[row.arm, f"{row.measurements:,}", chance(row.share), amount(row.cost)] for row in rows]
        table(["arm", "measurements", "share", "cost"], cells if all_rows else cells[:MOST_ROWS])
    if len(rows) > MOST_ROWS and not all_rows:
        answer(f"… and {counted(len(rows) - MOST_ROWS, 'more arm')} (--all)")
    if batch.note:
        say_note(batch.note)
    say("Nothing is reserved.")
