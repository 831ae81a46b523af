"""``thresher new``: create a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, check_arm_names, reduced_note, term_option
from thresher.cli.usage import RATE
from thresher.errors import InvalidInputError
from thresher.terms import accept_terms

if TYPE_CHECKING:
    from thresher.campaign import Campaign

Name = Annotated[str, typer.Argument(help="Name of the new campaign.")]
Arm = Annotated[list[str] | None, typer.Option("--arm", "-a", help="Name of an arm. Repeatable.")]
ArmsFile = Annotated[
    Path | None,
    typer.Option(
        "--arms", help="A file of names, or a CSV file: column arm; optional threshold, sigma, cost, pull_cost."
    ),
]
Items = Annotated[
    str | None,
    typer.Option("--items", help="Items that every arm answers: how many, or a file with a name on each line."),
]
History = Annotated[
    str | None,
    typer.Option(
        "--history",
        help="Outcomes of past arms on the same items: a campaign here, or a CSV file with arm, item and value.",
    ),
]
Proxy = Annotated[
    str | None,
    typer.Option(
        "--proxy", help="A cheap score of every answer, such as a judge's: a CSV with arm, item and value or score."
    ),
]
Bar = Annotated[
    float | None,
    typer.Option("--bar", "--threshold", "-t", help="The bar of every arm that has none in the file.", **RATE),
]
Budget = Annotated[float, typer.Option("--budget", "-b", help="Total budget, in the unit of the pull costs.")]
Sigma = Annotated[float | None, typer.Option("--sigma", help="Standard deviation of gaussian outcomes.")]


def new(
    campaign: Name,
    budget: Budget,
    arm: Arm = None,
    arms: ArmsFile = None,
    items: Items = None,
    threshold: Bar = None,
    sigma: Sigma = None,
    history: History = None,
    proxy: Proxy = None,
    db: Database = DEFAULT,
    json: Json = False,
    **terms: Any,
) -> None:
    """Create a campaign.

    Example: thresher new coins --arm fair --arm bent --bar 0.5 --budget 200
    """
    import warnings

    from thresher.campaign import Campaign

    if db.startswith("memory:"):
        rule = "must outlast the command: a campaign in memory ends with it"
        raise InvalidInputError("--db", db, rule=rule, fix="write sqlite:///thresher.db")
    given = {"arms": _arms(arm, arms), "budget": budget, "threshold": threshold, "sigma": sigma, "items": _items(items)}
    given |= {"history": history, "proxy": proxy}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the budget and similar names are shown below
        created = Campaign.create(db, campaign, **given, **terms)
    _show(created, budget, given["arms"], json=json, db=db)


accept_terms(
    new,
    lambda term: Annotated[term.kind, term_option(term)],
    default=lambda term: term.default,
)


def _arms(names: list[str] | None, file: Path | None) -> Any:
    if (names is None) == (file is None):
        raise typer.BadParameter("give arms by --arm, each once, or in a file by --arms")
    if file is None:
        check_arm_names(names or [])
        return names
    from thresher.problem import read_file

    return read_file(file)


def _items(source: str | None) -> list[str] | None:
    if source is None:
        return None
    from thresher.campaign import read_items

    return read_items(source)


def _show(campaign: Campaign, budget: float, arms: Any, *, json: bool, db: str) -> None:
    from shlex import quote

    from thresher.campaign import look_alike, similar_note
    from thresher.cli.decisions import place_of
    from thresher.cli.show import answer, say, say_note
    from thresher.report import amount, counted

    standing, alike = campaign.standing, similar_note(look_alike(getattr(arms, "names", arms)))
    campaign.disconnect()
    if json:
        from json import dumps

        answer(dumps(standing.to_dict() | {"notes": [alike] if alike else []}))
        return
    items = f", {counted(standing.items, 'item')}" if standing.items else ""
    answer(f"{standing.name}: {counted(standing.arms, 'arm')}{items}, a budget of {amount(standing.budget)}")
    if standing.budget < budget:
        say_note(reduced_note(standing.budget, campaign.terms.repeats))
    if alike:
        say_note(alike)
    name, place = quote(standing.name), place_of(db)
    say(f"To take a ticket: thresher ask {name}{place}")
    say(f"To tell its outcome: thresher tell {name} TICKET OUTCOME{place}")
