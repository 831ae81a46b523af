"""``thresher tell``: what came out."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, words_of

Words = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] TICKET OUTCOME", help="A number, or yes or no.")]
TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def tell(words: Words, db: Database = DEFAULT, json: Json = False) -> None:
    """Bring the outcome of a ticket; telling it again changes nothing.

    Example: thresher tell coins 1-9f86d081884c7d659a2feaa0c55ad015 yes
    """
    from dataclasses import asdict
    from json import dumps

    from thresher.cli.show import answer, say

    campaign, (ticket, text) = words_of(words, ["TICKET", "OUTCOME"])
    with campaign_at(db, campaign) as found:
        receipt = found.tell(ticket, _outcome(text))
    if json:
        answer(dumps(asdict(receipt)))
        return
    answer(f"{receipt.arm}: {'told before' if receipt.replayed else 'told'}")
    if not receipt.used:
        say("Note: it came too late and does not count; it is kept and shown.")


def _outcome(text: str) -> Any:
    if text.lower() in TRUTHS:
        return TRUTHS[text.lower()]
    try:
        return float(text)
    except ValueError:
        return text  # which the campaign refuses in its own words
