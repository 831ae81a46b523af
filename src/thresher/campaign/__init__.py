"""The state machine of a campaign: commands, events and the rows that they change; no database, no clock.

:mod:`decisions` says what is to happen when somebody asks or tells, :mod:`transitions` what changes when it happens,
:mod:`events` how it is written down and sealed, :mod:`replay` what a log adds up to. Arms are ranked by the formulas of
the simulator (:mod:`urgency`), so that what is simulated is what runs.
"""

from thresher.campaign import decisions, events
from thresher.campaign.events import Event, Happening, details_of, read_happening, seal
from thresher.campaign.outcomes import count_of, number_of, outcome_of
from thresher.campaign.replay import Replay, differences, replay
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
from thresher.campaign.state import Change, State
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
    "Change",
    "Event",
    "Happening",
    "Ledger",
    "Machine",
    "Pull",
    "Replay",
    "Request",
    "State",
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
    "read_happening",
    "replay",
    "seal",
    "ticks_of",
    "whole",
]
