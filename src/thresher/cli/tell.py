"""``thresher tell``: report the outcome of a pull, or all outcomes in a file of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, term_help, words_of
from thresher.terms import OFFERED, accept_terms

Words = Annotated[list[str] | None, typer.Argument(metavar="[CAMPAIGN] TICKET OUTCOME", help="A number, or yes or no.")]
From = Annotated[
    Path | None,
    typer.Option(
        "--from",
        help="A file of outcomes instead: CSV, Parquet, or of inspect_ai, promptfoo, lm-evaluation-harness, "
        "Label Studio.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format", help="csv, parquet, json, inspect, promptfoo, lm-eval or label-studio, if it cannot be seen."
    ),
]
ArmColumn = Annotated[
    list[str] | None, typer.Option("--arm-column", help="Which column names the arm. Repeat it to combine columns.")
]
ArmName = Annotated[str, typer.Option("--arm", help="The arm of all measurements, if no column of the file names it.")]
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
    list[str] | None,
    typer.Option(
        "--item-column",
        help="Which column names the item, in a campaign with items. Repeat it to combine columns. [default: item]",
    ),
]
LeaveOut = Annotated[
    list[str] | None,
    typer.Option("--leave-out", metavar="COLUMN=VALUE", help="Leave out measurements with this value. Repeatable."),
]
Cost = Annotated[
    float | None, typer.Option("--cost", help="What the pull of the ticket has cost. [default: the arm's pull cost]")
]
Success = Annotated[list[str] | None, typer.Option("--success", help="A word that counts as 1, all others as 0.")]
Failure = Annotated[
    list[str] | None, typer.Option("--failure", help="A word that counts as 0; then any other but --success is wrong.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what was understood of the file, and store nothing.")]
Create = Annotated[
    bool,
    typer.Option(
        "--create",
        help="Create what is missing: arms, items, and the campaign, which takes the options of 'thresher new'.",
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--bar", "--threshold", "-t", help="With --create, the bar of new arms. [default: that of all others]"
    ),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="With --create, the budget of a campaign that does not exist yet."),
]
Sigma = Annotated[float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.", hidden=True)]


def tell(
    words: Words = None,
    source: From = None,
    format: Format = "",  # noqa: A002 - the name of the option
    arm_column: ArmColumn = None,
    arm: ArmName = "",
    outcome_column: OutcomeColumn = "",
    key_column: KeyColumn = "",
    ticket_column: TicketColumn = "",
    item_column: ItemColumn = None,
    leave_out: LeaveOut = None,
    success: Success = None,
    failure: Failure = None,
    dry_run: DryRun = False,
    create: Create = False,
    threshold: Threshold = None,
    budget: Budget = None,
    sigma: Sigma = None,
    cost: Cost = None,
    db: Database = DEFAULT,
    json: Json = False,
    **terms: Any,
) -> None:
    """Bring the outcome of a ticket, or all outcomes in a file.

    Telling them again changes nothing. Outcomes that a file gives to arms were measured elsewhere: they cost
    nothing of the budget. Examples:

        thresher tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes

        thresher tell prompts --from runs.csv --arm-column prompt --outcome-column passed

        thresher tell models --from samples.jsonl --create --threshold 0.8 --budget 500 --dry-run
    """
    from thresher.cli.log_import import tell_file
    from thresher.runner.adapters import Columns, Creation

    columns = Columns(
        arm=tuple(arm_column or ()), outcome=outcome_column, key=key_column, ticket=ticket_column,
        item=tuple(item_column or ()), success=tuple(success or ()), failure=tuple(failure or ()), arm_name=arm,
        leave_out=tuple(_pair(text) for text in leave_out or ()),
    )  # fmt: skip
    given = {term.name: terms[term.name] for term in OFFERED if terms[term.name] is not None}
    creation = Creation(threshold=threshold, sigma=sigma, budget=budget, terms=given)
    if creation != Creation() and not create:
        raise typer.BadParameter("these options belong to what is created: add --create")
    if source is not None and cost is not None:
        raise typer.BadParameter("--cost belongs to a ticket, not to a file")
    if source is not None:
        campaign, _ = words_of(words or [], [], db)
        log = (source, columns, format)
        tell_file(db, campaign, log, creation if create else None, dry_run=dry_run, json=json)
    elif format or create or dry_run or columns != Columns():
        raise typer.BadParameter("these options belong to a file: name it by --from")
    else:
        _tell_one(words or [], cost, db, json=json)


accept_terms(
    tell,
    lambda term: Annotated[term.kind | None, typer.Option(*term.flags, help=term_help(term), hidden=True)],
    default=lambda _: None,  # not given: that of the campaign, or the default
)


def _pair(text: str) -> tuple[str, str]:
    column, sign, value = text.partition("=")
    if not sign or not column:
        raise typer.BadParameter(f"--leave-out is {text[:40]!r}; give a column and a value: annotator=7")
    return column, value


def _tell_one(words: list[str], cost: float | None, db: str, *, json: bool) -> None:
    from dataclasses import asdict
    from json import dumps

    from thresher.cli.show import answer, say

    campaign, (ticket, text) = words_of(words, ["TICKET", "OUTCOME"], db)
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
