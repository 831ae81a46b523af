"""What is concluded from the stored rows of a campaign: verdicts, the difficulty of items, and whether to stop."""

from __future__ import annotations

from typing import Any

from thresher.campaign import OPEN, CampaignState
from thresher.live.items import Items
from thresher.live.judge import judge
from thresher.live.outcome_checks import DependenceCheck, spread_warnings
from thresher.live.seen_arms import question_of
from thresher.live.stored_campaign import StoredCampaign
from thresher.live.told_items import outcomes_of
from thresher.live.verdicts import Verdicts
from thresher.policy.answers import answers_of


class CampaignJudging:
    """The conclusions from one campaign in a storage."""

    def __init__(self, campaign: StoredCampaign) -> None:
        self._campaign, self._machine = campaign, campaign.machine
        self._next_look, self._looked_at, self._is_enough = 0, -1, False
        self._dependence_check = DependenceCheck(campaign.terms)

    def has_enough(self, state: CampaignState) -> bool:
        """Return whether no more mistakes are expected than the terms allow, so that no ticket is issued.

        This reads every arm, so it is done only after a tenth more outcomes: of the arms, or of the outcomes so far;
        where it was so, at every change, because a correction may make it otherwise.
        """
        ledger, most = state.ledger, self._campaign.terms.stop_mistakes
        if not most or state.requests or ledger.status != OPEN or ledger.told < ledger.arms:
            return False
        if ledger.seq != self._looked_at and (self._is_enough or ledger.told >= self._next_look):
            self._looked_at, self._next_look = ledger.seq, ledger.told + 1 + max(ledger.arms, ledger.told) // 10
            found = self.quick_verdicts()
            is_measured = all(row.pulls or row.retired for row in found)
            self._is_enough = is_measured and found.expected_mistakes <= most
        return self._is_enough

    def quick_verdicts(self) -> Verdicts:
        """Return one row for each arm, without the check of independence, in half the time."""
        with self._campaign.snapshot() as now:
            ledger, arms = now.ledger(), now.arms()
            answers = now.answers() if ledger.pools else []
        return judge(self._machine, arms, outcomes_of(self._campaign.name, ledger, answers) if ledger.pools else None)

    def verdicts_as_of(self, **given: Any) -> tuple[int, Verdicts]:
        """Return the number of the last event, and the verdicts after it."""
        with self._campaign.snapshot() as now:
            ledger, arms = now.ledger(), now.arms()
            answers = now.answers() if ledger.pools else []
            # The items of an arm come in a random order, so that a drift of the items shows as little as it matters.
            pulls = None if ledger.pools else self._dependence_check.pulls(now, arms)
        outcomes = outcomes_of(self._campaign.name, ledger, answers) if ledger.pools else None
        found, warnings = judge(self._machine, arms, outcomes, **given), self._dependence_check.warnings(arms, pulls)
        return ledger.seq, found.noting([*warnings, *spread_warnings(self._campaign.terms, arms)])

    def items(self) -> Items:
        """Return what is known of each item, and the outcomes of all arms on it."""
        with self._campaign.snapshot() as now:
            ledger, arms, items, answers = now.ledger(), now.arms(), now.items(), now.answers()
        names = [arm.name for arm in arms]
        if not items:
            return Items.from_rows(names, ())
        outcomes = outcomes_of(self._campaign.name, ledger, answers)
        known = answers_of(question_of(self._campaign.terms, arms, items=len(items)), outcomes)
        return Items(names, [item.name for item in items], outcomes, known.effects, float(known.fit.share))
