"""Campaigns as users hold them.

:class:`Campaign` is the object; it stands on a :class:`Backend`, which is a database here or a service far away.
"""

from thresher.live.backend import Backend
from thresher.live.campaign import Campaign
from thresher.live.messages import Entry, Receipt, Standing, Ticket
from thresher.live.verdicts import Verdict, Verdicts

__all__ = ["Backend", "Campaign", "Entry", "Receipt", "Standing", "Ticket", "Verdict", "Verdicts"]
