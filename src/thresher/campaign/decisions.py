"""State + wish → happening: what a campaign makes of an ask, a tell and the rest. No clock, no database, no luck.

Every function returns what is to happen, or None if nothing is to be written: the wish was fulfilled before, or cannot
be fulfilled now.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heapify, heapreplace
from typing import NamedTuple

from thresher.campaign import events as e
from thresher.campaign.outcomes import outcome_of, squares_of
from thresher.campaign.rows import CLOSED, OPEN, OUT, PAUSED, TOLD, VOID, Arm, Ledger, Pull, make
from thresher.campaign.state import State
from thresher.campaign.terms import Terms
from thresher.campaign.transitions import Machine
from thresher.errors import (
    BudgetSpentError,
    CampaignClosedError,
    ConflictingKeyError,
    ConflictingOutcomeError,
    InvalidOutcomeError,
    InvalidProblemError,
    NoOutcomeError,
    UnknownTicketError,
)
from thresher.problem.money import MOST_MONEY, MOST_TICKS, amount_of


class Outcome(NamedTuple):
    """An outcome as it is brought: the ticket, the number it begins with, the value."""

    ticket: str
    number: int
    value: float


def number_in(campaign: str, ticket: str) -> int:
    """Return the number that a ticket begins with.

    Raises
    ------
    UnknownTicketError
        If it is no ticket.
    """
    head, dash, _ = ticket.partition("-")
    if not dash or not (head.isascii() and head.isdigit()) or len(head) > 18:
        raise UnknownTicketError(campaign, ticket)
    return int(head)


def ask(machine: Machine, state: State, *, secrets: Sequence[str], key: str | None = None) -> e.Asked | None:
    """Return the handing-out of up to as many tickets as there are secrets, each for the arm of least urgency.

    The state must hold that many arms of least urgency, and those of the lapsed pulls.
    """
    ledger = state.ledger
    if ledger.status != OPEN or (key is not None and key in state.requests):
        return None
    arms = state.arms
    if state.lapsed:
        change = machine.apply(state, e.Asked((), state.lapsed))
        ledger, arms = change.ledger, {**arms, **change.arms}
    queue = [(arms[k].urgency, k, arms[k]) for k in {*state.least, *(state.pulls[i].arm for i in state.lapsed)}]
    heapify(queue)
    pulls, left, last = [], ledger.left, ledger.pulls + len(secrets)
    for number, secret in enumerate(secrets, start=ledger.pulls + 1):
        if not queue or not _is_payable(machine.terms, queue[0][2], left):
            break
        arm = queue[0][2]
        left -= arm.pull_cost
        pulls.append((number, f"{number}-{secret}", arm.position))
        if number < last:  # who comes after the last one is of no interest
            arm = make(Arm, (*arm[:7], arm.outstanding + 1, *arm[8:]))
            heapreplace(queue, (machine.urgency.of(arm), arm.position, arm))
    return e.Asked(tuple(pulls), state.lapsed, key if pulls else None) if pulls or state.lapsed else None


def _is_payable(terms: Terms, least: Arm, left: int) -> bool:
    """Return whether the arm of least urgency is worth a pull and can be paid."""
    return least.urgency < math.inf and least.urgency <= terms.ceiling and least.pull_cost <= left


def is_open(terms: Terms, ledger: Ledger, least: Arm | None) -> bool:
    """Return whether an ask that gave nothing may give something later, without a change of the terms."""
    if ledger.status == CLOSED:
        return False
    return ledger.reserved > 0 or (least is not None and _is_payable(terms, least, ledger.left))


def tell(
    campaign: str, state: State, outcomes: Iterable[Outcome], first: Mapping[int, float] | None = None
) -> e.Told | None:
    """Return the bringing of those outcomes that are not stored yet, by number.

    Parameters
    ----------
    campaign : str
    state : State
    outcomes : iterable of Outcome
    first : mapping, optional
        What pulls were told first, by number, where it is known: one that was amended since may be told so again.

    Raises
    ------
    UnknownTicketError
        If this campaign never handed a ticket out.
    ConflictingOutcomeError
        If another outcome is stored, or told in the same breath.
    """
    fresh: dict[int, Outcome] = {}
    for outcome in outcomes:
        pull = find_pull(campaign, state, outcome.number, outcome.ticket)
        stored = pull.value if pull.has_outcome else None
        if outcome.number in fresh:
            stored = fresh[outcome.number].value
        if stored is None:
            fresh[outcome.number] = outcome
        elif pull.size > 1 or outcome.value not in (stored, (first or {}).get(outcome.number)):
            raise ConflictingOutcomeError(outcome.ticket, stored=stored, told=outcome.value)
    return e.Told(tuple((number, fresh[number].value) for number in sorted(fresh))) if fresh else None


def find_pull(campaign: str, state: State, number: int, ticket: str) -> Pull:
    """Return the pull of a ticket.

    Raises
    ------
    UnknownTicketError
        If there is none, or it has another secret.
    """
    pull = state.pulls.get(number)
    if pull is None or pull.ticket != ticket:
        raise UnknownTicketError(campaign, ticket)
    return pull


def counted(
    terms: Terms,
    state: State,
    arm: Arm,
    *,
    count: int,
    total: float,
    squares: float | None,
    paid: bool,
    secret: str,
    key: str | None = None,
) -> e.Counted:
    """Return aggregated outcomes of one arm as the log would keep them.

    Raises
    ------
    InvalidOutcomeError
        If no such outcomes can exist.
    """
    number = state.ledger.pulls + 1
    shifted = squares_of(terms, arm, count=count, total=total, squares=squares)
    return e.Counted(number, f"{number}-{secret}", arm.position, count, total, shifted, paid, key)


def count(state: State, arm: Arm, wish: e.Counted) -> e.Counted | None:
    """Return the bringing of aggregated outcomes of one arm.

    Raises
    ------
    BudgetSpentError
        If they are to be paid from the budget and it does not suffice.
    """
    if wish.key is not None and wish.key in state.requests:
        return None
    cost = arm.pull_cost * wish.count
    if wish.paid and cost > state.ledger.left:
        raise BudgetSpentError(cost=amount_of(cost), left=amount_of(state.ledger.left))
    return wish


def check_repeat(state: State, stored: e.Happening, wish: e.Asked | e.Counted | e.Extended) -> None:
    """Check that a call with a key that was used wishes what the first one did.

    How many tickets an ask wished for is not in the log, only how many it got: any ask repeats an ask.

    Parameters
    ----------
    state : State
        What was known to the call: the pulls of the first one are in it, with their arms.
    stored : Happening
        What the first one did.
    wish : Asked, Counted or Extended
        What this one would do.

    Raises
    ------
    ConflictingKeyError
        If it is something else.
    """
    if isinstance(stored, e.Counted) and isinstance(wish, e.Counted):
        stands = replace(stored, number=wish.number, ticket=wish.ticket) == wish
    else:
        stands = isinstance(stored, e.Asked) if isinstance(wish, e.Asked) else stored == wish
    if not stands:
        raise ConflictingKeyError(stored=_sentence(state, stored))


def _sentence(state: State, stored: e.Happening) -> str:
    """Return what the first call with a key did."""
    if isinstance(stored, e.Counted):
        paid = "" if stored.paid else ", not paid"
        return f"{stored.count} outcomes of {state.arms[stored.arm].name[:60]!r} with the sum {stored.total:.17g}{paid}"
    if isinstance(stored, e.Extended):
        return f"{amount_of(stored.amount):.17g} more to spend"
    return f"an ask that gave {len(stored.pulls)} tickets" if isinstance(stored, e.Asked) else stored.kind


def fail(pull: Pull, *, reason: str) -> e.Failed | None:
    """Return the giving up of a pull; None if it was given up, or told, before: an outcome stands."""
    return e.Failed(pull.number, reason) if pull.state == OUT else None


def void(pull: Pull, *, reason: str) -> e.Voided | None:
    """Return the taking out of an outcome; None if it is out.

    Raises
    ------
    NoOutcomeError
        If there is no counted outcome.
    """
    if pull.state not in (TOLD, VOID):
        raise NoOutcomeError(pull.ticket, state=pull.state)
    return e.Voided(pull.number, reason) if pull.state == TOLD else None


def amend(terms: Terms, pull: Pull, *, value: float, reason: str) -> e.Amended | None:
    """Return the replacing of an outcome, void or not; None if it is that one already.

    Raises
    ------
    NoOutcomeError
        If there is no counted outcome.
    InvalidOutcomeError
        If the family cannot give the new one, or the pull is an aggregate.
    """
    if pull.state not in (TOLD, VOID):
        raise NoOutcomeError(pull.ticket, state=pull.state)
    if pull.size > 1 or pull.squares is not None:
        raise InvalidOutcomeError(
            f"one outcome for ticket {pull.ticket}, an aggregate", instead="void it and tell the right counts"
        )
    value = outcome_of(terms, value)
    return None if pull.state == TOLD and pull.value == value else e.Amended(pull.number, value, reason)


def renew(pulls: Iterable[Pull]) -> e.Renewed | None:
    """Return the renewal of those leases that still hold."""
    numbers = tuple(sorted(pull.number for pull in pulls if pull.state == OUT))
    return e.Renewed(numbers) if numbers else None


def add_arms(
    terms: Terms, campaign: str, ledger: Ledger, rows: Sequence[tuple[str, float, float, float, int]]
) -> e.ArmsAdded:
    """Return the adding of arms.

    Raises
    ------
    CampaignClosedError
        If the campaign is closed.
    InvalidProblemError
        If the budget cannot pull every arm as often as it must be first.
    """
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "take new arms")
    opening = ledger.opening + sum(row[4] for row in rows) * terms.kind.first_pulls
    if opening > ledger.budget:
        raise InvalidProblemError(
            f"a budget of {amount_of(ledger.budget):g} for {ledger.arms + len(rows)} arms",
            instead=f"pulling each as often as it must be first costs {amount_of(opening):g}: give at least that",
        )
    return e.ArmsAdded(tuple(rows))


def retire(arm: Arm) -> e.Retired | None:
    """Return the retirement of an arm; None if it is retired."""
    return None if arm.retired else e.Retired(arm.position)


def extend(campaign: str, state: State, wish: e.Extended) -> e.Extended | None:
    """Return the growth of the budget.

    Raises
    ------
    CampaignClosedError
        If the campaign is closed.
    InvalidProblemError
        If the budget would be more than can be counted.
    """
    if wish.key is not None and wish.key in state.requests:
        return None
    if state.ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "be extended")
    if state.ledger.budget + wish.amount > MOST_TICKS:
        raise InvalidProblemError(
            f"a budget of {amount_of(state.ledger.budget + wish.amount):g} in all",
            instead=f"give at most {MOST_MONEY:g}",
        )
    return wish


def pause(campaign: str, ledger: Ledger) -> e.Paused | None:
    """Return the pause of a campaign; None if it pauses.

    Raises
    ------
    CampaignClosedError
        If it is closed.
    """
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "pause")
    return e.Paused() if ledger.status == OPEN else None


def resume(campaign: str, ledger: Ledger) -> e.Resumed | None:
    """Return the end of a pause; None if there is none.

    Raises
    ------
    CampaignClosedError
        If the campaign is closed.
    """
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "resume")
    return e.Resumed() if ledger.status == PAUSED else None


def close(ledger: Ledger, *, reason: str) -> e.Closed | None:
    """Return the end of a campaign; None if it has ended."""
    return None if ledger.status == CLOSED else e.Closed(reason)
