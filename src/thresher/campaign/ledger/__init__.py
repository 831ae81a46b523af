"""The state machine of a campaign: commands, events and the rows that they change; no database, no clock.

:mod:`decisions`, :mod:`corrections`, :mod:`item_decisions`, :mod:`signal_decisions` and :mod:`import_decisions` turn a
command into an event,
:mod:`transitions` applies it to :mod:`rows`, :mod:`events` has the stored form and the hash chain, :mod:`log_replay`
computes all rows from a log. :mod:`sort_keys` ranks arms by the formulas of the simulator, :mod:`choosing` takes the
first that can be paid. :mod:`sources` computes what imports told from the log, :mod:`import_plans` what a new version
of a file changes.
"""

from typing import TYPE_CHECKING

from thresher.lazy import import_lazily

if TYPE_CHECKING:
    from thresher.campaign.ledger import (
        corrections,
        decisions,
        events,
        import_decisions,
        item_decisions,
        signal_decisions,
    )
    from thresher.campaign.ledger.asked_items import item_pulls_in, known_with_order
    from thresher.campaign.ledger.choosing import ArmAndItem
    from thresher.campaign.ledger.control import ControlRanking
    from thresher.campaign.ledger.events import (
        Event,
        LogEntry,
        changed_pulls,
        details_of,
        pulls_of_changed_arms,
        read_event,
        seal,
    )
    from thresher.campaign.ledger.import_decisions import ImportCommand, NewAggregate, NewItemOutcome, ReducedAggregate
    from thresher.campaign.ledger.import_plans import VersionPlan, join_files, likely_copy, plan_versions
    from thresher.campaign.ledger.item_order import arms_that_took
    from thresher.campaign.ledger.item_plans import plan_item_versions
    from thresher.campaign.ledger.line_sets import LineSet
    from thresher.campaign.ledger.log_replay import Replay, differences, replay
    from thresher.campaign.ledger.outcomes import Aggregate, cost_of, count_of, number_of, outcome_of, squares_of
    from thresher.campaign.ledger.refits import Answer, Refit, answers_in, is_due, refit_of, table_of
    from thresher.campaign.ledger.rows import (
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
    from thresher.campaign.ledger.scoring import score_table
    from thresher.campaign.ledger.signal_decisions import PastArm, Score, score_of
    from thresher.campaign.ledger.signals import NOTHING, KnownSignals, Signal, known_of
    from thresher.campaign.ledger.sort_keys import SortKeys
    from thresher.campaign.ledger.sources import (
        IMPORT_KINDS,
        ITEMS,
        LINES,
        CountLine,
        EarlierPull,
        ImportLog,
        ItemKey,
        ItemLine,
        Version,
        hash_of,
        import_key,
    )
    from thresher.campaign.ledger.state import CampaignState, Change
    from thresher.campaign.ledger.terms import Terms
    from thresher.campaign.ledger.transitions import Machine

import_lazily(__name__)

__all__ = [
    "ARCHIVED",
    "CLOSED",
    "GENESIS",
    "IMPORT_KINDS",
    "ITEMS",
    "LAPSED",
    "LINES",
    "NOTHING",
    "OPEN",
    "OUT",
    "PAUSED",
    "TOLD",
    "UNUSED",
    "VOID",
    "Aggregate",
    "Answer",
    "Arm",
    "ArmAndItem",
    "CampaignState",
    "Change",
    "ControlRanking",
    "CountLine",
    "EarlierPull",
    "Event",
    "ImportCommand",
    "ImportLog",
    "Item",
    "ItemKey",
    "ItemLine",
    "KnownSignals",
    "Ledger",
    "LineSet",
    "LogEntry",
    "Machine",
    "NewAggregate",
    "NewItemOutcome",
    "PastArm",
    "Pull",
    "ReducedAggregate",
    "Refit",
    "Replay",
    "Request",
    "Score",
    "Signal",
    "SortKeys",
    "Terms",
    "Version",
    "VersionPlan",
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
    "item_pulls_in",
    "join_files",
    "known_of",
    "known_with_order",
    "likely_copy",
    "number_of",
    "outcome_of",
    "plan_item_versions",
    "plan_versions",
    "pulls_of_changed_arms",
    "read_event",
    "refit_of",
    "replay",
    "score_of",
    "score_table",
    "seal",
    "signal_decisions",
    "squares_of",
    "table_of",
]
