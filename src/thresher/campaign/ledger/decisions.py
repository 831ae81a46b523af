"""State + command → event: what an ask, a tell and every other command writes. No clock, no database, no randomness.

Every function returns the event to write. None means that nothing is to be written: the command was carried out before,
or there is nothing to give now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.choosing import ArmAndItem, can_ask, choose, choose_with_control
from thresher.campaign.ledger.item_decisions import check_size
from thresher.campaign.ledger.item_order import has_taken
from thresher.campaign.ledger.outcomes import Aggregate, squares_of
from thresher.campaign.ledger.rows import ARCHIVED, CLOSED, OPEN, PAUSED, UNUSED, Arm, Ledger, Pull
from thresher.campaign.ledger.state import CampaignState
from thresher.campaign.ledger.terms import Terms
from thresher.campaign.ledger.transitions import Machine
from thresher.errors import (
    BudgetSpentError,
    CampaignArchivedError,
    CampaignClosedError,
    ConflictingKeyError,
    ConflictingOutcomeError,
    InvalidInputError,
    InvalidOutcomeError,
    UnknownTicketError,
)
from thresher.number_text import exact
from thresher.problem import MOST_MONEY, MOST_TICKS, amount_of


class TicketOutcome(NamedTuple):
    """An outcome that a worker tells: ticket, number at its start, value, and cost in millionths if it is known."""

    ticket: str
    number: int
    value: float
    cost: int | None = None


def number_in(campaign: str, ticket: str) -> int:
    """Return the number at the start of a ticket.

    Raises
    ------
    UnknownTicketError
        If the ticket does not start with a number and a dash.
    """
    head, dash, _ = ticket.partition("-")
    if not dash or not (head.isascii() and head.isdigit()) or len(head) > 18:
        raise UnknownTicketError(campaign, ticket)
    return int(head)


def ask(machine: Machine, state: CampaignState, *, secrets: Sequence[str], key: str | None = None) -> e.Asked | None:
    """Decide which tickets to issue: one for each secret, as long as an arm can be paid.

    The state must have ``len(secrets)`` arms of least sort key that the budget can pay, or all that it can pay, and the
    expired pulls with their arms; all arms and the control if that is the bar.
    """
    if state.ledger.status != OPEN or (key is not None and key in state.requests):
        return None
    ledger, arms = _after_expiry(machine, state)
    if state.comparison is not None:
        changed = {state.pulls[number].arm for number in state.lapsed}
        chosen = choose_with_control(machine, state.comparison, [arms[k] for k in changed], ledger, len(secrets))
        state.add_arms(state.comparison[k] for k in {place[0] for place in chosen} - state.arms.keys())
    else:
        candidates = [arms[k] for k in {*state.least, *(state.pulls[number].arm for number in state.lapsed)}]
        chosen = choose(machine, candidates, ledger, len(secrets), has_more=len(state.least) == len(secrets))
    numbered = enumerate(zip(chosen, secrets, strict=False), start=ledger.pulls + 1)
    pulls = tuple((number, f"{number}-{secret}", *taken) for number, (taken, secret) in numbered)
    return e.Asked(pulls, state.lapsed, key if pulls else None) if pulls or state.lapsed else None


def _after_expiry(machine: Machine, state: CampaignState) -> tuple[Ledger, Mapping[int, Arm]]:
    """Return the ledger and the arms after the expired leases are released."""
    if not state.lapsed:
        return state.ledger, state.arms
    change = machine.apply(state, e.Asked((), state.lapsed))
    return change.ledger, {**state.arms, **change.arms}


def allocate(machine: Machine, state: CampaignState, *, budget: int, most: int) -> list[ArmAndItem]:
    """Return the arms, with their items, that asks would get now, in order; nothing is reserved.

    They cost at most `budget` (in millionths), whatever the budget of the campaign is, and are at most `most`. The
    state must have all arms, and the expired pulls.
    """
    if state.ledger.status != OPEN:
        return []
    ledger, arms = _after_expiry(machine, state)
    ledger = ledger._replace(budget=ledger.spent + ledger.reserved + budget)
    ranked = [arms[k] for k in sorted(arms)]
    if machine.sort_keys.needs_all_arms:
        return choose_with_control(machine, machine.sort_keys.compare(ranked, ledger), (), ledger, most)
    return choose(machine, ranked, ledger, most, has_more=False)


def is_open(terms: Terms, ledger: Ledger, least: Arm | None) -> bool:
    """Return whether an ask can give a ticket, now or after a lease expires.

    `least` is the arm of least sort key that the budget can pay.
    """
    if ledger.state in (CLOSED, ARCHIVED):
        return False
    return ledger.reserved > 0 or (least is not None and can_ask(terms, least, ledger.left))


def tell(
    campaign: str,
    state: CampaignState,
    outcomes: Iterable[TicketOutcome],
    first: Mapping[int, float] | None = None,
    *,
    batch: str | None = None,
) -> e.Told | None:
    """Decide which outcomes are new; they are sorted by number. What was told first keeps its cost.

    `first` has the first outcomes of pulls, by number: a worker may repeat its tell after an amendment. `batch` is the
    id of the import that tells them.

    Raises
    ------
    UnknownTicketError
        If this campaign never issued a ticket.
    ConflictingOutcomeError
        If another outcome is stored, or told in the same call.
    """
    fresh: dict[int, TicketOutcome] = {}
    for outcome in outcomes:
        pull = find_pull(campaign, state, outcome.number, outcome.ticket)
        stored = pull.value if pull.has_outcome else None
        if outcome.number in fresh:
            stored = fresh[outcome.number].value
        if stored is None:
            fresh[outcome.number] = outcome
        elif pull.size > 1 or outcome.value not in (stored, (first or {}).get(outcome.number)):
            raise ConflictingOutcomeError(outcome.ticket, stored=stored, told=outcome.value)
    told = [fresh[number] for number in sorted(fresh)]
    costs = tuple((one.number, one.cost) for one in told if one.cost is not None)
    return e.Told(tuple((one.number, one.value) for one in told), batch, costs) if told else None


def find_pull(campaign: str, state: CampaignState, number: int, ticket: str) -> Pull:
    """Return the pull of a ticket.

    Raises
    ------
    UnknownTicketError
        If there is no such pull, or it has another secret.
    """
    pull = state.pulls.get(number)
    if pull is None or pull.ticket != ticket:
        raise UnknownTicketError(campaign, ticket)
    return pull


def counted(
    terms: Terms,
    state: CampaignState,
    arm: Arm,
    sums: Aggregate,
    *,
    paid: bool,
    secret: str,
    key: str | None = None,
    batch: str | None = None,
) -> e.CountsTold:
    """Return the event of an aggregate of one arm's outcomes.

    Raises
    ------
    InvalidOutcomeError
        If no outcomes of the family have these sums, or the campaign has items.
    """
    if state.ledger.pools:
        raise InvalidOutcomeError(
            "an aggregate in a campaign with items", instead="tell each outcome with its item: tell_items"
        )
    number = state.ledger.pulls + 1
    ticket, squares = f"{number}-{secret}", squares_of(terms, arm, sums)
    return e.CountsTold(number, ticket, arm.position, sums.count, sums.total, squares, paid, key, batch)


def count(state: CampaignState, command: e.CountsTold) -> e.CountsTold | None:
    """Decide whether an aggregate of one arm's outcomes is new, and can be paid.

    Raises
    ------
    BudgetSpentError
        If the budget has to pay for it and cannot.
    """
    if command.key is not None and command.key in state.requests:
        return None
    cost = state.arms[command.arm].pull_cost * command.count
    if command.paid and cost > state.ledger.left:
        raise BudgetSpentError(cost=amount_of(cost), left=amount_of(state.ledger.left))
    return command


def check_repeat(state: CampaignState, stored: e.Event, command: e.Asked | e.CountsTold | e.Extended) -> None:
    """Check that a call repeats the first call with its idempotency key.

    The log has the number of tickets that an ask got, not the number that it asked for: any ask repeats an ask.
    `stored` is what the first call wrote, `command` what this one would write; the state must have the pulls of the
    first, and their arms.

    Raises
    ------
    ConflictingKeyError
        If the first call was a different one.
    """
    if isinstance(stored, e.CountsTold) and isinstance(command, e.CountsTold):
        repeats = replace(stored, number=command.number, ticket=command.ticket, batch=command.batch) == command
    elif isinstance(stored, e.Extended) and isinstance(command, e.Extended):
        repeats = stored.amount == command.amount
    else:
        repeats = isinstance(stored, e.Asked) and isinstance(command, e.Asked)
    if not repeats:
        raise ConflictingKeyError(stored=_sentence(state, stored))


def _sentence(state: CampaignState, stored: e.Event) -> str:
    """Return what the first call with a key did."""
    if isinstance(stored, e.CountsTold):
        paid = "" if stored.paid else ", not paid"
        return f"{stored.count} outcomes of {state.arms[stored.arm].name[:60]!r} with the sum {stored.total:.17g}{paid}"
    if isinstance(stored, e.Extended):
        return f"{amount_of(stored.amount):.17g} more to spend"
    return f"an ask that gave {len(stored.pulls)} tickets" if isinstance(stored, e.Asked) else stored.kind


def fail(pull: Pull, *, reason: str) -> e.Failed | None:
    """Decide to give up a pull; None if it was given up or told before: a stored outcome stays."""
    return e.Failed(pull.number, reason) if pull.is_out else None


def renew(pulls: Iterable[Pull]) -> e.Renewed | None:
    """Decide which leases to renew: those of outstanding pulls."""
    numbers = tuple(sorted(pull.number for pull in pulls if pull.is_out))
    return e.Renewed(numbers) if numbers else None


def lacking(terms: Terms, arms: Iterable[Arm]) -> int:
    """Return the cost of the first pulls that arms still lack."""
    first = terms.kind.first_pulls
    return sum(arm.pull_cost * max(first - arm.pulls - arm.outstanding, 0) for arm in arms if not arm.retired)


def fits_opening(terms: Terms, ledger: Ledger, rows: Sequence[tuple[str, float, float, float, int]]) -> bool:
    """Return whether the whole budget pays the first pulls of all arms and of these new ones."""
    return ledger.opening + sum(row[4] for row in rows) * terms.kind.first_pulls <= ledger.budget


def add_arms(
    terms: Terms,
    campaign: str,
    ledger: Ledger,
    rows: Sequence[tuple[str, float, float, float, int]],
    *,
    measured: Mapping[str, int] | None = None,
    lacked: int = 0,
) -> e.ArmsAdded:
    """Decide to add arms.

    `measured` has the number of outcomes that are told next for new arms, by name: they need not be measured.
    `lacked` is the cost of the first pulls that the other arms still lack.

    Raises
    ------
    CampaignClosedError
        If the campaign is closed.
    InvalidInputError
        If the budget cannot pay the first pulls that are still to be made.
    """
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "take new arms")
    new = [Arm(k, *row, pulls=(measured or {}).get(row[0], 0)) for k, row in enumerate(rows, start=ledger.arms)]
    needed = lacked + lacking(terms, new)
    if needed > ledger.left and not fits_opening(terms, ledger, rows):
        n_arms = ledger.arms + sum(arm.pulls < terms.kind.first_pulls for arm in new)
        least = amount_of(needed + ledger.budget - ledger.left)
        raise InvalidInputError(
            "budget",
            amount_of(ledger.budget),
            rule=f"must be at least {exact(least)}, the cost of the first pulls of {n_arms} arms",
        )
    check_size(ledger.arms + len(rows), ledger.items, ledger.repeats)
    return e.ArmsAdded(tuple(rows))


def retire(terms: Terms, arm: Arm) -> e.Retired | None:
    """Decide to retire an arm; None if it is retired.

    Raises
    ------
    InvalidInputError
        If it is the control.
    """
    if arm.name == terms.control:
        raise InvalidInputError(
            "arm to retire", arm.name, rule="must not be the control, the bar of all others", fix="close the campaign"
        )
    return None if arm.retired else e.Retired(arm.position)


class CostsNeededError(Exception):
    """The log has the told costs of these unused pulls, which an extension needs."""

    def __init__(self, pulls: Sequence[Pull]) -> None:
        super().__init__([pull.number for pull in pulls])
        self.pulls = pulls


def extend(
    campaign: str, state: CampaignState, command: e.Extended, told_costs: Mapping[int, int]
) -> e.Extended | None:
    """Decide to extend the budget; it pays late outcomes that were unused, in the order in which they were told.

    A late outcome on an item that another ticket has stays unused. The state must have the unused pulls with their arms
    and items, `told_costs` what they cost, by number, if that was told with their outcomes.

    Raises
    ------
    CostsNeededError
        If an unused pull was told with a cost that `told_costs` does not have.
    CampaignClosedError
        If the campaign is closed.
    InvalidInputError
        If the budget would exceed 10¹².
    """
    if command.key is not None and command.key in state.requests:
        return None
    if state.ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "be extended")
    budget = state.ledger.budget + command.amount
    if budget > MOST_TICKS:
        raise InvalidInputError(
            "budget after the extension", amount_of(budget), rule=f"must be at most {exact(MOST_MONEY)}"
        )
    unused = [pull for pull in state.pulls.values() if pull.state == UNUSED]
    if needed := [pull for pull in unused if pull.charged is not None and pull.number not in told_costs]:
        raise CostsNeededError(needed)
    used = sorted(_payable(state, unused, state.ledger.left + command.amount, told_costs))
    costs = tuple((number, told_costs[number]) for number, _ in used if number in told_costs)
    return replace(command, used=tuple(used), costs=costs)


def _payable(
    state: CampaignState, unused: Iterable[Pull], left: int, told_costs: Mapping[int, int]
) -> Iterator[tuple[int, float]]:
    """Yield the number and the outcome of each unused pull that `left` pays and whose item is free."""
    taken = set[tuple[int, int | None, int]]()
    for pull in sorted(unused, key=lambda pull: (pull.told, pull.number)):
        arm, place = state.arms[pull.arm], (pull.arm, pull.item, pull.repeat)
        cost = told_costs.get(pull.number, arm.pull_cost)
        is_free = pull.item is None or not (place in taken or has_taken(state.ledger, arm, pull.item, pull.repeat))
        if cost <= left and pull.value is not None and is_free:
            taken.add(place)
            left -= cost
            yield pull.number, pull.value


def measure_by(state: CampaignState, command: e.MeasuredBy) -> e.MeasuredBy | None:
    """Decide to note how a run measures; None if that was noted before."""
    return None if command.key in state.requests else command


def pause(campaign: str, ledger: Ledger) -> e.Paused | None:
    """Decide to pause a campaign; None if it is paused.

    Raises
    ------
    CampaignClosedError
        If it is closed.
    """
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "pause")
    return e.Paused() if ledger.status == OPEN else None


def resume(campaign: str, ledger: Ledger) -> e.Resumed | None:
    """Decide to resume a campaign; None if it is not paused.

    Raises
    ------
    CampaignClosedError
        If the campaign is closed.
    """
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "resume")
    return e.Resumed() if ledger.status == PAUSED else None


def close(ledger: Ledger, *, reason: str) -> e.Closed | None:
    """Decide to close a campaign; None if it is closed."""
    return None if ledger.status == CLOSED else e.Closed(reason)


def check_not_archived(campaign: str, ledger: Ledger) -> None:
    """Raise CampaignArchivedError if a campaign is archived."""
    if ledger.archived:
        raise CampaignArchivedError(campaign)


def archive(ledger: Ledger, *, reason: str) -> e.Archived | None:
    """Decide to archive a campaign; None if it is archived."""
    return None if ledger.archived else e.Archived(reason)


def unarchive(ledger: Ledger) -> e.Unarchived | None:
    """Decide to unarchive a campaign; None if it is not archived."""
    return e.Unarchived() if ledger.archived else None
