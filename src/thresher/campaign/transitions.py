"""State + event → changed rows: the one place where a campaign changes.

A storage applies these transitions to the rows that it has read, a replay to all rows. So the stored rows equal the
replayed log bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

from thresher.campaign import events as e
from thresher.campaign.rows import CLOSED, OPEN, PAUSED, TOLD, VOID, Arm, Pull, Request
from thresher.campaign.state import CampaignState, Change
from thresher.campaign.terms import Terms
from thresher.campaign.urgency import Urgency
from thresher.errors import PolicyUnavailableError, ThresherError


class Machine:
    """The transitions of one campaign.

    Parameters
    ----------
    terms : Terms
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    @cached_property
    def urgency(self) -> Urgency:
        """The ranking of arms; built on first use, because everything else works without the policy.

        Raises
        ------
        PolicyUnavailableError
            If the policy cannot be used in this process.
        """
        try:
            return Urgency(self.terms)
        except ThresherError as error:
            raise PolicyUnavailableError(self.terms.policy, str(error).partition("; ")[0]) from error

    @property
    def is_policy_available(self) -> bool:
        """Whether arms can be ranked in this process."""
        try:
            return self.urgency is not None
        except PolicyUnavailableError:
            return False

    @property
    def key_of(self) -> Callable[[Arm], float]:
        """The function that returns the sort key of an arm."""
        return self.urgency.of

    def apply(self, state: CampaignState, event: e.Event, at: int = 0) -> Change:
        """Return the rows that an event at that time (µs since 1970) changes; the state itself does not change."""
        draft = Draft(state, self.terms, at)
        _TRANSITIONS[type(event)](draft, event)
        key_of = self.key_of if draft.arms else None
        arms = {position: arm.rank(key_of(arm)) for position, arm in draft.arms.items()} if key_of else {}
        return Change(draft.ledger, arms, draft.pulls, draft.requests)

    def record(self, state: CampaignState, event: e.Event, at: int) -> tuple[Change, e.LogEntry]:
        """Return the rows that an event changes, and its line of the log."""
        change, body = self.apply(state, event, at), event.body()
        hash_ = e.seal(state.ledger.hash, state.ledger.at, change.ledger.seq, event.kind, body)
        entry = e.LogEntry(change.ledger.seq, event.kind, body, at, hash_)
        return change._replace(ledger=change.ledger._replace(hash=hash_)), entry


class UnrankedMachine(Machine):
    """The transitions of a campaign whose policy is not available: the key of every arm that changes is NaN."""

    @property
    def key_of(self) -> Callable[[Arm], float]:
        """The function that returns NaN for every arm."""
        return lambda _: math.nan


class Draft:
    """The rows that an event has changed so far, on top of those of a state."""

    def __init__(self, state: CampaignState, terms: Terms, at: int) -> None:
        self._state, self.terms = state, terms
        self.ledger = state.ledger._replace(seq=state.ledger.seq + 1, at=at)
        self.seq, self.expires = self.ledger.seq, at + terms.lease_micros
        self.arms: dict[int, Arm] = {}
        self.pulls: dict[int, Pull] = {}
        self.requests: dict[str, Request] = {}

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
        self.arms[pull.arm] = arm.release()
        self.ledger = self.ledger.release(arm.pull_cost, forfeit=forfeit)

    def add_up(self, position: int) -> None:
        """Sum the outcomes of an arm again, in the order in which they were told.

        Subtracting an outcome would leave its rounding error behind.
        """
        pulls = [self.pulls.get(pull.number, pull) for pull in self._state.pulls_of(position)]
        arm = self.arm(position).clear()
        for pull in sorted(pulls, key=lambda pull: (pull.told, pull.number)):
            arm = pull.add_to(arm) if pull.state == TOLD else arm
        self.arms[position] = arm

    def answer(self, key: str | None, *, first: int = 0, made: int = 0) -> None:
        """Record what the first call with an idempotency key did."""
        if key is not None:
            self.requests[key] = Request(key, self.seq, first, made)


def _created(draft: Draft, event: e.Created) -> None:
    draft.ledger = draft.ledger._replace(budget=event.budget)


def _arms_added(draft: Draft, event: e.ArmsAdded) -> None:
    for position, row in enumerate(event.arms, start=draft.ledger.arms):
        draft.arms[position] = Arm(position, *row)
    costs = [arm.pull_cost for arm in draft.arms.values()]
    draft.ledger = draft.ledger.add_arms(costs, draft.terms.kind.first_pulls)


def _asked(draft: Draft, event: e.Asked) -> None:
    """Release the expired leases; then reserve the cost of each ticket and count it as outstanding."""
    for number in event.lapsed:
        draft.release(number)
    for number, ticket, position in event.pulls:
        arm = draft.arm(position)
        draft.arms[position] = arm.reserve()
        draft.pulls[number] = Pull(number, ticket, position, since=draft.seq, expires=draft.expires)
        draft.ledger = draft.ledger.reserve(arm.pull_cost)
    if event.pulls:
        draft.answer(event.key, first=event.pulls[0][0], made=len(event.pulls))


def _told(draft: Draft, event: e.Told) -> None:
    """Store each outcome; those that are paid join the statistics of their arms."""
    for number, value in event.outcomes:
        pull = draft.pull(number)
        arm = draft.arm(pull.arm)
        used = draft.ledger.can_use(pull, arm.pull_cost)
        if used:
            draft.arms[pull.arm] = (arm.release() if pull.is_out else arm).add_outcome(value)
        draft.ledger = draft.ledger.tell(pull, arm.pull_cost, used=used)
        draft.pulls[number] = pull.tell(value, draft.seq, used=used)


def _counted(draft: Draft, event: e.CountsTold) -> None:
    """Store an aggregate under its own ticket, which was never outstanding."""
    pull = Pull(event.number, event.ticket, event.arm, TOLD, event.count, event.total, event.squares, draft.seq)
    arm = draft.arm(event.arm)
    draft.pulls[event.number] = pull._replace(told=draft.seq, expires=draft.expires)
    draft.arms[event.arm] = pull.add_to(arm)
    draft.ledger = draft.ledger.tell_counts(event.count, arm.pull_cost * event.count if event.paid else 0)
    draft.answer(event.key, first=event.number, made=1)


def _failed(draft: Draft, event: e.Failed) -> None:
    draft.release(event.number)


def _voided(draft: Draft, event: e.Voided) -> None:
    """Remove an outcome from the statistics; its cost stays spent."""
    pull = draft.pull(event.number)
    draft.pulls[event.number] = pull.void()
    draft.add_up(pull.arm)
    draft.ledger = draft.ledger.recount(-pull.size)


def _amended(draft: Draft, event: e.Amended) -> None:
    """Replace an outcome; a voided one joins the statistics again."""
    pull = draft.pull(event.number)
    draft.pulls[event.number] = pull.amend(event.value)
    draft.add_up(pull.arm)
    draft.ledger = draft.ledger.recount(pull.size if pull.state == VOID else 0)


def _renewed(draft: Draft, event: e.Renewed) -> None:
    for number in event.numbers:
        draft.pulls[number] = draft.pull(number).renew(draft.seq, draft.expires)


def _retired(draft: Draft, event: e.Retired) -> None:
    draft.arms[event.arm] = draft.arm(event.arm).retire()


def _extended(draft: Draft, event: e.Extended) -> None:
    draft.ledger = draft.ledger._replace(budget=draft.ledger.budget + event.amount)
    draft.answer(event.key)


def _paused(draft: Draft, _: e.Paused) -> None:
    draft.ledger = draft.ledger._replace(status=PAUSED)


def _resumed(draft: Draft, _: e.Resumed) -> None:
    draft.ledger = draft.ledger._replace(status=OPEN)


def _closed(draft: Draft, _: e.Closed) -> None:
    draft.ledger = draft.ledger._replace(status=CLOSED)


_TRANSITIONS: dict[type, Callable[[Draft, Any], None]] = {
    e.Created: _created,
    e.ArmsAdded: _arms_added,
    e.Asked: _asked,
    e.Told: _told,
    e.CountsTold: _counted,
    e.Failed: _failed,
    e.Voided: _voided,
    e.Amended: _amended,
    e.Renewed: _renewed,
    e.Retired: _retired,
    e.Extended: _extended,
    e.Paused: _paused,
    e.Resumed: _resumed,
    e.Closed: _closed,
}
