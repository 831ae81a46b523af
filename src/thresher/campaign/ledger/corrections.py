"""State + command → event, for corrections of outcomes: as :mod:`thresher.campaign.ledger.decisions`."""

from __future__ import annotations

from collections.abc import Iterable

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.item_order import has_taken
from thresher.campaign.ledger.outcomes import Aggregate, outcome_of, squares_of
from thresher.campaign.ledger.rows import TOLD, VOID, Pull
from thresher.campaign.ledger.state import CampaignState
from thresher.campaign.ledger.terms import Terms
from thresher.errors import InvalidOutcomeError, NoOutcomeError


def void(pull: Pull, *, reason: str) -> e.Voided | None:
    """Decide to remove an outcome from the statistics; None if it was removed before.

    Raises
    ------
    NoOutcomeError
        If there is no counted outcome.
    """
    if pull.state not in (TOLD, VOID):
        raise NoOutcomeError(pull.ticket, state=pull.state)
    return e.Voided(pull.number, reason) if pull.state == TOLD else None


def void_all(state: CampaignState, *, numbers: Iterable[int], reason: str) -> e.Voided | None:
    """Decide to remove the counted outcomes among pulls of one arm from the statistics; None if there are none."""
    counted = sorted(number for number in numbers if state.pulls[number].state == TOLD)
    return e.Voided(counted[0], reason, tuple(counted[1:])) if counted else None


def amend(
    terms: Terms, state: CampaignState, pull: Pull, *, value: float, sums: Aggregate | None = None, reason: str
) -> e.Amended | None:
    """Decide to replace an outcome, or the sums of an aggregate, void or not; None if it has that value already.

    Raises
    ------
    NoOutcomeError
        If there is no counted outcome.
    InvalidOutcomeError
        If the family cannot give the new value, sums are given for a single outcome or a value for an aggregate, or the
        pull was voided and its item was issued again since.
    """
    if pull.state not in (TOLD, VOID):
        raise NoOutcomeError(pull.ticket, state=pull.state)
    if (pull.squares is not None) != (sums is not None):
        what = "an aggregate of several outcomes" if sums is None else "a single outcome"
        instead = "give their number, and their sum as the outcome" if sums is None else "give its value alone"
        raise InvalidOutcomeError(f"ticket {pull.ticket} is {what}", instead=instead)
    if sums is not None:
        squares = squares_of(terms, state.arms[pull.arm], sums)
        is_same = (pull.state, pull.value, pull.size, pull.squares) == (TOLD, sums.total, sums.count, squares)
        return None if is_same else e.Amended(pull.number, sums.total, reason, sums.count, squares)
    value = outcome_of(terms, value)
    is_item = pull.state == VOID and pull.item is not None
    if is_item and has_taken(state.ledger, state.arms[pull.arm], pull.item or 0, pull.repeat):
        raise InvalidOutcomeError(
            f"ticket {pull.ticket} was voided, and its item was issued again since",
            instead="amend the later ticket of that item",
        )
    return None if pull.state == TOLD and pull.value == value else e.Amended(pull.number, value, reason)
