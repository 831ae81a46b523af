"""``thresher tell``: report the outcome of a pull, or all outcomes in a file of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, term_option, words_of
from thresher.cli.usage import RATE
from thresher.registries import LOG_FORMATS
from thresher.terms import OFFERED, accept_terms

Words = Annotated[list[str] | None, typer.Argument(metavar="[CAMPAIGN] TICKET OUTCOME", help="A number, or yes or no.")]
From = Annotated[
    list[Path] | None,
    typer.Option(
        "--from",
        metavar="FILE…",
        help=f"Files and folders of outcomes instead: {', '.join(known.words for known in LOG_FORMATS.values())}.",
    ),
]
Source = Annotated[
    str, typer.Option("--source", help="The files are a version of this source. [default: the name of each file]")
]
NewSource = Annotated[
    bool, typer.Option("--new-source", help="The files were measured anew, although they repeat another source.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Make the source what the files say: void what they lack or correct.")
]
CountColumn = Annotated[
    str, typer.Option("--count-column", help="Lines are counts: which column has the number of measurements.")
]
SquaresColumn = Annotated[
    str, typer.Option("--squares-column", help="Lines are counts: which column has the sum of squared outcomes.")
]
Cumulative = Annotated[bool, typer.Option("--cumulative", help="Counts grow from file to file.")]
Format = Annotated[
    str,
    typer.Option("--format", help=f"{', '.join(LOG_FORMATS)}, if it cannot be seen from the file."),
]
ArmColumn = Annotated[
    list[str] | None, typer.Option("--arm-column", help="Which column names the arm. Repeat it to combine columns.")
]
ArmName = Annotated[str, typer.Option("--arm", help="The arm of all measurements, if no column of the file names it.")]
OutcomeColumn = Annotated[
    str, typer.Option("--outcome-column", help="Which column is the outcome, or the sum of a count.")
]
ProxyColumn = Annotated[
    str,
    typer.Option(
        "--proxy-column",
        help="Which column is a cheap score of the answer, such as a judge's. Without --outcome-column nothing else is "
        "told.",
    ),
]
KeyColumn = Annotated[
    list[str] | None,
    typer.Option("--key-column", help="Which column tells measurements apart. Repeat it to combine columns."),
]
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
        help="Which column names the item: a verdict is then about these items. Repeat it to combine columns. "
        "[default: item, in a campaign with items]",
    ),
]
RepeatColumn = Annotated[
    str,
    typer.Option(
        "--repeat-column",
        help="In a campaign with repeats: which column has the ordinal of the repeat. Without one, outcomes "
        "are numbered as they come. [default: repeat, or the epoch of inspect_ai]",
    ),
]
GoldColumn = Annotated[
    str,
    typer.Option("--gold-column", help="The right answer: the outcome is whether the outcome column agrees with it."),
]
Blank = Annotated[str, typer.Option("--blank", help="A blank outcome: skip leaves it out, error refuses the file.")]
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
        "--bar", "--threshold", "-t", help="With --create, the bar of new arms. [default: that of all others]", **RATE
    ),
]
Budget = Annotated[
    float | None,
    typer.Option("--budget", "-b", help="With --create, the budget of a campaign that does not exist yet."),
]
Sigma = Annotated[float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.", hidden=True)]


def tell(
    words: Words = None,
    files: From = None,
    format: Format = "",  # noqa: A002 - the name of the option
    arm_column: ArmColumn = None,
    arm: ArmName = "",
    outcome_column: OutcomeColumn = "",
    proxy_column: ProxyColumn = "",
    key_column: KeyColumn = None,
    count_column: CountColumn = "",
    squares_column: SquaresColumn = "",
    cumulative: Cumulative = False,
    source: Source = "",
    new_source: NewSource = False,
    replace: Replace = False,
    ticket_column: TicketColumn = "",
    item_column: ItemColumn = None,
    repeat_column: RepeatColumn = "",
    gold_column: GoldColumn = "",
    blank: Blank = "skip",
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

        thresher tell prompts --from logs/*.eval

        thresher tell pages --from days.csv --count-column visitors --outcome-column conversions

        thresher tell answers --from judge.csv --proxy-column score

        thresher tell models --from samples.jsonl --create --bar 80% --budget 500 --dry-run
    """
    from json import dumps

    from thresher.campaign import ImportOptions
    from thresher.cli.log_import import files_in, tell_file
    from thresher.cli.score_import import tell_scores
    from thresher.cli.show import answer
    from thresher.run.importers import Columns, Creation

    columns = Columns(
        arm=tuple(arm_column or ()), outcome=outcome_column, key=tuple(key_column or ()), ticket=ticket_column,
        count=count_column, squares=squares_column,
        item=tuple(item_column or ()), success=tuple(success or ()), failure=tuple(failure or ()), arm_name=arm,
        leave_out=tuple(_pair(text) for text in leave_out or ()), gold=gold_column, blank=blank,
        repeat=repeat_column,
    )  # fmt: skip
    given = {term.name: terms[term.name] for term in OFFERED if terms[term.name] is not None}
    creation = Creation(threshold=threshold, sigma=sigma, budget=budget, terms=given)
    if creation != Creation() and not create:
        raise typer.BadParameter("these options belong to what is created: add --create")
    if (cumulative or squares_column) and not count_column:
        raise typer.BadParameter("--cumulative and --squares-column belong to counts: add --count-column")
    if files and cost is not None:
        raise typer.BadParameter("--cost belongs to a ticket, not to a file")
    options = ImportOptions(replace=replace, cumulative=cumulative, new_source=new_source)
    if files:
        campaign, _ = words_of(words or [], [], db)
        log = (files_in(files), columns, format)
        may_create = creation if create else None
        if proxy_column:
            tell_scores(
                db, campaign, log, proxy_column, also=(may_create, (source, options)), dry_run=dry_run, json=json
            )
            return
        told = tell_file(db, campaign, log, may_create, (source, options), dry_run=dry_run, json=json)
        if json:
            answer(dumps(told))
    elif format or create or dry_run or source or proxy_column or columns != Columns() or options != ImportOptions():
        raise typer.BadParameter("these options belong to a file: name it by --from")
    else:
        _tell_one(words or [], cost, db, json=json)


accept_terms(
    tell,
    lambda term: Annotated[term.kind | None, term_option(term, hidden=True)],
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

    from thresher.cli.show import answer, say_note
    from thresher.report import amount

    campaign, (ticket, text) = words_of(words, ["TICKET", "OUTCOME"], db)
    with campaign_at(db, campaign) as found:
        receipt = found.tell(ticket, outcome_in(text), cost)
    if json:
        answer(dumps(asdict(receipt)))
        return
    answer(f"{receipt.arm}: {'told before' if receipt.replayed else 'told'}")
    if not receipt.used:
        say_note("it came too late and does not count; it is kept and shown")
    if receipt.unpaid:
        say_note(f"the budget could not pay {amount(receipt.unpaid)} of its cost")


def outcome_in(text: str) -> float:
    """Return an outcome that was typed; the campaign checks whether its family can give it.

    Raises
    ------
    InvalidOutcomeError
        If it is neither a number nor yes or no.
    """
    from thresher.errors import InvalidOutcomeError
    from thresher.run import as_number

    value = as_number(text)
    if value is None:
        raise InvalidOutcomeError(f"the outcome {text[:40]!r} is not a number", instead="give a number, or yes or no")
    return value
