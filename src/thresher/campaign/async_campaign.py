"""A campaign for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from thresher.campaign.campaign import LONGEST_WAIT, SHORTEST_WAIT, Campaign, Receipts, Tickets, ToldPull
from thresher.campaign.messages import Entry, Receipt, Standing, Ticket
from thresher.campaign.storage import Storage
from thresher.campaign.term_keywords import TermKeywords
from thresher.campaign.verbs import AwaitedVerbs, Verb
from thresher.campaign.verdicts import Verdicts

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class AsyncCampaign(AwaitedVerbs):
    """A campaign whose methods are awaited: in a database, or behind a service.

    It is a :class:`~thresher.Campaign` whose calls run in threads, so the event loop goes on while one waits for the
    database or the network. Everything that has no method here is a method of `blocking`.

    Parameters
    ----------
    blocking : Campaign

    Examples
    --------
    >>> async def main():
    ...     campaign = await AsyncCampaign.create("memory://", "coins", arms=["fair", "bent"], bar=0.4, budget=20)
    ...     async for ticket in campaign.tickets():
    ...         await campaign.tell(ticket, ticket.arm == "fair")
    ...     return [(row.arm, row.verdict) for row in await campaign.verdicts()]
    >>> asyncio.run(main())
    [('fair', 'above'), ('bent', 'below')]
    """

    def __init__(self, blocking: Campaign) -> None:
        self.blocking = blocking

    async def perform(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Perform a verb with its arguments by name; return what it returns."""
        return await _in_thread(self.blocking.perform, verb, given)

    @classmethod
    async def create(
        cls,
        address: str | Storage,
        name: str,
        *,
        arms: Any,
        budget: float,
        items: Any = None,
        bar: Any = None,
        threshold: Any = None,
        sigma: Any = None,
        costs: Any = None,
        pull_costs: Any = None,
        measured: Mapping[str, int] | None = None,
        history: Any = None,
        proxy: Any = None,
        token: str | None = None,
        **terms: Unpack[TermKeywords],
    ) -> AsyncCampaign:
        """Return a new campaign; the parameters and errors are those of :meth:`thresher.Campaign.create`."""
        numbers = {"bar": bar, "threshold": threshold, "sigma": sigma, "costs": costs, "pull_costs": pull_costs}
        given: dict[str, Any] = {"arms": arms, "budget": budget, "items": items, "token": token, **numbers, **terms}
        given |= {"measured": measured, "history": history, "proxy": proxy}
        return cls(await asyncio.to_thread(Campaign.create, address, name, **given))

    @classmethod
    async def open(cls, address: str | Storage, name: str, *, token: str | None = None) -> AsyncCampaign:
        """Return a campaign that exists."""
        return cls(await asyncio.to_thread(Campaign.open, address, name, token=token))

    @property
    def name(self) -> str:
        """The name of the campaign."""
        return self.blocking.name

    async def standing(self) -> Standing:
        """Return the state of the campaign, from one read."""
        return await asyncio.to_thread(lambda: self.blocking.standing)

    @overload
    async def ask(self, n: None = None, *, key: str | None = None) -> Ticket | None: ...
    @overload
    async def ask(self, n: int, *, key: str | None = None) -> Tickets: ...
    async def ask(self, n: int | None = None, *, key: str | None = None) -> Ticket | Tickets | None:
        """Return a ticket, or None; with `n` a list of up to `n` tickets."""
        return await _in_thread(self.blocking.ask, n, key=key)

    async def tell(self, ticket: Ticket | str, outcome: Any, cost: float | None = None) -> Receipt:
        """Tell the outcome of a pull; safe to repeat."""
        return await _in_thread(self.blocking.tell, ticket, outcome, cost)

    async def tell_many(self, outcomes: Iterable[ToldPull]) -> Receipts:
        """Tell (ticket, outcome) pairs, or triples with a cost, in one transaction."""
        return await _in_thread(self.blocking.tell_many, list(outcomes))

    async def verdicts(self, **terms: Any) -> Verdicts:
        """Return one row for each arm; the parameters are those of :meth:`thresher.Campaign.verdicts`."""
        return await asyncio.to_thread(self.blocking.verdicts, **terms)

    async def history(self, *, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return the events after number `after`, in order."""
        return await _in_thread(self.blocking.history, after=after, limit=limit)

    async def tickets(self) -> AsyncIterator[Ticket]:
        """Yield tickets one at a time: wait while others hold the rest of the budget, end when it is spent."""
        pause = SHORTEST_WAIT
        while True:
            if (ticket := await self.ask()) is not None:
                pause = SHORTEST_WAIT
                yield ticket
            elif not (await self.standing()).is_open:
                return
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_WAIT)

    async def disconnect(self) -> None:
        """Close files and connections; the campaign stays as it is."""
        await _in_thread(self.blocking.disconnect)


async def _in_thread(call: Callable[Given, Answer], *values: Given.args, **named: Given.kwargs) -> Answer:
    """Return what a blocking call returns."""
    return await asyncio.to_thread(call, *values, **named)
