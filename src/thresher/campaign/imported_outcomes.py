"""Whether the outcomes of a campaign are imported, or measured for tickets."""

from __future__ import annotations

from thresher.campaign.messages import Standing
from thresher.campaign.trajectory import ReadEvents

RECENT = 50  # events that are read


def are_imported(history: ReadEvents, standing: Standing) -> bool:
    """Return whether the newest outcomes came without tickets and none is in flight: workers would be wrong advice.

    Parameters
    ----------
    history : callable
        Reads the log.
    standing : Standing
    """
    if standing.outstanding:
        return False
    for entry in reversed(history(after=max(standing.events - RECENT, 0), limit=RECENT)):
        if entry.kind in ("counted", "imported", "items-told"):
            return True
        if entry.kind in ("asked", "told"):
            return bool(entry.details.get("batch"))
    return False
