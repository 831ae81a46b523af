"""``thresher ask``: which arm to measure next."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at

Count = Annotated[int, typer.Option("--count", "-n", min=1, help="How many tickets.")]
Key = Annotated[str | None, typer.Option("--key", help="Idempotency key: repeating it returns the same tickets.")]

NO_TICKETS = {  # why there are none, by the status of the campaign
    "open": "Others hold the rest of the budget: ask again later.",
    "paused": "The campaign is paused: ask again after 'thresher resume'.",
    "ended": "The campaign has ended.",
}


def ask(campaign: Name = None, count: Count = 1, key: Key = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Take tickets: what to measure next.

    Each line is a ticket, the arm to measure, and the item if the campaign has items; where items are asked several
    times, for which time it is asked.

    Example: thresher ask coins -n 5
    """
    from json import dumps

    from thresher.cli.show import answer, say

    with campaign_at(db, campaign) as found:
        tickets, has_repeats = found.ask(count, key=key), found.terms.repeats > 1
        if json:
            rows = [
                {"id": t.id, "arm": t.arm, "item": t.item, "repeat": t.repeat, "expires": t.expires.isoformat()}
                for t in tickets
            ]
            answer(dumps({"tickets": rows, "is_open": bool(tickets) or found.is_open}))
            return
        for ticket in tickets:
            item = [] if ticket.item is None else [ticket.item]
            answer("\t".join([ticket.id, ticket.arm, *item, *([str(ticket.repeat)] if has_repeats else [])]))
        if not tickets:
            say(NO_TICKETS.get(found.standing.status, NO_TICKETS["ended"]))
