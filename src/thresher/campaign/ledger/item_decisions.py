"""State + command → event, for commands about items: as :mod:`thresher.campaign.ledger.decisions`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.refits import Refit, is_due
from thresher.campaign.ledger.rows import CLOSED, TOLD, Ledger, Pull
from thresher.campaign.ledger.state import CampaignState
from thresher.campaign.ledger.terms import Terms
from thresher.errors import (
    BudgetSpentError,
    CampaignClosedError,
    ConflictingOutcomeError,
    InvalidInputError,
    InvalidOutcomeError,
    UnknownNameError,
)
from thresher.number_text import exact
from thresher.problem import amount_of

NO_REPEATS = "the campaign asks each item once: leave the repeat out, or create a campaign with repeats"
MOST_CELLS = 10**8  # a refit holds the table of all arms and items in memory


class ItemOutcome(NamedTuple):
    """An outcome that is told by arm, item, and its ordinal among those of the arm on the item."""

    arm: str
    item: str
    value: float
    repeat: int = 1

    @property
    def place(self) -> str:
        """What it is an outcome of, in words."""
        which = f", repeat {self.repeat}" if self.repeat > 1 else ""
        return f"item {self.item[:60]!r} of arm {self.arm[:60]!r}{which}"


def tell_items(
    campaign: str,
    state: CampaignState,
    outcomes: Sequence[ItemOutcome],
    *,
    paid: bool,
    secret: str,
    batch: str | None = None,
) -> e.ItemsTold | None:
    """Decide which outcomes of items are new; None if all were told before.

    The state must have the arms and the items by name, and the pulls of those pairs.

    Raises
    ------
    UnknownNameError, InvalidOutcomeError
        If there is no such arm or item, an outcome is told twice, or its item is issued and not told yet.
    ConflictingOutcomeError
        If another outcome is stored.
    BudgetSpentError
        If the budget has to pay for them and cannot.
    """
    arms = {arm.name: arm.position for arm in state.arms.values()}
    items = {item.name: item.position for item in state.items.values()}
    holding = pulls_by_place(pull for pull in state.pulls.values() if pull.is_out or pull.state == TOLD)
    fresh, given = dict[ItemPlace, float](), set[ItemPlace]()
    for outcome in outcomes:
        for what, name, known in (("arm", outcome.arm, arms), ("item", outcome.item, items)):
            if name not in known:
                raise UnknownNameError(f"{what} of {campaign[:60]!r}", name[:60], known)
        place = ItemPlace(arms[outcome.arm], items[outcome.item], outcome.repeat)
        check_repeat(outcome, state.ledger.repeats, is_twice=place in given)
        check_new(outcome, holding.get(place), fresh.get(place))
        given.add(place)
        if place not in holding:
            fresh[place] = outcome.value
    cost = sum(state.arms[place.arm].pull_cost for place in fresh) if paid else 0
    if cost > state.ledger.left:
        raise BudgetSpentError(cost=amount_of(cost), left=amount_of(state.ledger.left))
    told = tuple(place.stored(value, state.ledger.repeats) for place, value in sorted(fresh.items()))
    return e.ItemsTold(state.ledger.pulls + 1, secret, told, paid, batch) if told else None


class ItemPlace(NamedTuple):
    """Arm, item and ordinal of an outcome: what makes two outcomes the same measurement."""

    arm: int
    item: int
    repeat: int

    def stored(self, value: float, repeats: int) -> tuple[int, int, float] | tuple[int, int, float, int]:
        """Return an outcome as an event stores it: with its ordinal if items may be asked several times."""
        return (self.arm, self.item, value, self.repeat) if repeats > 1 else (self.arm, self.item, value)


def pulls_by_place(pulls: Iterable[Pull]) -> dict[ItemPlace, Pull]:
    """Return pulls of items by arm, item and ordinal."""
    return {ItemPlace(pull.arm, pull.item, pull.repeat): pull for pull in pulls if pull.item is not None}


def check_repeat(outcome: ItemOutcome, repeats: int, *, is_twice: bool) -> None:
    """Raise InvalidOutcomeError unless the ordinal of an outcome is possible, and is told once."""
    if not 1 <= outcome.repeat <= repeats:
        rule = f"tell repeats from 1 to {repeats}, as often as the campaign may ask an item"
        raise InvalidOutcomeError(outcome.place, instead=rule if repeats > 1 else NO_REPEATS)
    if is_twice and repeats > 1:
        raise InvalidOutcomeError(
            f"{outcome.place} is told twice in one call", instead="tell each outcome with its repeat: 1, 2, …"
        )


def check_new(outcome: ItemOutcome, pull: Pull | None, told: float | None) -> None:
    """Raise unless an outcome of an item is new, or repeats what is stored or told in the same call."""
    where, value = outcome.place, outcome.value
    if pull is not None and pull.is_out:
        raise InvalidOutcomeError(
            f"{where} is issued with ticket {pull.ticket}", instead="tell it with its ticket, or wait until it expires"
        )
    stored = told if pull is None else pull.value
    if stored is not None and stored != value:
        ticket = "" if pull is None else pull.ticket
        raise ConflictingOutcomeError(ticket, stored=stored, told=value, place=where)


def refit(state: CampaignState, before: Ledger, fitted: Refit) -> e.Refitted | None:
    """Decide to write a refit to outcomes that were read when the ledger was `before`; None if it is out of date.

    The state must have all arms and items, and the pulls told after these outcomes.
    """
    now = state.ledger
    if not is_due(now) or (now.fitted, now.pools, now.arms) != (before.fitted, before.pools, before.arms):
        return None
    if now.revised > before.seq:
        return None
    state.refit = fitted
    uneven = any(share != 1.0 for share in fitted.unevenness)
    return e.Refitted(before.told, before.seq, fitted.slope, fitted.share, uneven, fitted.rho, by_scores=uneven)


def add_items(terms: Terms, campaign: str, state: CampaignState, names: Sequence[str]) -> e.ItemsAdded:
    """Decide to add items.

    Raises
    ------
    CampaignClosedError
        If the campaign is closed.
    InvalidInputError
        If the campaign was created without items, has one of the names, or would have too many items.
    """
    ledger = state.ledger
    if ledger.status == CLOSED:
        raise CampaignClosedError(campaign, "take new items")
    if not ledger.pools:
        raise InvalidInputError(
            "items", rule="the campaign was created without items", fix="create another campaign with items"
        )
    if state.items.keys() and (taken := next((i.name for i in state.items.values() if i.name in set(names)), None)):
        raise InvalidInputError("name of a new item", taken, rule="must not be that of another item")
    check_size(ledger.arms, ledger.items + len(names), ledger.repeats)
    return first_items(terms, names)


def first_items(terms: Terms, names: Sequence[str]) -> e.ItemsAdded:
    """Decide to create a campaign with items.

    Raises
    ------
    InvalidInputError
        If there are fewer than an arm must answer first.
    """
    if len(names) < terms.kind.first_pulls:
        raise InvalidInputError(
            "number of items",
            len(names),
            rule=f"must be at least {terms.kind.first_pulls}, the first pulls of an arm of the family {terms.family}",
        )
    return e.ItemsAdded(tuple(names))


def check_size(n_arms: int, n_items: int, repeats: int = 1) -> None:
    """Raise InvalidInputError if the table of arms, items and repeats would be too large."""
    if n_arms * n_items * repeats > MOST_CELLS:
        what = "number of arms times number of items" + (" times repeats" if repeats > 1 else "")
        raise InvalidInputError(what, n_arms * n_items * repeats, rule=f"must be at most {exact(MOST_CELLS)}")
