"""The campaign object that users hold, in a database or over HTTP.

:class:`Campaign` is the object; it stands on a :class:`Backend`, which is a database here or a service far away.
"""

import logging

from thresher.live.backend import Backend
from thresher.live.campaign import Campaign
from thresher.live.messages import Entry, Receipt, Standing, Ticket
from thresher.live.verdicts import Verdict, Verdicts

# Whoever works with a campaign hears of what was given up, not of every second attempt.
logging.getLogger("stamina").addHandler(logging.NullHandler())

__all__ = ["Backend", "Campaign", "Entry", "Receipt", "Standing", "Ticket", "Verdict", "Verdicts"]
