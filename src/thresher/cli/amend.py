"""``thresher amend``: replace an outcome that was told."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, words_of

Words = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] TICKET OUTCOME", help="A number, or yes or no.")]
Reason = Annotated[str, typer.Option("--reason", help="Kept in the log.")]


def amend(words: Words, reason: Reason = "", db: Database = DEFAULT, json: Json = False) -> None:
    """Replace an outcome that was told, or restore a void one.

    The log keeps both events.

    Example: thresher amend coins 1-9f86d081884c7d659a2feaa0c55ad015 no --reason "read it upside down"
    """
    from json import dumps

    from thresher.cli.show import answer
    from thresher.cli.tell import outcome_in

    campaign, (ticket, text) = words_of(words, ["TICKET", "OUTCOME"], db)
    outcome = outcome_in(text)
    with campaign_at(db, campaign) as found:
        found.amend(ticket, outcome, reason=reason)
    done = {"campaign": found.name, "ticket": ticket, "outcome": float(outcome), "reason": reason}
    answer(dumps(done) if json else "amended")
