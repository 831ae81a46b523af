"""``thresher void``: take an outcome out of the statistics."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, words_of

Words = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] TICKET", help="Of the outcome that does not count.")]
Reason = Annotated[str, typer.Option("--reason", help="Kept in the log.")]


def void(words: Words, reason: Reason = "", db: Database = DEFAULT, json: Json = False) -> None:
    """Take an outcome out of the statistics; its unit stays spent, and the log keeps both.

    Example: thresher void coins 1-9f86d081884c7d659a2feaa0c55ad015 --reason "wrong coin"
    """
    from json import dumps

    from thresher.cli.show import answer

    campaign, (ticket,) = words_of(words, ["TICKET"])
    with campaign_at(db, campaign) as found:
        found.void(ticket, reason=reason)
    answer(dumps({"campaign": found.name, "ticket": ticket, "reason": reason}) if json else "void")
