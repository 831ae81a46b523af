"""``thresher list``: the campaigns of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at

if TYPE_CHECKING:
    from thresher.campaign import Standing

One = Annotated[str | None, typer.Argument(metavar="[CAMPAIGN]", help="Only this one.")]
Every = Annotated[bool, typer.Option("--all", help="Archived campaigns too.")]


def list_campaigns(campaign: One = None, every: Every = False, db: Database = DEFAULT, json: Json = False) -> None:
    """List campaigns and their state; archived ones with --all.

    Example: thresher list --db sqlite:///evals.db
    """
    from json import dumps

    from thresher.cli.show import answer, table

    standings = _standings(db, campaign, archived=every)
    counts = [_counts(db, standing) for standing in standings]
    if json:
        rows = [standing.to_dict() | {"counts": found} for standing, found in zip(standings, counts, strict=True)]
        answer(dumps({"campaigns": rows}))
        return
    shown = [_cells(standing, found) for standing, found in zip(standings, counts, strict=True)]
    headers = ["campaign", "status", "decisions", "arms", "budget", "spent", "in flight", "late", "note"]
    kept = len(headers) if any(s.note for s in standings) else len(headers) - 1
    table(headers[:kept], [row[:kept] for row in shown], left=(0, 1, 2, 8), drop=[i for i in (7, 6, 3) if i < kept])


def _cells(standing: Standing, counts: dict[str, int] | None) -> list[str]:
    from thresher.report import NONE, WORDS, amount

    decisions = NONE if counts is None else ", ".join(f"{counts[key]:,} {word}" for key, word in WORDS.items())
    numbers = [amount(getattr(standing, key)) for key in ("arms", "budget", "spent", "outstanding", "late")]
    return [standing.name, standing.status, decisions, *numbers, standing.note]


def _counts(db: str, standing: Standing) -> dict[str, int] | None:
    """Return how many arms pass, fail and are undecided; None if the campaign cannot be judged in this process."""
    if standing.note:
        return None
    with campaign_at(db, standing.name) as found:
        return found.verdicts().counts


def _standings(db: str, name: str | None, *, archived: bool) -> list[Standing]:
    from thresher.campaign import Campaign

    if name is None:
        return Campaign.list(db, archived=archived)
    with campaign_at(db, name) as found:
        return [found.standing]
