"""Whether the outcomes of a campaign are imported, or measured for tickets."""

from __future__ import annotations

from thresher.campaign.trajectory import ReadEvents

RECENT = 50  # events that are read


def are_imported(history: ReadEvents, events: int) -> bool:
    """Return whether the newest outcomes came without tickets: workers would be the wrong advice.

    Parameters
    ----------
    history : callable
        Reads the log.
    events : int
        Number of the last event.
    """
    for entry in reversed(history(after=max(events - RECENT, 0), limit=RECENT)):
        if entry.kind in ("counted", "imported", "items-told"):
            return True
        if entry.kind in ("asked", "told"):
            return bool(entry.details.get("batch"))
    return False
