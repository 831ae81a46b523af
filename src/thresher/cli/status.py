"""``thresher pause``, ``resume``, ``close``, ``archive`` and ``retire``: what a campaign still measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at, words_of

if TYPE_CHECKING:
    from thresher.campaign import Campaign

Reason = Annotated[str, typer.Option("--reason", help="Kept in the log.")]
Undo = Annotated[bool, typer.Option("--undo", help="Bring an archived campaign back as it was.")]
Arm = Annotated[list[str], typer.Argument(metavar="[CAMPAIGN] ARM", help="Arm to stop measuring.")]


def pause(campaign: Name = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Issue no more tickets, until thresher resume.

    Example: thresher pause coins
    """
    _change(db, campaign, lambda found: found.pause(), json=json)


def resume(campaign: Name = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Issue tickets of a paused campaign again.

    Example: thresher resume coins
    """
    _change(db, campaign, lambda found: found.resume(), json=json)


def close(campaign: Name = None, reason: Reason = "", db: Database = DEFAULT, json: Json = False) -> None:
    """Close a campaign for good: no more tickets.

    Example: thresher close coins --reason "we know enough"
    """
    _change(db, campaign, lambda found: found.close(reason=reason), json=json)


def archive(
    campaign: Name = None, undo: Undo = False, reason: Reason = "", db: Database = DEFAULT, json: Json = False
) -> None:
    """Hide a campaign from lists; it refuses asks and outcomes.

    Nothing is deleted: it can be read, exported and verified. Examples:

        thresher archive coins --reason "superseded by coins-2"

        thresher archive coins --undo
    """
    if undo and reason:
        raise typer.BadParameter("--reason is of an archiving: leave it out with --undo")
    _change(db, campaign, lambda found: found.unarchive() if undo else found.archive(reason=reason), json=json)


def retire(words: Arm, db: Database = DEFAULT, json: Json = False) -> None:
    """Stop measuring an arm; it keeps its verdict.

    Example: thresher retire coins bent
    """
    campaign, (arm,) = words_of(words, ["ARM"], db)
    _change(db, campaign, lambda found: found.retire(arm), json=json, line=f"{arm}: retired")


def _change(
    db: str, name: str | None, change: Callable[[Campaign], None], *, json: bool, line: str | None = None
) -> None:
    """Change a campaign and show its state after that."""
    from json import dumps

    from thresher.cli.show import answer

    with campaign_at(db, name) as found:
        change(found)
        standing = found.standing
    answer(dumps(standing.to_dict()) if json else line or f"{standing.name}: {standing.status}")
