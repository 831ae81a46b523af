"""``thresher new``: create a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, term_help
from thresher.errors import InvalidInputError
from thresher.terms import accept_terms

if TYPE_CHECKING:
    from thresher.live import Campaign

Name = Annotated[str, typer.Argument(help="Name of the new campaign.")]
Arm = Annotated[list[str] | None, typer.Option("--arm", "-a", help="Name of an arm. Repeatable.")]
ArmsFile = Annotated[
    Path | None,
    typer.Option(
        "--arms", help="A file of names, or a CSV file: column arm; optional threshold, sigma, cost, pull_cost."
    ),
]
Threshold = Annotated[
    float | None, typer.Option("--threshold", "-t", help="The bar of every arm that has none in the file.")
]
Budget = Annotated[float, typer.Option("--budget", "-b", help="Most that may be spent, in the unit of the pull costs.")]
Sigma = Annotated[float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.")]


def new(
    campaign: Name,
    budget: Budget,
    arm: Arm = None,
    arms: ArmsFile = None,
    threshold: Threshold = None,
    sigma: Sigma = None,
    db: Database = DEFAULT,
    json: Json = False,
    **terms: Any,
) -> None:
    """Create a campaign.

    Example: thresher new coins --arm fair --arm bent --threshold 0.5 --budget 200
    """
    from thresher.live import Campaign

    given = {"arms": _arms(arm, arms), "budget": budget, "threshold": threshold, "sigma": sigma}
    _show(Campaign.create(db, campaign, **given, **terms), json=json)


accept_terms(
    new,
    lambda term: Annotated[term.kind, typer.Option(*term.flags, help=term_help(term))],
    default=lambda term: term.default,
)


def _arms(names: list[str] | None, file: Path | None) -> Any:
    if (names is None) == (file is None):
        raise typer.BadParameter("give arms by --arm, each once, or in a file by --arms")
    return names if file is None else read_arms(file)


def read_arms(file: Path) -> Any:
    """Return the arms in a file: columns of a CSV file, or one name on each line of any other.

    Raises
    ------
    InvalidInputError
        If the file cannot be read; the message names the line.
    """
    import csv

    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError("--arms", str(file), rule="must be text in UTF-8") from error
    except OSError as error:
        rule = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise InvalidInputError("--arms", str(file), rule=rule, fix="name a file with the arms") from error
    if file.suffix.lower() != ".csv":
        return [line.strip() for line in text.splitlines() if line.strip()]
    rows = [(line, row) for line, row in enumerate(csv.reader(text.splitlines()), start=1) if row]
    head = [cell.strip() for cell in rows[0][1]] if rows else []
    if len(head) == 1 and ";" in head[0]:
        raise InvalidInputError(f"{file}: separator", ";", rule="must be a comma")
    for line, row in rows:
        if len(row) != len(head):
            raise InvalidInputError(f"{file}, line {line}: number of cells", len(row), rule=f"must be {len(head)}")
    return {column: [_cell(file, line, column, row[i]) for line, row in rows[1:]] for i, column in enumerate(head)}


def _cell(file: Path, line: int, column: str, text: str) -> Any:
    if column == "arm":
        return text
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInputError(f"{file}, line {line}: {column}", text, rule="must be a number") from error


def _show(campaign: Campaign, *, json: bool) -> None:
    from thresher.cli.show import answer, say

    standing = campaign.standing
    campaign.disconnect()
    if json:
        from json import dumps

        answer(dumps(standing.to_dict()))
        return
    answer(f"{standing.name}: {standing.arms} arms, a budget of {standing.budget:g}")
    say("Type 'thresher ask' for a ticket, and 'thresher tell TICKET OUTCOME' for what came out.")
