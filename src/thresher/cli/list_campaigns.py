"""``thresher list``: the campaigns of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at

if TYPE_CHECKING:
    from thresher.live import Standing

One = Annotated[str | None, typer.Argument(metavar="[CAMPAIGN]", help="Only this one.")]


def list_campaigns(campaign: One = None, db: Database = DEFAULT, json: Json = False) -> None:
    """List campaigns and their state.

    Example: thresher list --db sqlite:///evals.db
    """
    from json import dumps

    from thresher.cli.show import answer, table

    standings = _standings(db, campaign)
    if json:
        answer(dumps({"campaigns": [standing.to_dict() for standing in standings]}))
        return
    rows = [
        [s.name, s.status, str(s.arms), f"{s.budget:g}", f"{s.spent:g}", f"{s.outstanding:g}", str(s.late), s.note]
        for s in standings
    ]
    headers = ["campaign", "status", "arms", "budget", "spent", "outstanding", "late", "note"]
    shown = len(headers) if any(s.note for s in standings) else len(headers) - 1
    table(headers[:shown], [row[:shown] for row in rows], left=(0, 1, 7), drop=[i for i in (6, 5, 2) if i < shown])


def _standings(db: str, name: str | None) -> list[Standing]:
    from thresher.live import Campaign

    if name is None:
        return Campaign.list(db)
    with campaign_at(db, name) as found:
        return [found.standing]
