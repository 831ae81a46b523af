"""The arguments of verbs: the check of each, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from thresher.campaign.inputs import amended_value, key_of, lookup_name, reason_of
from thresher.campaign.ledger import Terms, decisions
from thresher.campaign.messages import Ticket
from thresher.errors import UnknownTicketError
from thresher.problem import amount_of, ticks_of

LONGEST_TICKET = 100


class NamedCampaign(Protocol):
    """The campaign whose verbs are called."""

    name: str
    terms: Terms


def ticket_id(ticket: Ticket | str) -> str:
    """Return the id of a ticket, without the blanks of a file or a shell around it."""
    return ticket.id if isinstance(ticket, Ticket) else str(ticket).strip()


def check_ticket(campaign: str, ticket: str) -> str:
    """Return the id of a ticket; raise UnknownTicketError if no ticket has this form."""
    if len(ticket) > LONGEST_TICKET or not ticket.isprintable():
        raise UnknownTicketError(campaign, ticket)
    decisions.number_in(campaign, ticket)
    return ticket


def _as_given(value: Any) -> Any:
    return value


CHECKS: dict[str, Callable[[Any], Any]] = {
    "ticket": ticket_id,
    "tickets": lambda tickets: [ticket_id(ticket) for ticket in tickets],
    "reason": reason_of,
    "arm": partial(lookup_name, "arm"),
    "budget": lambda budget: amount_of(ticks_of(budget)),
    "key": key_of,
    "batch": _as_given,  # one that cannot be stored is the id of no import
    "outcome": _as_given,  # its rule depends on the family: see below
    "n": _as_given,  # checked together with the sum and the squares, as an aggregate
    "squares": _as_given,
}


def checked(campaign: NamedCampaign, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a verb as they are stored and sent.

    Raises
    ------
    InvalidInputError, InvalidOutcomeError, UnknownTicketError
        If one breaks its rule.
    """
    done = {name: CHECKS[name](value) for name, value in given.items()}
    for ticket in [done["ticket"]] if "ticket" in done else done.get("tickets", ()):
        check_ticket(campaign.name, ticket)
    if "outcome" in done:
        done["outcome"] = amended_value(campaign.terms, done["outcome"], done["n"])
    return done
