"""A campaign behind a service: the same object, wherever its database is."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from thresher.campaign import Terms, amount_of, count_of, decisions, number_of, outcome_of, ticks_of
from thresher.errors import CorruptionError, UnknownTicketError
from thresher.live.arms import ArmRow
from thresher.live.messages import Entry, Receipt, Standing, Ticket
from thresher.live.service_client import LONGEST_POLL, ServiceClient, path_of
from thresher.live.sizes import lines_of, tickets_of
from thresher.live.texts import key_of, reason_of, sought
from thresher.live.verdicts import Verdicts
from thresher.live.wire import verdict_of
from thresher.report.decisions import Said

ARMS_IN_A_CALL = 2000
ROWS_IN_A_CALL = 10_000
LONGEST_TICKET = 100


class HttpBackend:
    """One campaign behind a service.

    Raises
    ------
    UnknownCampaignError
        If the service has none of that name.
    AccessDeniedError
        If the service does not take the token.
    """

    def __init__(self, client: ServiceClient, name: str) -> None:
        self._client, self.name = client, name
        self.terms = Terms.from_dict(client.call("GET", path_of(name))["terms"])

    def _post(self, what: str, body: Any = None, **given: Any) -> Any:
        return self._client.call("POST", path_of(self.name, what), body=body, **given)

    def _known(self, ticket: str) -> str:
        """Return a ticket that at least looks like one; the service would not take another."""
        if len(ticket) > LONGEST_TICKET or not ticket.isprintable():
            raise UnknownTicketError(self.name, ticket)
        decisions.number_in(self.name, ticket)
        return ticket

    def ask(self, n: int, *, key: str | None = None) -> list[Ticket]:
        """Return up to `n` tickets."""
        answer = self._post("ask", {"n": tickets_of(n)}, key=key_of(key) or _new_key())
        return [_ticket(row) for row in answer["tickets"]]

    def tell(self, outcomes: Sequence[tuple[str, Any]]) -> list[Receipt]:
        """Take outcomes by ticket, all or none."""
        told = [{"ticket": self._known(ticket), "outcome": outcome_of(self.terms, value)} for ticket, value in outcomes]
        if not told:
            return []
        return [Receipt(**row) for row in self._post("tell", {"outcomes": told})["receipts"]]

    def tell_counts(
        self, arm: str, *, n: Any, total: Any, squares: Any = None, paid: bool = True, key: str | None = None
    ) -> Receipt:
        """Take aggregated outcomes of one arm."""
        body = {"arm": sought("arm", arm), "n": count_of(n), "total": number_of(total), "paid": bool(paid)}
        body |= {} if squares is None else {"squares": number_of(squares)}
        return Receipt(**self._post("counts", body, key=key_of(key) or _new_key()))

    def fail(self, ticket: str, *, reason: str = "") -> None:
        """Give a pull up."""
        self._post("fail", {"ticket": self._known(ticket), "reason": reason_of(reason)})

    def void(self, ticket: str, *, reason: str = "") -> None:
        """Take an outcome out of the statistics."""
        self._post("void", {"ticket": self._known(ticket), "reason": reason_of(reason)})

    def amend(self, ticket: str, value: Any, *, reason: str = "") -> None:
        """Replace an outcome."""
        outcome = outcome_of(self.terms, value)
        self._post("amend", {"ticket": self._known(ticket), "outcome": outcome, "reason": reason_of(reason)})

    def heartbeat(self, tickets: Sequence[str]) -> list[Ticket | None]:
        """Renew leases; None stands for one that was lost."""
        answer = self._post("heartbeat", {"tickets": [self._known(ticket) for ticket in tickets]})
        return [None if row is None else _ticket(row) for row in answer["tickets"]]

    def add_arms(self, rows: Sequence[ArmRow]) -> None:
        """Add arms; many of them in several calls."""
        for part in _parts(rows):
            self._post("arms", {"arms": _arms(self.terms, part)}, is_repeatable=False)

    def retire(self, arm: str) -> None:
        """Ask an arm no more."""
        self._post("retire", {"arm": sought("arm", arm)})

    def extend(self, amount: float, *, key: str | None = None) -> None:
        """Add to the budget."""
        self._post("extend", {"amount": amount_of(ticks_of(amount))}, key=key_of(key) or _new_key())

    def pause(self) -> None:
        """Hand out no tickets until further notice."""
        self._post("pause")

    def resume(self) -> None:
        """Hand out tickets again."""
        self._post("resume")

    def close(self, *, reason: str = "") -> None:
        """Hand out no tickets any more."""
        self._post("close", {"reason": reason_of(reason)})

    def standing(self) -> Standing:
        """Return how the campaign stands."""
        return standing_of(self._client.call("GET", path_of(self.name)))

    def verdicts(self, **given: Any) -> Verdicts:
        """Return one row for each arm."""
        terms = self.terms.adjusted(**given)
        pages = list(_pages(self._client, path_of(self.name, "verdicts"), **given | {"unit": None}))
        rows = [verdict_of(row) for page in pages for row in page["verdicts"]]
        expected = pages[-1]["expected_mistakes"]
        return Verdicts(
            rows,
            expected_mistakes=float("nan") if expected is None else expected,
            notes=pages[-1]["notes"],
            said=Said(terms.risk, terms.guarantee, terms.passes, terms.unit),
        )

    def history(self, *, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return what happened, by number."""
        first, most = lines_of(after, limit)
        pages = _pages(self._client, path_of(self.name, "history"), after=first, most=most)
        rows = [row for page in pages for row in page["entries"]]
        return [Entry(row["seq"], datetime.fromisoformat(row["at"]), row["kind"], row["details"]) for row in rows]

    def verify(self) -> None:
        """Let the service replay the log and compare everything with it.

        Raises
        ------
        CorruptionError
            If anything stored is not what was written.
        """
        if findings := self._post("verify")["findings"]:
            raise CorruptionError(self.name, findings)

    def wait(self, seconds: float) -> None:
        """Wait until an ask may give a ticket: the service answers at that moment."""
        self._client.call("GET", path_of(self.name), wait=max(seconds, LONGEST_POLL))

    def disconnect(self) -> None:
        """Let go of connections."""
        self._client.close()


def create_over_http(
    client: ServiceClient, name: str, terms: Terms, rows: Sequence[ArmRow], *, budget: float
) -> HttpBackend:
    """Create a campaign behind a service; return it.

    Beyond 2,000 arms it takes several calls: the campaign begins with the first of them and is then added to.

    Raises
    ------
    ThresherError
        What the service says: see :meth:`thresher.live.Campaign.create`.
    """
    first, *rest = _parts(rows)
    body = {"name": name, "budget": amount_of(ticks_of(budget)), "arms": _arms(terms, first), **terms.to_dict()}
    client.call("POST", "/campaigns", body=body, is_repeatable=False)
    backend = HttpBackend(client, name)
    for part in rest:
        backend.add_arms(part)
    return backend


def list_over_http(client: ServiceClient) -> list[Standing]:
    """Return how each campaign of a service stands, oldest first."""
    return [standing_of(row) for page in _pages(client, "/campaigns", size=1000) for row in page["campaigns"]]


def _pages(
    client: ServiceClient,
    path: str,
    *,
    after: int | None = 0,
    most: int | None = None,
    size: int = ROWS_IN_A_CALL,
    **query: Any,
) -> Iterator[Any]:
    """Yield the pages of a list after a row, until the last or until there are `most` rows."""
    while after is not None and most != 0:
        limit = min(size, most or size)
        page = client.call("GET", path, after=after, limit=limit, **query)
        yield page
        after, most = page["next"], None if most is None else most - limit


def standing_of(row: dict[str, Any]) -> Standing:
    """Return a standing that has travelled; an older service gives no note."""
    return Standing(**{field.name: row[field.name] for field in fields(Standing) if field.name in row})


def _ticket(row: dict[str, Any]) -> Ticket:
    return Ticket(row["id"], row["arm"], datetime.fromisoformat(row["expires"]))


def _arms(terms: Terms, rows: Sequence[ArmRow]) -> list[dict[str, Any]]:
    keys = ("arm", "threshold", "sigma", "cost", "pull_cost")
    arms = [dict(zip(keys, (*row[:4], amount_of(row[4])), strict=True)) for row in rows]
    if terms.kind.noise != "given":
        for arm in arms:
            del arm["sigma"]  # it follows from the family, and must not be given
    return arms


def _parts(rows: Sequence[ArmRow]) -> list[Sequence[ArmRow]]:
    return [rows[i : i + ARMS_IN_A_CALL] for i in range(0, len(rows), ARMS_IN_A_CALL)]


def _new_key() -> str:
    """Return a key under which a call can be sent again without being done again."""
    return secrets.token_hex(16)
