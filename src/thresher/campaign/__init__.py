"""The state machine of a campaign: commands, events and the rows that they change; no database, no clock.

:mod:`decisions` turns a command into an event, :mod:`transitions` applies an event to :mod:`rows`, :mod:`events` has
the stored form and the hash chain, :mod:`log_replay` computes all rows from a log. :mod:`urgency` ranks arms by the
formulas of the simulator.
"""

from thresher.campaign import decisions, events
from thresher.campaign.events import Event, LogEntry, details_of, read_event, seal
from thresher.campaign.log_replay import Replay, differences, replay
from thresher.campaign.outcomes import count_of, number_of, outcome_of
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
    "Arm",
    "CampaignState",
    "Change",
    "Event",
    "Ledger",
    "LogEntry",
    "Machine",
    "Pull",
    "Replay",
    "Request",
    "Terms",
    "Urgency",
    "amount_of",
    "count_of",
    "decisions",
    "details_of",
    "differences",
    "events",
    "number_of",
    "outcome_of",
    "read_event",
    "replay",
    "seal",
    "ticks_of",
    "whole",
]
