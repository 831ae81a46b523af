"""State + event → changed rows: the one place where a campaign changes.

A storage applies these transitions to the rows that it has read, a replay to all rows. So the stored rows equal the
replayed log bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.item_order import has_taken, moved, order_of
from thresher.campaign.ledger.refits import Refit, answers_in, earlier_unevenness, effect_of, refit_of, table_of
from thresher.campaign.ledger.rows import CLOSED, OPEN, PAUSED, TOLD, VOID, Arm, Item, Ledger, Pull, Request
from thresher.campaign.ledger.scoring import score_table
from thresher.campaign.ledger.signals import (
    PAST,
    Signal,
    known_of,
    packed,
    past_key,
    proxy_key,
    slopes_of,
    with_scores,
)
from thresher.campaign.ledger.sort_keys import SortKeys
from thresher.campaign.ledger.state import CampaignState, Change
from thresher.campaign.ledger.terms import Terms
from thresher.errors import PolicyUnavailableError, ThresherError

FIT_TOLERANCE = 1e-9


class Machine:
    """The transitions of one campaign."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    @cached_property
    def sort_keys(self) -> SortKeys:
        """The ranking of arms; built on first use, because everything else works without the policy.

        Raises
        ------
        PolicyUnavailableError
            If the policy cannot be used in this process.
        """
        try:
            return SortKeys(self.terms)
        except ThresherError as error:
            raise PolicyUnavailableError(self.terms.policy, str(error).partition("; ")[0]) from error

    @property
    def is_policy_available(self) -> bool:
        """Whether arms can be ranked in this process."""
        try:
            return self.sort_keys is not None
        except PolicyUnavailableError:
            return False

    @property
    def stores_keys(self) -> bool:
        """Whether the rows of arms have sort keys that this process can compute."""
        return self.is_policy_available and not self.sort_keys.needs_all_arms

    def rank(self, changed: Mapping[int, Arm], ledger: Ledger) -> dict[int, Arm]:
        """Return the changed arms with their sort keys after the change.

        If the bar is a control they keep the key that they have: a change of one arm moves the key of the control, and
        a change of the control the keys of all, so that keys are computed when tickets are asked for.
        """
        if not changed or self.sort_keys.needs_all_arms:
            return dict(changed)
        return {k: arm.rank(self.sort_keys.of(arm, ledger)) for k, arm in changed.items()}

    def apply(self, state: CampaignState, event: e.Event, at: int = 0) -> Change:
        """Return the rows that an event at that time (µs since 1970) changes; the state itself does not change."""
        draft = Draft(state, self.terms, at)
        _TRANSITIONS[type(event)](draft, event)
        arms = self.rank(draft.arms, draft.ledger)
        return Change(draft.ledger, arms, draft.pulls, draft.requests, draft.items, draft.signals)

    def record(self, state: CampaignState, event: e.Event, at: int) -> tuple[Change, e.LogEntry]:
        """Return the rows that an event changes, and its line of the log."""
        change, body = self.apply(state, event, at), event.body()
        hash_ = e.seal(state.ledger.hash, state.ledger.at, change.ledger.seq, event.kind, body)
        entry = e.LogEntry(change.ledger.seq, event.kind, body, at, hash_)
        return change._replace(ledger=change.ledger._replace(hash=hash_)), entry


class UnrankedMachine(Machine):
    """The transitions of a campaign whose keys are not stored, or not known: every changed arm has the key NaN."""

    def rank(self, changed: Mapping[int, Arm], ledger: Ledger) -> dict[int, Arm]:  # noqa: ARG002
        """Return the changed arms with the key NaN."""
        return {k: arm.rank(math.nan) for k, arm in changed.items()}


class Draft:
    """The rows that an event has changed so far, on top of those of a state."""

    def __init__(self, state: CampaignState, terms: Terms, at: int) -> None:
        self._state, self.terms, self.scoring = state, terms, terms.scoring
        self.ledger = state.ledger._replace(seq=state.ledger.seq + 1, at=at)
        self.seq, self.expires = self.ledger.seq, at + terms.lease_micros
        self.arms: dict[int, Arm] = {}
        self.pulls: dict[int, Pull] = {}
        self.requests: dict[str, Request] = {}
        self.items: dict[int, Item] = {}
        self.signals: dict[str, Signal] = {}

    def arm(self, position: int) -> Arm:
        """Return an arm with the changes so far."""
        return self.arms[position] if position in self.arms else self._state.arms[position]

    def pull(self, number: int) -> Pull:
        """Return a pull with the changes so far."""
        return self.pulls[number] if number in self.pulls else self._state.pulls[number]

    def release(self, number: int) -> None:
        """Give up an outstanding pull: its cost goes back to the budget, or is forfeited."""
        pull, forfeit = self.pull(number), self.terms.expiry == "forfeit"
        arm = self.arm(pull.arm)
        self.pulls[number] = pull.release(forfeit=forfeit)
        self.arms[pull.arm] = self.give_back(arm.release(), pull)
        self.ledger = self.ledger.release(arm.pull_cost, forfeit=forfeit)

    def take(self, arm: Arm, pull: Pull) -> Arm:
        """Return an arm with the item of a pull marked as issued or told."""
        if pull.item is None:
            return arm
        return arm.take(order_of(self.ledger).place(arm.position, pull.item, pull.repeat))

    def give_back(self, arm: Arm, pull: Pull) -> Arm:
        """Return an arm with the item of a pull marked as free: it is the arm's next one."""
        if pull.item is None:
            return arm
        return arm.give_back(order_of(self.ledger).place(arm.position, pull.item, pull.repeat))

    def is_free(self, arm: Arm, pull: Pull) -> bool:
        """Return whether no other pull of the arm has the item and the repeat."""
        return pull.item is None or not has_taken(self.ledger, arm, pull.item, pull.repeat)

    def effect(self, pull: Pull) -> float:
        """Return the effect of the item of a pull on its arm by the last refit, 0 without items.

        The effects of an arm have that of each item once, with its first outcome.
        """
        if pull.item is None or pull.repeat > 1:
            return 0.0
        return self.effect_by(self.ledger.slope, pull.arm, self._state.items[pull.item])

    def effect_by(self, slope: float, arm: int, item: Item) -> float:
        """Return the effect of an item on an arm, with what its score adds."""
        key = proxy_key(arm)
        signal = self.signals[key] if key in self.signals else self._state.signals.get(key)
        scored = 0.0 if signal is None else signal.effect(item.position, self.ledger.items)
        return effect_of(slope, item) + scored

    def free_item(self, pull: Pull) -> None:
        """Mark the item of a pull that was voided as free, and remove its effect."""
        arm = self.give_back(self.arm(pull.arm), pull)
        self.arms[pull.arm] = arm.shift_effects(-self.effect(pull))

    def tell_item(
        self, number: int, secret: str, position: int, item: int, value: float, repeat: int = 1, *, paid: bool
    ) -> None:
        """Store an outcome of an item under a ticket of its own, which was never outstanding."""
        arm, ticket = self.arm(position), f"{number}-{secret}"
        pull = Pull(number, ticket, position, TOLD, 1, value, None, self.seq, self.seq, 0, self.expires, item)
        pull = pull._replace(repeat=repeat)
        assert 1 <= repeat <= self.ledger.repeats
        assert self.is_free(arm, pull)
        self.pulls[number] = pull
        told = self.scoring.add(self.take(arm, pull), value)
        self.arms[position] = told.shift_effects(self.effect(pull))
        self.ledger = self.ledger.tell_counts(1, arm.pull_cost if paid else 0)

    def item(self, position: int) -> Item:
        """Return an item with the changes so far."""
        return self.items[position] if position in self.items else self._state.items[position]

    @property
    def stored_signals(self) -> Mapping[str, Signal]:
        """Past arms and scores, by key."""
        return self._state.signals

    def told_after(self, seq: int) -> list[Pull]:
        """Return the pulls whose outcomes were told by later events than this one, in their order."""
        pulls = [pull for pull in self._state.pulls.values() if pull.state == TOLD and pull.told > seq]
        return sorted(pulls, key=lambda pull: (pull.told, pull.number))

    def refit(self, event: e.Refitted) -> Refit:
        """Return the refit that an event records: computed before, or from all pulls of a replay.

        The event has the slope and the share. Another machine may find them different in the last bits.
        """
        if self._state.refit is not None:
            return self._state.refit
        answers = answers_in(pull for pull in self._state.pulls.values() if pull.told <= event.through)
        outcomes = table_of(answers, self.ledger.arms, self.ledger.items, self.ledger.repeats)
        known = known_of(self._state.signals.values(), self.ledger.arms, self.ledger.items)
        scores = score_table(self.terms, [self.arm(k) for k in range(self.ledger.arms)], outcomes)
        fit = refit_of(scores, event.slope, known, cautious=self.terms.item_sampling.cautious_rho)
        assert len(answers) == event.outcomes
        assert (fit.rho is None) == (event.rho is None)
        assert math.isclose(fit.rho or 0.0, event.rho or 0.0, rel_tol=FIT_TOLERANCE, abs_tol=FIT_TOLERANCE)
        assert math.isclose(fit.slope, event.slope, rel_tol=FIT_TOLERANCE)
        assert math.isclose(fit.share, event.share, rel_tol=FIT_TOLERANCE)
        if event.by_scores:
            return fit
        unevenness = earlier_unevenness(scores, fit, known) if event.uneven else [1.0] * self.ledger.arms
        return fit._replace(unevenness=unevenness)

    def add_up(self, position: int) -> None:
        """Sum the outcomes of an arm again, in the order in which they were told.

        Subtracting an outcome would leave its rounding error behind. If the state has the sums up to an event, only the
        outcomes of later events are added.
        """
        pulls = [self.pulls.get(pull.number, pull) for pull in self._state.pulls_of(position)]
        arm, after = self.arm(position).clear(), 0  # the effects of its items stay, until the next refit
        if (summed := self._state.summed.get(position)) is not None:
            arm, after = arm.add(summed.pulls, summed.total, summed.squares), self._state.summed_to
        for pull in sorted(pulls, key=lambda pull: (pull.told, pull.number)):
            arm = self.scoring.add_pull(arm, pull) if pull.state == TOLD and pull.told > after else arm
        self.arms[position] = arm

    def answer(self, key: str | None, *, first: int = 0, made: int = 0) -> None:
        """Record what the first call with an idempotency key did."""
        if key is not None:
            self.requests[key] = Request(key, self.seq, first, made)


def next_item(ledger: Ledger, arm: Arm) -> tuple[()] | tuple[int] | tuple[int, int]:
    """Return the item that an arm is asked next, and its ordinal if items may be asked several times.

    The arm must have one left. Without items there is none.
    """
    if not ledger.pools:
        return ()
    item, repeat = order_of(ledger).at(arm.position, arm.first_free)
    return (item, repeat) if ledger.repeats > 1 else (item,)


def _created(draft: Draft, event: e.Created) -> None:
    draft.ledger = draft.ledger._replace(budget=event.budget, seed=event.seed, repeats=draft.terms.repeats)


def _arms_added(draft: Draft, event: e.ArmsAdded) -> None:
    for position, row in enumerate(event.arms, start=draft.ledger.arms):
        draft.arms[position] = Arm(position, *row)
    costs = [arm.pull_cost for arm in draft.arms.values()]
    draft.ledger = draft.ledger.add_arms(costs, draft.terms.kind.first_pulls)


def _items_added(draft: Draft, event: e.ItemsAdded) -> None:
    """Add items; if an arm's order puts one before places that are taken, it is the arm's next one."""
    before = draft.ledger
    for position, name in enumerate(event.names, start=before.items):
        draft.items[position] = Item(position, name)
    draft.ledger = after = before.add_items(len(event.names))
    for position in range(after.arms):
        arm = draft.arm(position)
        # New items have no effect yet.
        centre = arm.centre * before.items / after.items
        draft.arms[position] = moved(arm, order_of(before), order_of(after)).refit(arm.effects, centre)


def _asked(draft: Draft, event: e.Asked) -> None:
    """Release the expired leases; then reserve the cost of each ticket and count it as outstanding."""
    for number in event.lapsed:
        draft.release(number)
    for number, ticket, position, *items in event.pulls:
        arm, pull = draft.arm(position), Pull(number, ticket, position, since=draft.seq, expires=draft.expires)
        assert tuple(items) == next_item(draft.ledger, arm)
        pull = pull if not items else pull._replace(item=items[0], repeat=items[1] if len(items) > 1 else 1)
        draft.arms[position], draft.pulls[number] = draft.take(arm.reserve(), pull), pull
        draft.ledger = draft.ledger.reserve(arm.pull_cost)
    if event.pulls:
        draft.answer(event.key, first=event.pulls[0][0], made=len(event.pulls))


def _told(draft: Draft, event: e.Told) -> None:
    """Store each outcome; those that are paid join the statistics of their arms."""
    costs = dict(event.costs)
    for number, value in event.outcomes:
        pull = draft.pull(number)
        arm = draft.arm(pull.arm)
        cost = costs.get(number, arm.pull_cost)
        used = draft.ledger.can_use(pull, cost) and (pull.is_out or draft.is_free(arm, pull))
        if used:
            arm = arm.release() if pull.is_out else draft.take(arm, pull)
            draft.arms[pull.arm] = draft.scoring.add(arm, value).shift_effects(draft.effect(pull))
        charged = draft.ledger.charge(pull, arm.pull_cost, cost) if used else 0
        draft.ledger = draft.ledger.tell(pull, arm.pull_cost, charged, used=used)
        draft.pulls[number] = pull.tell(value, draft.seq, used=used, charged=charged if number in costs else None)


def _counted(draft: Draft, event: e.CountsTold) -> None:
    """Store an aggregate under its own ticket, which was never outstanding."""
    pull = Pull(event.number, event.ticket, event.arm, TOLD, event.count, event.total, event.squares, draft.seq)
    arm = draft.arm(event.arm)
    draft.pulls[event.number] = pull._replace(told=draft.seq, expires=draft.expires)
    draft.arms[event.arm] = draft.scoring.add_pull(arm, pull)
    draft.ledger = draft.ledger.tell_counts(event.count, arm.pull_cost * event.count if event.paid else 0)
    draft.answer(event.key, first=event.number, made=1)


def _imported(draft: Draft, event: e.SourcesImported) -> None:
    """Remove outcomes of earlier versions; then store the new ones under tickets of their own."""
    voided = [draft.pull(number) for number in event.voided]
    for pull in voided:
        draft.ledger = draft.ledger.recount(-pull.size)
        draft.pulls[pull.number] = pull.void()
    for number, count, total, squares, _ in event.reduced:
        draft.ledger = draft.ledger.recount(count - draft.pull(number).size)
        draft.pulls[number] = draft.pull(number).amend(total, count, squares)
    for position in dict.fromkeys(pull.arm for pull in draft.pulls.values()):
        draft.add_up(position)
    for pull in voided:
        draft.free_item(pull)
    for number, (_, position, count, total, squares, _) in enumerate(event.pulls, start=event.number):
        ticket, arm = f"{number}-{event.secret}", draft.arm(position)
        pull = Pull(number, ticket, position, TOLD, count, total, squares, draft.seq, draft.seq, 0, draft.expires)
        draft.pulls[number], draft.arms[position] = pull, draft.scoring.add_pull(arm, pull)
        draft.ledger = draft.ledger.tell_counts(count, arm.pull_cost * count if event.paid else 0)
    for number, (_, position, item, value, *repeat) in zip(e.item_pulls(event), event.outcomes, strict=True):
        draft.tell_item(number, event.secret, position, item, value, *repeat, paid=event.paid)
    draft.answer(event.key, first=event.number, made=event.size)


def _items_told(draft: Draft, event: e.ItemsTold) -> None:
    """Store outcomes under tickets of their own, which were never outstanding."""
    for number, outcome in enumerate(event.outcomes, start=event.number):
        draft.tell_item(number, event.secret, *outcome, paid=event.paid)


def _history_told(draft: Draft, event: e.HistoryTold) -> None:
    """Store outcomes of past arms after those of earlier ones; the next refit is due."""
    assert event.issued in (None, draft.ledger.pulls)
    issued = "" if event.issued is None else packed(np.array([event.issued]))
    there = sum(signal.kind == PAST for signal in draft.stored_signals.values())
    for position, (name, outcomes) in enumerate(event.arms, start=there):
        assert len(outcomes) <= draft.ledger.items
        key = past_key(position)
        values = np.array([math.nan if value is None else value for value in outcomes])
        draft.signals[key] = Signal(key, name, packed(values), issued=issued)
    draft.ledger = draft.ledger.score()


def _proxy_told(draft: Draft, event: e.ProxyTold) -> None:
    """Store scores of answers; the next refit is due."""
    assert event.issued in (None, draft.ledger.pulls)
    for arm, items, scores in event.scores:
        key = proxy_key(arm)
        assert len(items) == len(scores)
        assert 0 <= arm < draft.ledger.arms
        assert all(0 <= item < draft.ledger.items for item in items)
        before = draft.signals[key] if key in draft.signals else draft.stored_signals.get(key)
        draft.signals[key] = with_scores(before, arm, items, scores, draft.ledger.items, event.issued)
    draft.ledger = draft.ledger.score()


def _refitted(draft: Draft, event: e.Refitted) -> None:
    """Replace the effects of all items on all arms; outcomes told since count with the new effect of their item."""
    assert draft.ledger.revised <= event.through
    fit = draft.refit(event)
    draft.ledger = draft.ledger.refit(event.outcomes, event.slope, event.share, event.rho or 0.0)
    for position, (answers, residuals) in enumerate(zip(fit.answers, fit.residuals, strict=True)):
        draft.items[position] = draft.item(position)._replace(answers=answers, residuals=residuals)
    for position, fitted in enumerate(zip(fit.effects, fit.centres, fit.unevenness, strict=True)):
        draft.arms[position] = draft.arm(position).refit(*fitted)
    draft.signals.update(slopes_of(draft.stored_signals, fit.slopes))
    for pull in draft.told_after(event.through):
        assert pull.item is not None
        if pull.repeat == 1:
            effect = draft.effect_by(event.slope, pull.arm, draft.item(pull.item))
            draft.arms[pull.arm] = draft.arm(pull.arm).shift_effects(effect)


def _failed(draft: Draft, event: e.Failed) -> None:
    draft.release(event.number)


def _voided(draft: Draft, event: e.Voided) -> None:
    """Remove outcomes of an arm from the statistics; their cost stays spent."""
    pulls = [draft.pull(number) for number in (event.number, *event.others)]
    draft.pulls.update((pull.number, pull.void()) for pull in pulls)
    draft.add_up(pulls[0].arm)
    for pull in pulls:
        draft.free_item(pull)
    draft.ledger = draft.ledger.recount(-sum(pull.size for pull in pulls))


def _amended(draft: Draft, event: e.Amended) -> None:
    """Replace an outcome; a voided one joins the statistics again."""
    pull = draft.pull(event.number)
    draft.pulls[event.number] = pull.amend(event.value, event.count, event.squares)
    draft.add_up(pull.arm)
    if pull.state == VOID:
        assert draft.is_free(draft.arm(pull.arm), pull)
        arm = draft.take(draft.arm(pull.arm), pull)
        draft.arms[pull.arm] = arm.shift_effects(draft.effect(pull))
    draft.ledger = draft.ledger.recount(event.count - (0 if pull.state == VOID else pull.size))


def _renewed(draft: Draft, event: e.Renewed) -> None:
    for number in event.numbers:
        draft.pulls[number] = draft.pull(number).renew(draft.seq, draft.expires)


def _retired(draft: Draft, event: e.Retired) -> None:
    draft.arms[event.arm] = draft.arm(event.arm).retire()


def _extended(draft: Draft, event: e.Extended) -> None:
    """Add to the budget; the late outcomes that it pays join the statistics of their arms."""
    draft.ledger, costs = draft.ledger._replace(budget=draft.ledger.budget + event.amount), dict(event.costs)
    for number, value in event.used:
        pull = draft.pull(number)
        arm = draft.arm(pull.arm)
        told = draft.scoring.add(draft.take(arm, pull), value)
        draft.arms[pull.arm] = told.shift_effects(draft.effect(pull))
        draft.ledger = draft.ledger.use(costs.get(number, arm.pull_cost))
        draft.pulls[number] = pull.use(draft.seq, charged=costs.get(number, pull.charged))
    draft.answer(event.key)


def _status_changed(draft: Draft, event: e.Event) -> None:
    draft.ledger = draft.ledger._replace(status=_STATUS[type(event)])


def _archived(draft: Draft, event: e.Archived | e.Unarchived) -> None:
    draft.ledger = draft.ledger._replace(archived=int(isinstance(event, e.Archived)))


def _measured_by(draft: Draft, event: e.MeasuredBy) -> None:
    draft.answer(event.key)


_STATUS: dict[type, str] = {e.Paused: PAUSED, e.Resumed: OPEN, e.Closed: CLOSED}
_TRANSITIONS: dict[type, Callable[[Draft, Any], None]] = {
    e.Created: _created,
    e.ArmsAdded: _arms_added,
    e.ItemsAdded: _items_added,
    e.Asked: _asked,
    e.Told: _told,
    e.CountsTold: _counted,
    e.SourcesImported: _imported,
    e.ItemsTold: _items_told,
    e.HistoryTold: _history_told,
    e.ProxyTold: _proxy_told,
    e.Refitted: _refitted,
    e.Failed: _failed,
    e.Voided: _voided,
    e.Amended: _amended,
    e.Renewed: _renewed,
    e.Retired: _retired,
    e.Extended: _extended,
    **dict.fromkeys(_STATUS, _status_changed),
    e.Archived: _archived,
    e.Unarchived: _archived,
    e.MeasuredBy: _measured_by,
}
