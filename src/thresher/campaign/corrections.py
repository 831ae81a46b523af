"""State + command → event, for corrections of outcomes: as :mod:`thresher.campaign.decisions`."""

from __future__ import annotations

from collections.abc import Iterable

from thresher.campaign import events as e
from thresher.campaign.item_order import has_taken
from thresher.campaign.outcomes import outcome_of
from thresher.campaign.rows import TOLD, VOID, Pull
from thresher.campaign.state import CampaignState
from thresher.campaign.terms import Terms
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


def amend(terms: Terms, state: CampaignState, pull: Pull, *, value: float, reason: str) -> e.Amended | None:
    """Decide to replace an outcome, void or not; None if it has that value already.

    Raises
    ------
    NoOutcomeError
        If there is no counted outcome.
    InvalidOutcomeError
        If the family cannot give the new value, the pull is an aggregate, or it was voided and its item was issued
        again since.
    """
    if pull.state not in (TOLD, VOID):
        raise NoOutcomeError(pull.ticket, state=pull.state)
    if pull.size > 1 or pull.squares is not None:
        raise InvalidOutcomeError(
            f"ticket {pull.ticket} is an aggregate and cannot be amended", instead="void it and tell the correct counts"
        )
    value = outcome_of(terms, value)
    if pull.state == VOID and pull.item is not None and has_taken(state.ledger, state.arms[pull.arm], pull.item):
        raise InvalidOutcomeError(
            f"ticket {pull.ticket} was voided, and its item was issued again since",
            instead="amend the later ticket of that item",
        )
    return None if pull.state == TOLD and pull.value == value else e.Amended(pull.number, value, reason)
