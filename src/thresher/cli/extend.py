"""``thresher extend``: add to the budget."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, campaign_at, words_of

Words = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] AMOUNT", help="How much to add to the budget.")]
Key = Annotated[str | None, typer.Option("--key", help="Said again with the same key: added once.")]


def extend(words: Words, key: Key = None, db: Database = DEFAULT) -> None:
    """Add to the budget of a campaign.

    Example: thresher extend coins 100
    """
    from thresher.cli.show import answer

    campaign, (text,) = words_of(words, ["AMOUNT"])
    try:
        amount = float(text)
    except ValueError as error:
        raise typer.BadParameter(f"the amount {text!r} is no number") from error
    with campaign_at(db, campaign) as found:
        found.extend(amount, key=key)
        answer(f"{found.name}: a budget of {found.budget:g}")
