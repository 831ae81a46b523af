"""``thresher tell``: what came out of a pull, or of all the measurements in a file of another tool."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, words_of

if TYPE_CHECKING:
    from thresher.runner.adapters import Columns

Words = Annotated[list[str] | None, typer.Argument(metavar="[CAMPAIGN] TICKET OUTCOME", help="A number, or yes or no.")]
From = Annotated[
    Path | None,
    typer.Option("--from", help="A file of outcomes instead: CSV, Parquet, or of inspect_ai, promptfoo, Label Studio."),
]
Format = Annotated[
    str, typer.Option("--format", help="csv, parquet, inspect, promptfoo or label-studio, if it cannot be seen.")
]
ArmColumn = Annotated[
    list[str] | None, typer.Option("--arm-column", help="Which column names the arm. Repeat it to combine columns.")
]
OutcomeColumn = Annotated[str, typer.Option("--outcome-column", help="Which column is the outcome.")]
KeyColumn = Annotated[str, typer.Option("--key-column", help="Which column tells measurements apart.")]
TicketColumn = Annotated[
    str,
    typer.Option(
        "--ticket-column",
        help="Which column has the tickets that were asked; one named ticket, unless an arm column is given.",
    ),
]
ItemColumn = Annotated[
    str, typer.Option("--item-column", help="Which column names the item, in a campaign with items. [default: item]")
]
Cost = Annotated[
    float | None, typer.Option("--cost", help="What the pull of the ticket has cost. [default: the arm's pull cost]")
]
Success = Annotated[list[str] | None, typer.Option("--success", help="A word that counts as 1, all others as 0.")]
Failure = Annotated[
    list[str] | None, typer.Option("--failure", help="A word that counts as 0; then any other but --success is wrong.")
]


def tell(
    words: Words = None,
    source: From = None,
    format: Format = "",  # noqa: A002 - the name of the option
    arm_column: ArmColumn = None,
    outcome_column: OutcomeColumn = "",
    key_column: KeyColumn = "",
    ticket_column: TicketColumn = "",
    item_column: ItemColumn = "",
    success: Success = None,
    cost: Cost = None,
    failure: Failure = None,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Bring the outcome of a ticket, or all outcomes in a file; telling them again changes nothing.

    Outcomes that a file gives to arms were measured elsewhere: they cost nothing of the budget. Examples:

        thresher tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes

        thresher tell prompts --from runs.csv --arm-column prompt --outcome-column passed
    """
    from thresher.runner.adapters import Columns

    columns = Columns(
        arm=tuple(arm_column or ()), outcome=outcome_column, key=key_column, ticket=ticket_column,
        item=item_column, success=tuple(success or ()), failure=tuple(failure or ()),
    )  # fmt: skip
    if source is not None and cost is not None:
        raise typer.BadParameter("--cost belongs to a ticket, not to a file")
    if source is not None:
        _tell_file(words or [], source, columns, format, db, json=json)
    elif format or columns != Columns():
        raise typer.BadParameter("these options belong to a file: name it by --from")
    else:
        _tell_one(words or [], cost, db, json=json)


def _tell_one(words: list[str], cost: float | None, db: str, *, json: bool) -> None:
    from dataclasses import asdict
    from json import dumps

    from thresher.cli.show import answer, say

    campaign, (ticket, text) = words_of(words, ["TICKET", "OUTCOME"])
    with campaign_at(db, campaign) as found:
        receipt = found.tell(ticket, outcome_in(text), cost)
    if json:
        answer(dumps(asdict(receipt)))
        return
    answer(f"{receipt.arm}: {'told before' if receipt.replayed else 'told'}")
    if not receipt.used:
        say("Note: it came too late and does not count; it is kept and shown.")
    if receipt.unpaid:
        say(f"Note: the budget could not pay {receipt.unpaid:g} of its cost.")


def outcome_in(text: str) -> float:
    """Return an outcome that was typed; the campaign checks whether its family can give it.

    Raises
    ------
    InvalidOutcomeError
        If it is neither a number nor yes or no.
    """
    from thresher.errors import InvalidOutcomeError
    from thresher.runner.reading import as_number

    value = as_number(text)
    if value is None:
        raise InvalidOutcomeError(f"the outcome {text[:40]!r} is not a number", instead="give a number, or yes or no")
    return value


def _tell_file(words: list[str], source: Path, columns: Columns, chosen: str, db: str, *, json: bool) -> None:
    from dataclasses import asdict
    from json import dumps

    from thresher.cli.show import answer, progress, say
    from thresher.runner.adapters import read_log, tell_log

    campaign, _ = words_of(words, [])
    outcomes, left_out = read_log(source, columns, format=chosen)
    with campaign_at(db, campaign) as found, progress("telling") as update:
        done = tell_log(found, outcomes, progress=update)
    if json:
        answer(dumps(asdict(done) | {"left_out": left_out}))
        return
    if done.before and not done.told:
        answer(f"{source.name}: nothing new, all {done.before} outcomes of {done.arms} arms had been told before")
    else:
        before = f", {done.before} had been told before" if done.before else ""
        answer(f"{source.name}: {done.told} outcomes of {done.arms} arms told{before}")
        say(f"To undo it: thresher void {shlex.quote(found.name)} --import {done.batch}")
    if done.before and any(one.chained for one in outcomes):
        say("Note: lines as in an earlier file count once. If they were measured anew, add a column that says when.")
    if left_out:
        say(f"Note: {left_out} measurements without an outcome are left out.")
