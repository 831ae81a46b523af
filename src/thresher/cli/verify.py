"""``thresher verify``: whether everything is stored as it was written."""

from __future__ import annotations

from collections.abc import Sequence

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at


def verify(campaign: Name = None, db: Database = DEFAULT, json: Json = False) -> None:
    """Replay the log of a campaign and compare everything that is stored with it.

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
        events = found.standing.events
    if json:
        _answer(found.name, events, [])
        return
    from thresher.cli.show import answer

    answer(f"{found.name}: {events} events, everything is as it was written")


def _answer(campaign: str, events: int | None, findings: Sequence[str]) -> None:
    from json import dumps

    from thresher.cli.show import answer

    answer(dumps({"campaign": campaign, "ok": not findings, "events": events, "findings": list(findings)}))
