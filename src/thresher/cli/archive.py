"""``thresher archive``: hide a campaign, or bring it back."""

from __future__ import annotations

from typing import Annotated

import typer

from thresher.campaign import VERBS
from thresher.cli.campaigns import DEFAULT, Database, Json, Name, Reason
from thresher.cli.verbs import change

Undo = Annotated[bool, typer.Option("--undo", help="Bring an archived campaign back as it was.")]


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
    change(db, campaign, VERBS["unarchive" if undo else "archive"], {} if undo else {"reason": reason}, json=json)
