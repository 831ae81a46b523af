"""``thresher extend``: add to the budget."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at, words_of

Words = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] AMOUNT", help="How much to add to the budget.")]
Key = Annotated[str | None, typer.Option("--key", help="Idempotency key: repeating it adds the amount once.")]


def extend(words: Words, key: Key = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Add to the budget of a campaign.

    Example: thresher extend coins 100
    """
    from json import dumps

    from thresher.cli.show import answer
    from thresher.report import amount

    campaign, (text,) = words_of(words, ["AMOUNT"], db)
    try:
        more = float(text)
    except ValueError as error:
        raise typer.BadParameter(f"the amount is {text!r}; must be a number") from error
    with campaign_at(db, campaign) as found:
        found.extend(more, key=key)
        standing = found.standing
    answer(dumps(standing.to_dict()) if json else f"{standing.name}: a budget of {amount(standing.budget)}")
