"""``thresher verify``: whether everything is stored as it was written."""

from __future__ import annotations

from thresher.cli.campaigns import DEFAULT, Database, Name, campaign_at


def verify(campaign: Name = None, db: Database = DEFAULT) -> None:
    """Replay the log of a campaign and compare everything that is stored with it.

    Example: thresher verify coins
    """
    from thresher.cli.show import answer

    with campaign_at(db, campaign) as found:
        found.verify()
        answer(f"{found.name}: {found.standing.events} events, everything is as it was written")
