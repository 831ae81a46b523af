"""State + happening → state: the one place where a campaign changes.

A storage applies these functions to the rows that it has loaded and a replay applies them to all rows; that is why
statistics kept row by row equal the fold of the log to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

from thresher.campaign import events as e
from thresher.campaign.rows import (
    CLOSED,
    FORFEITED,
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
    make,
)
from thresher.campaign.state import Change, State
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
        """How arms are ranked; looked up when it is first needed, so that all else can do without the policy.

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
        """The function that gives the key by which an arm is ranked."""
        return self.urgency.of

    def apply(self, state: State, happening: e.Happening) -> Change:
        """Return the rows that change when something happens; the state itself is left as it is."""
        draft = Draft(state, self.terms)
        _TRANSITIONS[type(happening)](draft, happening)
        arms: dict[int, Arm] = {}
        if draft.arms:
            of = self.key_of
            arms = {position: make(Arm, (*arm[:10], of(arm), arm[11])) for position, arm in draft.arms.items()}
        return Change(draft.finished(), arms, draft.pulls, draft.requests)


class UnrankedMachine(Machine):
    """The transitions of a campaign whose policy is not available: the key of every arm that changes is NaN."""

    @property
    def key_of(self) -> Callable[[Arm], float]:
        """The function that gives NaN."""
        return lambda _: math.nan


class Draft:
    """Rows in the making, over those of a state."""

    def __init__(self, state: State, terms: Terms) -> None:
        self._state, self.terms = state, terms
        self.ledger = state.ledger
        self.seq = state.ledger.seq + 1
        self.spent, self.reserved = state.ledger.spent, state.ledger.reserved
        self.asked = self.used = self.late = 0  # tickets handed out; outcomes that count, or came late
        self.arms: dict[int, Arm] = {}
        self.pulls: dict[int, Pull] = {}
        self.requests: dict[str, Request] = {}

    def arm(self, position: int) -> Arm:
        """Return an arm as it stands."""
        return self.arms[position] if position in self.arms else self._state.arms[position]

    def pull(self, number: int) -> Pull:
        """Return a pull as it stands."""
        return self.pulls[number] if number in self.pulls else self._state.pulls[number]

    def pulls_of(self, arm: int) -> list[Pull]:
        """Return the pulls of an arm as they stand."""
        return [self.pulls.get(pull.number, pull) for pull in self._state.pulls_of(arm)]

    @property
    def left(self) -> int:
        """What can still be handed out."""
        return self.ledger.budget - self.spent - self.reserved

    def finished(self) -> Ledger:
        """Return the ledger after this."""
        # By place: this is done at every ask and tell, and _replace takes several times as long.
        _, at, seal, status, budget, _, _, opening, arms, pulls, told, late = self.ledger
        money = (status, budget, self.spent, self.reserved, opening)
        return make(Ledger, (self.seq, at, seal, *money, arms, pulls + self.asked, told + self.used, late + self.late))

    def pay(self, *, spent: int = 0, reserved: int = 0) -> None:
        """Move money between what is left, reserved and spent."""
        self.spent += spent
        self.reserved += reserved

    def answer(self, key: str | None, *, first: int = 0, made: int = 0) -> None:
        """Remember what the first call with a key did."""
        if key is not None:
            self.requests[key] = Request(key, self.seq, first, made)


def _created(draft: Draft, event: e.Created) -> None:
    draft.ledger = draft.ledger._replace(budget=event.budget)


def _arms_added(draft: Draft, event: e.ArmsAdded) -> None:
    first = draft.ledger.arms
    for position, row in enumerate(event.arms, start=first):
        draft.arms[position] = Arm(position, *row)
    opening = sum(arm.pull_cost for arm in draft.arms.values()) * draft.terms.kind.first_pulls
    draft.ledger = draft.ledger._replace(arms=first + len(event.arms), opening=draft.ledger.opening + opening)


def _asked(draft: Draft, event: e.Asked) -> None:
    for number in event.lapsed:
        _give_up(draft, number)
    reserved, seq = 0, draft.seq
    for number, ticket, position in event.pulls:
        arm = draft.arm(position)
        draft.arms[position] = make(Arm, (*arm[:7], arm.outstanding + 1, *arm[8:]))
        draft.pulls[number] = make(Pull, (number, ticket, position, OUT, 1, None, None, seq, 0, 0))
        reserved += arm.pull_cost
    draft.pay(reserved=reserved)
    draft.asked += len(event.pulls)
    if event.pulls:
        draft.answer(event.key, first=event.pulls[0][0], made=len(event.pulls))


def _give_up(draft: Draft, number: int) -> None:
    pull = draft.pull(number)
    arm = draft.arm(pull.arm)
    forfeits = draft.terms.expiry == "forfeit"
    draft.pulls[number] = pull._replace(state=FORFEITED if forfeits else LAPSED)
    draft.arms[arm.position] = arm._replace(outstanding=arm.outstanding - 1)
    draft.pay(reserved=-arm.pull_cost, spent=arm.pull_cost if forfeits else 0)


def _told(draft: Draft, event: e.Told) -> None:
    seq = draft.seq
    for number, value in event.outcomes:
        _, ticket, position, state, _, _, _, since, _, _ = draft.pull(number)
        arm = draft.arm(position)
        is_late = state != OUT
        counts = _pay_for_outcome(draft, state, arm.pull_cost)
        now = TOLD if counts else UNUSED
        draft.pulls[number] = make(Pull, (number, ticket, position, now, 1, value, None, since, seq, int(is_late)))
        if counts:
            gap = value - arm.threshold
            draft.arms[position] = _with_outcomes(arm, 1, value, gap * gap, outstanding=0 if is_late else -1)
        draft.used += counts
        draft.late += is_late


def _pay_for_outcome(draft: Draft, state: str, cost: int) -> bool:
    """Move the money of one outcome of a pull in that state; return whether the outcome may be used."""
    if state == OUT:
        draft.reserved -= cost
        draft.spent += cost
        return True
    if state == FORFEITED:
        return True  # its unit was spent when the lease ran out, and handed out to nobody else
    if draft.left < cost:
        return False
    draft.pay(spent=cost)
    return True


def _with_outcomes(arm: Arm, count: int, total: float, squares: float, *, outstanding: int = 0) -> Arm:
    _, _, _, _, _, _, pulls, waiting, sum_, squared, urgency, retired = arm
    seen = (pulls + count, waiting + outstanding, sum_ + total, squared + squares)
    return make(Arm, (*arm[:6], *seen, urgency, retired))


def _counted(draft: Draft, event: e.Counted) -> None:
    arm = draft.arm(event.arm)
    draft.arms[event.arm] = _with_outcomes(arm, event.count, event.total, event.squares)
    draft.pulls[event.number] = Pull(
        event.number, event.ticket, event.arm, TOLD, event.count, event.total, event.squares, draft.seq, draft.seq
    )
    draft.pay(spent=arm.pull_cost * event.count if event.paid else 0)
    draft.asked += 1
    draft.used += event.count
    draft.answer(event.key, first=event.number, made=1)


def _failed(draft: Draft, event: e.Failed) -> None:
    _give_up(draft, event.number)


def _voided(draft: Draft, event: e.Voided) -> None:
    pull = draft.pull(event.number)
    draft.pulls[event.number] = pull._replace(state=VOID)
    _add_up(draft, pull.arm)
    draft.used -= pull.size


def _amended(draft: Draft, event: e.Amended) -> None:
    pull = draft.pull(event.number)
    draft.pulls[event.number] = pull._replace(state=TOLD, value=event.value)
    _add_up(draft, pull.arm)
    draft.used += pull.size if pull.state == VOID else 0


def _add_up(draft: Draft, position: int) -> None:
    """Add an arm's outcomes up again, in the order in which they were told.

    Subtracting would leave the rounding of what was taken out; so an arm is as if that outcome had never come.
    """
    arm = draft.arm(position)._replace(pulls=0, total=0.0, squares=0.0)
    told = [pull for pull in draft.pulls_of(position) if pull.state == TOLD]
    for pull in sorted(told, key=lambda pull: (pull.told, pull.number)):
        assert pull.value is not None
        gap = pull.value - arm.threshold
        arm = _with_outcomes(arm, pull.size, pull.value, gap * gap if pull.squares is None else pull.squares)
    draft.arms[position] = arm


def _renewed(draft: Draft, event: e.Renewed) -> None:
    for number in event.numbers:
        draft.pulls[number] = draft.pull(number)._replace(since=draft.seq)


def _retired(draft: Draft, event: e.Retired) -> None:
    draft.arms[event.arm] = draft.arm(event.arm)._replace(retired=1)


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
    e.Counted: _counted,
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
