"""What is concluded from the stored rows of a campaign: verdicts, the difficulty of items, and whether to stop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from thresher.campaign.items import Items
from thresher.campaign.ledger import (
    NOTHING,
    OPEN,
    Arm,
    CampaignState,
    KnownSignals,
    Ledger,
    known_with_order,
    score_table,
)
from thresher.campaign.ledger import events as e
from thresher.campaign.outcome_checks import OutcomeChecks
from thresher.campaign.quantile_rows import OutcomeStatistics, outcome_statistics
from thresher.campaign.storage import Snapshot
from thresher.campaign.stored_campaign import StoredCampaign
from thresher.campaign.told_items import outcomes_of
from thresher.campaign.verdict_pipeline import Progress, judge, progress_of, question_of
from thresher.campaign.verdicts import Spending, Verdicts
from thresher.errors import InvalidInputError
from thresher.inference import Agreement, agreement_of, answers_of
from thresher.inference.guarantees import RULES
from thresher.problem import amount_of
from thresher.report import judge_note, judge_warnings
from thresher.types import Floats


class CampaignJudging:
    """The conclusions from one campaign in a storage."""

    def __init__(self, campaign: StoredCampaign) -> None:
        self._campaign, self._machine, self._terms = campaign, campaign.machine, campaign.terms
        self._storage, self._number = campaign.storage, campaign.heading.id
        self._next_look, self._looked_at, self._is_enough = 0, -1, False
        self._checks = OutcomeChecks(self._terms)
        self._statistics: tuple[int, OutcomeStatistics] | None = None

    def has_enough(self, state: CampaignState) -> bool:
        """Return whether the terms stop the campaign: at most the allowed number of mistakes is expected.

        This reads every arm, so it is done only after a tenth more outcomes: of the arms, or of the outcomes so far;
        where it was so, at every change, because a correction may make it otherwise.
        """
        ledger, most = state.ledger, self._terms.stop_mistakes
        if not most or state.requests or ledger.status != OPEN or ledger.told < ledger.arms:
            return False
        if ledger.seq != self._looked_at and (self._is_enough or ledger.told >= self._next_look):
            self._looked_at, self._next_look = ledger.seq, ledger.told + 1 + max(ledger.arms, ledger.told) // 10
            found = self.quick_verdicts()
            is_measured = all(row.pulls or row.retired for row in found)
            self._is_enough = is_measured and not found.is_withheld and found.expected_mistakes <= most
        return self._is_enough

    def quick_verdicts(self) -> Verdicts:
        """Return one row for each arm, without the check of independence, in half the time."""
        with self._storage.snapshot(self._number) as now:
            ledger, arms = now.ledger(), now.arms()
            outcomes, known = self._told_and_known(now, ledger)
            statistics = self._outcome_statistics(now)
        progress = self._progress(ledger, arms)
        found = judge(self._machine, arms, outcomes, known=known, statistics=statistics, progress=progress)
        return found.after(_spending(ledger))

    def verdicts(self, **given: Any) -> Verdicts:
        """Return one row for each arm, and a note if outcomes do not behave as independent samples."""
        return self.verdicts_as_of(**given)[1]

    def verdicts_as_of(self, **given: Any) -> tuple[int, Verdicts]:
        """Return the number of the last event, and the verdicts after it."""
        with self._storage.snapshot(self._number) as now:
            ledger, arms = now.ledger(), now.arms()
            outcomes, known = self._told_and_known(now, ledger)
            # The items of an arm come in a random order, so a drift of the items neither shows nor matters.
            is_due = outcomes is None and ledger.told >= self._checks.due
            pulls = self._checks.pulls(now, ledger.told) if is_due else None
            statistics = self._outcome_statistics(now)
        # Decisions at the end of an earlier budget are about the campaign's own bar.
        progress = self._progress(ledger, arms) if given.get("bar") is None else progress_of(ledger, arms, ())
        found = judge(self._machine, arms, outcomes, known=known, statistics=statistics, progress=progress, **given)
        if pulls is not None:
            self._checks.check(arms, pulls)
        warnings = (*self._checks.found, *self._judge_notes(arms, outcomes, known))
        return ledger.seq, found.noting(warnings).after(_spending(ledger))

    def _told_and_known(self, now: Snapshot, ledger: Ledger) -> tuple[Floats | None, KnownSignals]:
        """Return the outcomes of all arms on all items, and cheap signals; nothing in a campaign without items."""
        if not ledger.pools:
            return None, NOTHING
        return outcomes_of(self._campaign.name, ledger, now.answers()), self._known(now, ledger)

    def _known(self, now: Snapshot, ledger: Ledger) -> KnownSignals:
        """Return history and scores of answers, and which of them were told before an item was asked."""
        return known_with_order(ledger, now.signals(), now.item_pulls)

    def decided_at_end(self) -> tuple[int, ...]:
        """Return the positions of the arms that an extension now leaves decided, as long as their chances stay low."""
        if not RULES[self._terms.guarantee].is_early:
            return ()
        with self._storage.snapshot(self._number) as now:
            ledger, arms = now.ledger(), now.arms()
        progress = self._progress(ledger, arms)
        if not progress.is_spent or not ledger.told:
            return tuple(progress.decided)
        places = {arm.name: arm.position for arm in arms}
        return tuple(places[row.arm] for row in self.quick_verdicts() if row.decision != "open")

    def _progress(self, ledger: Ledger, arms: Sequence[Arm]) -> Progress:
        return progress_of(ledger, arms, self._decided_before(ledger))

    @cached_property
    def _first_budget(self) -> int | None:
        """The budget with which the campaign was created; None if the log does not begin so."""
        created = self._campaign.event(1)
        return created.budget if isinstance(created, e.Created) else None

    def _decided_before(self, ledger: Ledger) -> tuple[int, ...]:
        """Return the positions of the arms that were decided when an earlier budget was spent."""
        return () if self._first_budget == ledger.budget else self._campaign.last_decided(ledger.seq)

    def _outcome_statistics(self, now: Snapshot) -> OutcomeStatistics | None:
        """Return the mean and the quantile of the outcomes of each arm; None if means are compared."""
        quantile, ledger = self._terms.quantile, now.ledger()
        if not quantile:
            return None
        if self._statistics is None or self._statistics[0] != ledger.seq:
            found = outcome_statistics(self._campaign.name, now.single_outcomes(), ledger.arms, quantile=quantile)
            self._statistics = ledger.seq, found
        return self._statistics[1]

    def _judge_notes(self, arms: Sequence[Arm], outcomes: Floats | None, known: KnownSignals) -> tuple[str, ...]:
        """Return how good the scores of a campaign are, with warnings about them; nothing without scores."""
        if known.proxy is None or outcomes is None:
            return ()
        found = self._agreement(arms, outcomes, known)
        return (*judge_note(found), *judge_warnings(found))

    def _agreement(self, arms: Sequence[Arm], outcomes: Floats, known: KnownSignals) -> Agreement:
        terms = self._terms
        question = question_of(terms, arms, items=outcomes.shape[-1], known=known)
        return agreement_of(question, score_table(terms, arms, outcomes))

    def judge_agreement(self) -> Agreement:
        """Return how well the scores of answers agree with the outcomes that were told.

        Raises
        ------
        InvalidInputError
            If the campaign has no scores.
        """
        with self._storage.snapshot(self._number) as now:
            ledger, arms = now.ledger(), now.arms()
            outcomes, known = self._told_and_known(now, ledger)
        if outcomes is None or known.proxy is None:
            fix = f"import them: thresher tell {self._campaign.name} --from FILE --proxy-column COLUMN"
            raise InvalidInputError("scores", rule="a report on a judge needs its scores", fix=fix)
        return self._agreement(arms, outcomes, known)

    def items(self) -> Items:
        """Return what is known of each item, and the outcomes of all arms on it."""
        with self._storage.snapshot(self._number) as now:
            ledger, arms, items, answers = now.ledger(), now.arms(), now.items(), now.answers()
            known = self._known(now, ledger)
        names = [arm.name for arm in arms]
        if not items:
            return Items.from_rows(names, ())
        outcomes = outcomes_of(self._campaign.name, ledger, answers)
        terms = self._terms
        question = question_of(terms, arms, items=len(items), known=known)
        found = answers_of(question, score_table(terms, arms, outcomes))
        return Items(names, [item.name for item in items], outcomes, found.effects, float(found.fit.share))


def _spending(ledger: Ledger) -> Spending:
    return Spending(amount_of(ledger.budget), amount_of(ledger.spent), ledger.told, ledger.items)
