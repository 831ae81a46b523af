"""What a :class:`~thresher.live.Campaign` stands on: one campaign, near or far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from thresher.campaign import Terms
from thresher.live.arms import ArmRow
from thresher.live.messages import Entry, Receipt, Standing, Ticket
from thresher.live.verdicts import Verdicts


class Backend(Protocol):
    """One campaign: in a database here (:class:`~thresher.live.local.LocalBackend`) or behind HTTP.

    Every method is safe in threads. Those with a key may be repeated with the same key when the answer was lost.
    """

    @property
    def name(self) -> str:
        """The name of the campaign."""
        ...

    @property
    def terms(self) -> Terms:
        """What was fixed when it was created."""
        ...

    def ask(self, n: int, *, key: str | None = None) -> list[Ticket]:
        """Return up to `n` tickets."""
        ...

    def tell(self, outcomes: Sequence[tuple[str, Any]]) -> list[Receipt]:
        """Take outcomes by ticket, all or none."""
        ...

    def tell_counts(
        self, arm: str, *, n: int, total: Any, squares: Any = None, paid: bool = True, key: str | None = None
    ) -> Receipt:
        """Take aggregated outcomes of one arm."""
        ...

    def fail(self, ticket: str, *, reason: str = "") -> None:
        """Give a pull up."""
        ...

    def void(self, ticket: str, *, reason: str = "") -> None:
        """Take an outcome out of the statistics."""
        ...

    def amend(self, ticket: str, value: Any, *, reason: str = "") -> None:
        """Replace an outcome."""
        ...

    def heartbeat(self, tickets: Sequence[str]) -> list[Ticket | None]:
        """Renew leases; None stands for one that was lost."""
        ...

    def add_arms(self, rows: Sequence[ArmRow]) -> None:
        """Add arms."""
        ...

    def retire(self, arm: str) -> None:
        """Ask an arm no more."""
        ...

    def extend(self, amount: float, *, key: str | None = None) -> None:
        """Add to the budget."""
        ...

    def pause(self) -> None:
        """Hand out no tickets until further notice."""
        ...

    def resume(self) -> None:
        """Hand out tickets again."""
        ...

    def close(self, *, reason: str = "") -> None:
        """Hand out no tickets any more."""
        ...

    def standing(self) -> Standing:
        """Return how the campaign stands."""
        ...

    def verdicts(self) -> Verdicts:
        """Return one row for each arm."""
        ...

    def history(self, *, after: int = 0, limit: int | None = None) -> list[Entry]:
        """Return what happened, by number."""
        ...

    def verify(self) -> None:
        """Replay the log and compare everything with it."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait so long, or until something changed."""
        ...

    def disconnect(self) -> None:
        """Let go of files and connections."""
        ...
