"""``thresher list``: the campaigns of a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, campaign_at

if TYPE_CHECKING:
    from thresher.campaign import Standing

One = Annotated[str | None, typer.Argument(metavar="[CAMPAIGN]", help="Only this one.")]
Every = Annotated[bool, typer.Option("--all", help="Archived campaigns too.")]
RARE = ("in flight", "late", "note")  # columns that are shown if a campaign has something there
NOTHING = ("", "0")
DROPPED = ("late", "in flight", "arms")  # columns that a narrow terminal leaves out, in this order


def list_campaigns(campaign: One = None, every: Every = False, db: Database = DEFAULT, json: Json = False) -> None:
    """List campaigns and their state; archived ones with --all.

    Example: thresher list --db sqlite:///evals.db
    """
    from json import dumps

    from thresher.cli.show import answer, table
    from thresher.report import WORDS

    standings = _standings(db, campaign, archived=every)
    counts = [_counts(db, standing) for standing in standings]
    if json:
        rows = [standing.to_dict() | {"counts": found} for standing, found in zip(standings, counts, strict=True)]
        answer(dumps({"campaigns": rows}))
        return
    shown = [_cells(standing, found) for standing, found in zip(standings, counts, strict=True)]
    headers = ["campaign", "status", *WORDS.values(), "arms", "budget", "spent", "in flight", "late", "note"]
    kept = [i for i, header in enumerate(headers) if header not in RARE or any(row[i] not in NOTHING for row in shown)]
    table(
        [headers[i] for i in kept],
        [[row[i] for i in kept] for row in shown],
        left=[kept.index(i) for i in (0, 1, len(headers) - 1) if i in kept],
        drop=[kept.index(i) for i in map(headers.index, DROPPED) if i in kept],
    )


def _cells(standing: Standing, counts: dict[str, int] | None) -> list[str]:
    from thresher.report import NONE, WORDS, amount

    decisions = [NONE if counts is None else amount(counts[key]) for key in WORDS]
    numbers = [amount(getattr(standing, key)) for key in ("arms", "budget", "spent", "outstanding", "late")]
    return [standing.name, standing.status, *decisions, *numbers, standing.note]


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
