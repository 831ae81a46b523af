"""Shared code of the campaign commands: options for the database and the campaign, and its state as a row."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.usage import DECIDING, QUESTION, RATE, SPENDING
from thresher.errors import MISSING, InvalidInputError
from thresher.terms import Term

if TYPE_CHECKING:
    from thresher.campaign import Campaign

DEFAULT = "sqlite:///thresher.db"
# Groups of the options of terms; the others are about spending.
PANELS_OF_TERMS = {
    **dict.fromkeys(
        (
            "family",
            "low",
            "high",
            "passes",
            "target",
            "repeats",
            "pass_k",
            "quantile",
            "unit",
            "control",
            "margin",
            "tolerance",
        ),
        QUESTION,
    ),
    **dict.fromkeys(("risk", "guarantee", "sigma_check", "false_pass", "false_fail"), DECIDING),
}

Database = Annotated[
    str, typer.Option("--db", envvar="THRESHER_DB", help="Database or service that stores the campaigns.")
]
Name = Annotated[str | None, typer.Argument(metavar="[CAMPAIGN]", help="Optional if there is only one.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Reason = Annotated[str, typer.Option("--reason", help="Kept in the log.")]


def term_option(term: Term, **given: Any) -> Any:
    """Return the option of a term: with its flags and its help, unless `given` has another one."""
    usual = {"help": term_help(term), "rich_help_panel": PANELS_OF_TERMS.get(term.name, SPENDING)}
    return typer.Option(*term.flags, **usual | (RATE if term.is_rate else {}) | given)


def term_help(term: Term) -> str:
    """Return the help of a term's option: what it does, and the choices if there are any."""
    return f"{term.help.rstrip('.')}: {', '.join(term.choices)}." if term.choices else term.help


def reduced_note(budget: float, repeats: int = 1) -> str:
    """Return the note about a budget above what the measurements of a new campaign can cost."""
    from thresher.campaign import most_of_items
    from thresher.report import amount

    return f"the budget is reduced to {amount(budget)}: {most_of_items(repeats)}"


def check_arm_names(names: Sequence[str]) -> None:
    """Raise InvalidInputError if the only arm looks like a list of arms."""
    if len(names) == 1 and "," in names[0]:
        each = " ".join(f"--arm {shlex.quote(name.strip())}" for name in names[0].split(",") if name.strip())
        fix = f"write {each}; a name with commas comes from a file of arms"
        raise InvalidInputError("--arm", names[0], rule="must be one name, and the option repeated for each", fix=fix)


def words_of(words: Sequence[str], names: Sequence[str], address: str) -> tuple[str | None, list[str]]:
    """Return the campaign, if it is named, and the words that follow it: `names` are what these stand for.

    Raises
    ------
    typer.BadParameter
        If there are more or fewer words than the command takes, or the first one is a campaign at this address.
    """
    if len(words) == len(names) and not (words and _is_campaign(words[0], address)):
        return None, list(words)
    if len(words) == len(names) + 1:
        return words[0], list(words[1:])
    from thresher.problem import number_in

    unknown = next((word for word in words if word.startswith("-") and number_in(word) is None), None)
    if unknown is not None:
        raise typer.BadParameter(f"No such option: {unknown}")
    given, rule = " ".join(words) or MISSING, " ".join(["must be [CAMPAIGN]", *names])
    raise typer.BadParameter(str(InvalidInputError("what follows the command", given, rule=rule)))


def _is_campaign(word: str, address: str) -> bool:
    """Return whether a word is the name of a campaign at an address; a ticket and an amount begin with a digit."""
    from thresher.campaign import Campaign

    return not word[:1].isdigit() and word in [standing.name for standing in Campaign.list(address, archived=True)]


@contextmanager
def campaign_at(address: str, name: str | None) -> Iterator[Campaign]:
    """Open the named campaign, or the only one, and close it at the end.

    Raises
    ------
    UnknownCampaignError
        If there is none of that name, or none is named and there is not exactly one.
    """
    from thresher.campaign import Campaign

    campaign = Campaign.open(address, only_campaign(address) if name is None else name)
    try:
        yield campaign
    finally:
        campaign.disconnect()


def only_campaign(address: str) -> str:
    """Return the name of the only campaign at an address; raise UnknownCampaignError if there is not exactly one.

    Archived campaigns count only if there are no others.
    """
    from thresher.campaign import Campaign
    from thresher.errors import UnknownCampaignError

    standings = Campaign.list(address, archived=True)
    names = [standing.name for standing in standings if standing.status != "archived"] or [
        standing.name for standing in standings
    ]
    if len(names) != 1:
        raise UnknownCampaignError("", names)
    return names[0]
