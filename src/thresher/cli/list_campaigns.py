"""``thresher list``: the campaigns of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thresher.cli.campaigns import DEFAULT, Database, Json

if TYPE_CHECKING:
    from thresher.live import Standing


def list_campaigns(db: Database = DEFAULT, json: Json = False) -> None:
    """List campaigns and how they stand.

    Example: thresher list --db sqlite:///evals.db
    """
    from json import dumps

    from thresher.cli.show import answer, table
    from thresher.live import Campaign

    standings = Campaign.list(db)
    if json:
        answer(dumps({"campaigns": [standing.to_dict() for standing in standings]}))
        return
    rows = [
        [s.name, _status(s), str(s.arms), f"{s.budget:g}", f"{s.spent:g}", f"{s.outstanding:g}", str(s.late)]
        for s in standings
    ]
    table(["campaign", "status", "arms", "budget", "spent", "outstanding", "late"], rows, left=(0, 1))


def _status(standing: Standing) -> str:
    return standing.status if standing.is_open or standing.status == "closed" else "ended"
