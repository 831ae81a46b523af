"""``thresher void``: remove an outcome, or all outcomes of an import, from the statistics."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Reason, campaign_at, words_of

Words = Annotated[
    list[str] | None, typer.Argument(metavar="[CAMPAIGN] TICKET", help="Ticket of the outcome to remove.")
]
Import = Annotated[
    str | None, typer.Option("--import", help="Instead of a ticket: the id that 'thresher tell --from' printed.")
]


def void(
    words: Words = None,
    batch: Import = None,
    reason: Reason = "",
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Remove an outcome, or all of an import, from the statistics.

    Its cost stays spent, and the log keeps both events.

    With --import all outcomes of a file; the file can then be imported again. Examples:

        thresher void coins 1-9f86d081884c7d659a2feaa0c55ad015 --reason "wrong coin"

        thresher void coins --import 4e07408562be
    """
    from json import dumps

    from thresher.cli.show import answer
    from thresher.report import counted

    campaign, tickets = words_of(words or [], ["TICKET"] if batch is None else [], db)
    done: dict[str, Any] = {"reason": reason}
    with campaign_at(db, campaign) as found:
        if batch is None:
            found.void(tickets[0], reason=reason)
            done["ticket"] = tickets[0]
        else:
            done |= {"import": batch, "voided": found.void_import(batch, reason=reason)}
    line = "void" if batch is None else f"void: {counted(done['voided'], 'outcome')} of the import {batch}"
    answer(dumps({"campaign": found.name} | done) if json else line)
