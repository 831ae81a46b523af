"""The campaign object that users hold, in a database or over HTTP.

:class:`Campaign` is the object; behind it is a database that this process opens (:mod:`local`) or a service
(:mod:`http`).
"""

import logging
from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.live.allocation import AllocatedArm, Allocation
    from thresher.live.async_campaign import AsyncCampaign
    from thresher.live.campaign import Campaign
    from thresher.live.imports import Imported, ImportOptions
    from thresher.live.items import ItemRow, Items
    from thresher.live.messages import Entry, Receipt, Standing, Ticket
    from thresher.live.other_bar import Flip, flips
    from thresher.live.verdicts import ControlStatistics, Verdict, Verdicts

import_lazily(__name__)

# A campaign raises after the last attempt; stamina's log of every retry is not needed.
logging.getLogger("stamina").addHandler(logging.NullHandler())

__all__ = [
    "AllocatedArm",
    "Allocation",
    "AsyncCampaign",
    "Campaign",
    "ControlStatistics",
    "Entry",
    "Flip",
    "ImportOptions",
    "Imported",
    "ItemRow",
    "Items",
    "Receipt",
    "Standing",
    "Ticket",
    "Verdict",
    "Verdicts",
    "flips",
]
