"""``thresher verify``: check the stored data of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at
from thresher.errors import CorruptionError

Every = Annotated[bool, typer.Option("--all", help="Verify every campaign of the database, one after the other.")]


def verify(campaign: Name = None, every: Every = False, db: Database = DEFAULT, json: Json = False) -> None:
    """Replay the event log and compare all stored data with it.

    Without the campaign's policy (see --plugin) everything is compared except the order of the arms.

    Examples: thresher verify coins; thresher verify --all
    """
    if every:
        if campaign is not None:
            raise typer.BadParameter("--all verifies every campaign: leave the name out")
        _verify_all(db, json=json)
        return
    with campaign_at(db, campaign) as found:
        try:
            found.verify()
        except CorruptionError as error:
            if json:
                _answer(found.name, None, error.findings)
            raise
        standing = found.standing
    if json:
        _answer(found.name, standing.events, [], note=standing.note)
        return
    from thresher.cli.show import answer
    from thresher.number_text import counted

    unchecked = f"; the order of the arms was not checked: {standing.note}" if standing.note else ""
    answer(f"{found.name}: {counted(standing.events, 'event')}, all stored data match the log{unchecked}")


def _verify_all(db: str, *, json: bool) -> None:
    """Verify every campaign, even after a failure; then raise the first error."""
    from json import dumps

    from thresher.campaign import Campaign
    from thresher.cli.show import answer
    from thresher.report import counted

    documents, first = list[dict[str, Any]](), None
    for standing in Campaign.list(db, archived=True):
        with campaign_at(db, standing.name) as found:
            try:
                found.verify()
                documents.append(_document(standing.name, found.standing.events, [], note=standing.note))
            except CorruptionError as error:
                first = first or error
                documents.append(_document(standing.name, None, error.findings))
        if not json:
            answer(f"{standing.name}: {'all stored data match the log' if documents[-1]['ok'] else 'DAMAGED'}")
    if json:
        answer(dumps({"campaigns": documents}))
    elif first is None:
        answer(f"{counted(len(documents), 'campaign')} verified")
    if first is not None:
        raise first


def _answer(campaign: str, events: int | None, findings: Sequence[str], *, note: str = "") -> None:
    from json import dumps

    from thresher.cli.show import answer

    answer(dumps(_document(campaign, events, findings, note=note)))


def _document(campaign: str, events: int | None, findings: Sequence[str], *, note: str = "") -> dict[str, Any]:
    document = {"campaign": campaign, "ok": not findings, "events": events, "findings": list(findings)}
    return document | ({"note": note} if note else {})
