"""The state machine of a campaign: commands, events and the rows that they change; no database, no clock.

:mod:`decisions`, :mod:`corrections`, :mod:`item_decisions`, :mod:`signal_decisions` and :mod:`import_decisions` turn a
command into an event,
:mod:`transitions` applies it to :mod:`rows`, :mod:`events` has the stored form and the hash chain, :mod:`log_replay`
computes all rows from a log. :mod:`urgency` ranks arms by the formulas of the simulator, :mod:`choosing` takes the
first that can be paid. :mod:`sources` computes what imports told from the log, :mod:`import_plans` what a new version
of a file changes.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.campaign import corrections, decisions, events, import_decisions, item_decisions, signal_decisions
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
    from thresher.campaign.import_decisions import ImportCommand, NewAggregate, NewItemOutcome, ReducedAggregate
    from thresher.campaign.import_plans import VersionPlan, join_files, likely_copy, plan_versions
    from thresher.campaign.item_order import arms_that_took
    from thresher.campaign.item_plans import plan_item_versions
    from thresher.campaign.line_sets import LineSet
    from thresher.campaign.log_replay import Replay, differences, replay
    from thresher.campaign.outcomes import Aggregate, cost_of, count_of, number_of, outcome_of, squares_of
    from thresher.campaign.progress import Progress, progress_of
    from thresher.campaign.refits import Answer, Refit, answers_in, is_due, refit_of, table_of
    from thresher.campaign.rows import (
        ARCHIVED,
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
    from thresher.campaign.scoring import score_table
    from thresher.campaign.signals import KnownSignals, Signal, known_of
    from thresher.campaign.sources import (
        IMPORT_KINDS,
        ITEMS,
        LINES,
        CountLine,
        EarlierPull,
        ImportLog,
        ItemLine,
        Version,
        hash_of,
        import_key,
    )
    from thresher.campaign.state import CampaignState, Change
    from thresher.campaign.terms import Terms
    from thresher.campaign.transitions import Machine
    from thresher.campaign.urgency import Urgency
    from thresher.problem.money import amount_of, ticks_of
    from thresher.problem.numbers import whole

import_lazily(__name__)

__all__ = [
    "ARCHIVED",
    "CLOSED",
    "GENESIS",
    "IMPORT_KINDS",
    "ITEMS",
    "LAPSED",
    "LINES",
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
    "CountLine",
    "EarlierPull",
    "Event",
    "ImportCommand",
    "ImportLog",
    "Item",
    "ItemLine",
    "KnownSignals",
    "Ledger",
    "LineSet",
    "LogEntry",
    "Machine",
    "NewAggregate",
    "NewItemOutcome",
    "Progress",
    "Pull",
    "ReducedAggregate",
    "Refit",
    "Replay",
    "Request",
    "Signal",
    "Terms",
    "Urgency",
    "Version",
    "VersionPlan",
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
    "hash_of",
    "import_decisions",
    "import_key",
    "is_due",
    "item_decisions",
    "join_files",
    "known_of",
    "likely_copy",
    "number_of",
    "outcome_of",
    "plan_item_versions",
    "plan_versions",
    "progress_of",
    "pulls_of_changed_arms",
    "read_event",
    "refit_of",
    "replay",
    "score_table",
    "seal",
    "signal_decisions",
    "squares_of",
    "table_of",
    "ticks_of",
    "whole",
]
