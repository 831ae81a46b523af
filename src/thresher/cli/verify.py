"""``thresher verify``: check the stored data of a campaign."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at


def verify(campaign: Name = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Replay the event log and compare all stored data with it.

    Without the campaign's policy (see --plugin) everything is compared except the order of the arms.

    Example: thresher verify coins
    """
    from thresher.errors import CorruptionError

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

    unchecked = f"; the order of the arms was not checked: {standing.note}" if standing.note else ""
    answer(f"{found.name}: {standing.events} events, all stored data match the log{unchecked}")


def _answer(campaign: str, events: int | None, findings: Sequence[str], *, note: str = "") -> None:
    from json import dumps

    from thresher.cli.show import answer

    document = {"campaign": campaign, "ok": not findings, "events": events, "findings": list(findings)}
    answer(dumps(document | ({"note": note} if note else {})))
