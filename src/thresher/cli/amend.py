"""``thresher amend``: replace an outcome that was told."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Reason, campaign_at, words_of

Words = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] TICKET OUTCOME", help="A number, or yes or no.")]
Count = Annotated[
    int | None, typer.Option("--count", help="Of an aggregate: its number of outcomes; OUTCOME is their sum.")
]
Squares = Annotated[float | None, typer.Option("--squares", help="Of an aggregate: the sum of its squared outcomes.")]


def amend(
    words: Words,
    count: Count = None,
    squares: Squares = None,
    reason: Reason = "",
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Replace an outcome that was told, or restore a void one.

    The log keeps both events. Examples:

        thresher amend coins 1-9f86d081884c7d659a2feaa0c55ad015 no --reason "read it upside down"

        thresher amend pages 7-9f86d081884c7d659a2feaa0c55ad015 26 --count 1000
    """
    from json import dumps

    from thresher.cli.show import answer
    from thresher.cli.tell import outcome_in

    campaign, (ticket, text) = words_of(words, ["TICKET", "OUTCOME"], db)
    outcome = outcome_in(text)
    with campaign_at(db, campaign) as found:
        found.amend(ticket, outcome, n=count, squares=squares, reason=reason)
    done = {"campaign": found.name, "ticket": ticket, "outcome": float(outcome), "reason": reason}
    done |= {} if count is None else {"count": count}
    answer(dumps(done) if json else "amended")
