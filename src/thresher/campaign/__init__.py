"""The state machine of a campaign: commands, events and the rows that they change; no database, no clock.

:mod:`decisions`, :mod:`corrections` and :mod:`item_decisions` turn a command into an event, :mod:`transitions` applies
it to :mod:`rows`, :mod:`events` has the stored form and the hash chain, :mod:`log_replay` computes all rows from a log.
:mod:`urgency` ranks arms by the formulas of the simulator, :mod:`choosing` takes the first that can be paid.
"""

from thresher.campaign import corrections, decisions, events, item_decisions
from thresher.campaign.comparison import Comparison
from thresher.campaign.events import (
    Event,
    LogEntry,
    changed_pulls,
    details_of,
    pulls_of_changed_arms,
    read_event,
    seal,
)
from thresher.campaign.item_order import arms_that_took
from thresher.campaign.log_replay import Replay, differences, replay
from thresher.campaign.outcomes import Aggregate, cost_of, count_of, number_of, outcome_of
from thresher.campaign.refits import Answer, Refit, answers_in, is_due, refit_of, table_of
from thresher.campaign.rows import (
    CLOSED,
    GENESIS,
    LAPSED,
    OPEN,
    OUT,
    PAUSED,
    TOLD,
    UNUSED,
    VOID,
    Arm,
    Item,
    Ledger,
    Pull,
    Request,
)
from thresher.campaign.state import CampaignState, Change
from thresher.campaign.terms import Terms
from thresher.campaign.transitions import Machine
from thresher.campaign.urgency import Urgency
from thresher.problem.money import amount_of, ticks_of
from thresher.problem.numbers import whole

__all__ = [
    "CLOSED",
    "GENESIS",
    "LAPSED",
    "OPEN",
    "OUT",
    "PAUSED",
    "TOLD",
    "UNUSED",
    "VOID",
    "Aggregate",
    "Answer",
    "Arm",
    "CampaignState",
    "Change",
    "Comparison",
    "Event",
    "Item",
    "Ledger",
    "LogEntry",
    "Machine",
    "Pull",
    "Refit",
    "Replay",
    "Request",
    "Terms",
    "Urgency",
    "amount_of",
    "answers_in",
    "arms_that_took",
    "changed_pulls",
    "corrections",
    "cost_of",
    "count_of",
    "decisions",
    "details_of",
    "differences",
    "events",
    "is_due",
    "item_decisions",
    "number_of",
    "outcome_of",
    "pulls_of_changed_arms",
    "read_event",
    "refit_of",
    "replay",
    "seal",
    "table_of",
    "ticks_of",
    "whole",
]
