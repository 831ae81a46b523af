"""Outcomes of items in a storage: the table of them, the refits to it, and receipts."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from thresher.campaign.ledger import (
    TOLD,
    Answer,
    Ledger,
    is_due,
    item_decisions,
    known_of,
    refit_of,
    score_table,
    table_of,
)
from thresher.campaign.messages import Receipt
from thresher.campaign.storage import RowsToRead, TransactionResult
from thresher.campaign.stored_campaign import StoredCampaign
from thresher.errors import CorruptionError, StorageUnavailableError
from thresher.types import Floats

OVERDUE = 10  # an overdue refit is tried again after each tenth of its outcomes


def outcomes_of(campaign: str, ledger: Ledger, answers: Sequence[Answer]) -> Floats:
    """Return the outcomes of all arms on all items, as :func:`thresher.campaign.ledger.table_of` does.

    Raises
    ------
    CorruptionError
        If a stored outcome is not that of an arm, an item and a number.
    """
    try:
        return table_of(answers, ledger.arms, ledger.items, ledger.repeats)
    except ValueError as error:
        raise CorruptionError(campaign, [f"in a row of pulls {error}"], was_audited=False) from error


class Refits:
    """The refits of one campaign by this process."""

    def __init__(self, campaign: StoredCampaign) -> None:
        self._campaign = campaign
        self.running = threading.Lock()

    def after(self, done: TransactionResult) -> None:
        """Fit the items again if the outcomes of a transaction made that due, or overdue by another tenth."""
        if done.change is None or not is_due(done.change.ledger):
            return
        before, after = done.state.ledger, done.change.ledger
        due = max(after.fitted, after.arms) / OVERDUE
        if not is_due(before) or before.told // due < after.told // due:
            self.refit()

    def refit(self) -> None:
        """Fit the effects of items to all outcomes, if that is due and this process does not do it already.

        The outcomes are read and fitted outside of the transaction that writes the result. If the database cannot be
        used nothing is raised: the outcomes are stored, and a later tell tries again.
        """
        machine = self._campaign.machine
        if not machine.is_policy_available or not machine.sort_keys.is_fitted:
            return
        if not self.running.acquire(blocking=False):
            return
        try:
            with self._campaign.snapshot() as now:
                before, answers, arms, signals = now.ledger(), now.answers(), now.arms(), now.signals()
            if is_due(before):
                outcomes = outcomes_of(self._campaign.name, before, answers)
                known = known_of(signals, before.arms, before.items)
                scores = score_table(machine.terms, arms, outcomes)
                fitted = refit_of(scores, known=known, cautious=machine.terms.item_sampling.cautious_rho)
                need = RowsToRead(everything=True, told_after=before.seq)
                self._campaign.transact(need, lambda state: item_decisions.refit(state, before, fitted))
        except StorageUnavailableError:
            pass
        finally:
            self.running.release()


def item_receipts(done: TransactionResult, told: Sequence[item_decisions.ItemOutcome]) -> list[Receipt]:
    """Return the receipts of outcomes that were told by arm and item."""
    state, change = done
    arms = {arm.name: arm.position for arm in state.arms.values()}
    items = {item.name: item.position for item in state.items.values()}
    fresh = item_decisions.pulls_by_place(({} if change is None else change.pulls).values())
    stored = item_decisions.pulls_by_place(pull for pull in state.pulls.values() if pull.state == TOLD)
    receipts = []
    for one in told:
        place = item_decisions.ItemPlace(arms[one.arm], items[one.item], one.repeat)
        pull = stored.get(place) or fresh[place]
        receipts.append(Receipt(pull.ticket, one.arm, place not in fresh, False, True))
        stored.setdefault(place, pull)
        fresh.pop(place, None)
    return receipts
