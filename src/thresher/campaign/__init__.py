"""Decide for real: the campaign object that users hold, in a database or over HTTP.

:class:`Campaign` is the object; behind it is a database that this process opens (:mod:`local`) or a service
(:mod:`http`).
"""

import logging
from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.campaign.allocation import AllocatedArm, Allocation
    from thresher.campaign.arms import arm_rows, first_rows
    from thresher.campaign.async_campaign import AsyncCampaign
    from thresher.campaign.backoff import JITTER, with_retries
    from thresher.campaign.campaign import Campaign
    from thresher.campaign.creation import first_events
    from thresher.campaign.imported_outcomes import are_imported
    from thresher.campaign.imports import Imported, ImportOptions, ImportPlan, Progress, plan_import
    from thresher.campaign.interval_history import running_intervals
    from thresher.campaign.items import MOST_ITEMS, ItemRow, Items, item_names, items_in, most_of_items, read_items
    from thresher.campaign.judge_agreement import judge_document
    from thresher.campaign.local import LocalBackend
    from thresher.campaign.messages import Entry, Receipt, Standing, Ticket, moment
    from thresher.campaign.other_bar import Flip, flips, takes_another_bar
    from thresher.campaign.overview import Overview, overview_of, view_of_items, view_of_judge
    from thresher.campaign.service_tokens import ServiceTokens
    from thresher.campaign.similar_names import SimilarNamesWarning, look_alike, similar_note
    from thresher.campaign.trajectory import MOST_EVENTS, Trajectory
    from thresher.campaign.verbs import VERBS, Command, Verb, Verbs
    from thresher.campaign.verdicts import ControlStatistics, Spending, Verdict, Verdicts, said_under
    from thresher.campaign.wire import FACTS, INPUT_FACTS, type_of

import_lazily(__name__)

# A campaign raises after the last attempt; stamina's log of every retry is not needed.
logging.getLogger("stamina").addHandler(logging.NullHandler())

__all__ = [
    "FACTS",
    "INPUT_FACTS",
    "JITTER",
    "MOST_EVENTS",
    "MOST_ITEMS",
    "VERBS",
    "AllocatedArm",
    "Allocation",
    "AsyncCampaign",
    "Campaign",
    "Command",
    "ControlStatistics",
    "Entry",
    "Flip",
    "ImportOptions",
    "ImportPlan",
    "Imported",
    "ItemRow",
    "Items",
    "LocalBackend",
    "Overview",
    "Progress",
    "Receipt",
    "ServiceTokens",
    "SimilarNamesWarning",
    "Spending",
    "Standing",
    "Ticket",
    "Trajectory",
    "Verb",
    "Verbs",
    "Verdict",
    "Verdicts",
    "are_imported",
    "arm_rows",
    "first_events",
    "first_rows",
    "flips",
    "item_names",
    "items_in",
    "judge_document",
    "look_alike",
    "moment",
    "most_of_items",
    "overview_of",
    "plan_import",
    "read_items",
    "running_intervals",
    "said_under",
    "similar_note",
    "takes_another_bar",
    "type_of",
    "view_of_items",
    "view_of_judge",
    "with_retries",
]
