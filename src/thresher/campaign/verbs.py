"""The verbs of a campaign that are declared once: what a user may change by one call with a few plain arguments.

The methods of :class:`Verbs` are the declarations. From the signature of one, its docstring and the arguments of the
decorator follow the methods of :class:`~thresher.Campaign` and :class:`~thresher.AsyncCampaign`, the request of the
HTTP client, the route of the service with its body in the OpenAPI document, the form of the dashboard, and a plain
command. What the verb does is in the method of the same name of :class:`thresher.campaign.local.LocalBackend`.

An argument means the same in every verb. Its check is in :mod:`thresher.campaign.arguments`, its JSON type in
:mod:`thresher.service.routes.verbs`, its option in :mod:`thresher.cli.verbs`.

``ask``, the methods that tell outcomes, additions and reads are written by hand: they take tables or several forms of
one argument, or need several requests, and no two are alike.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from thresher.campaign.messages import Ticket

Given = ParamSpec("Given")
Returned = TypeVar("Returned", covariant=True)

KEY = "key"  # the argument that is the header Idempotency-Key of a request
MEMBERS = {"budget": "amount"}  # arguments that have another name in the body of a request


@dataclass(frozen=True)
class Command:
    """A plain command: arguments without a default are words that follow the campaign, the others are options.

    Parameters
    ----------
    help, example : str
        The first sentence of its help, and an example without ``thresher``.
    words : str
        The help of the words.
    line : str
        What it prints, with arguments in braces; the status of the campaign if it is empty.
    """

    help: str
    example: str
    words: str = ""
    line: str = ""


@dataclass(frozen=True)
class Verb:
    """A verb as it was declared.

    Parameters
    ----------
    signature : inspect.Signature
        Of the method, without ``self``.
    description : str
        What the OpenAPI document says: the first paragraph of the docstring, unless another is given.
    scope : str
        The scope that a token needs: ``work`` or ``admin``.
    answer : str
        What the service responds: ``done``, ``standing`` (the state of the campaign afterwards), or the member that has
        what the method returns.
    command : Command, optional
    """

    name: str
    signature: inspect.Signature
    description: str
    scope: Literal["work", "admin"]
    answer: str
    command: Command | None

    @property
    def arguments(self) -> list[str]:
        """The names of the arguments, in order."""
        return list(self.signature.parameters)

    @property
    def path(self) -> str:
        """The last part of the path of the route."""
        return self.name.replace("_", "-")

    @property
    def members(self) -> dict[str, str]:
        """The members of the body of a request, by argument; an idempotency key is not in the body."""
        return {name: MEMBERS.get(name, name) for name in self.arguments if name != KEY}

    @property
    def takes_key(self) -> bool:
        """Whether it takes an idempotency key."""
        return KEY in self.arguments


VERBS: dict[str, Verb] = {}  # by name, in the order of their declaration


class _Method(Protocol[Given, Returned]):
    """A verb as type checkers see it: a coroutine function in an asynchronous campaign, else a function."""

    @overload
    def __get__(self, instance: None, owner: Any) -> Callable[..., Any]: ...
    @overload
    def __get__(self, instance: AwaitedVerbs, owner: Any) -> Callable[Given, Coroutine[Any, Any, Returned]]: ...
    @overload
    def __get__(self, instance: Verbs, owner: Any) -> Callable[Given, Returned]: ...


def verb(
    *,
    scope: Literal["work", "admin"] = "admin",
    answer: str = "done",
    description: str = "",
    command: Command | None = None,
) -> Callable[[Callable[Concatenate[Any, Given], Returned]], _Method[Given, Returned]]:
    """Return the decorator that declares a verb; :class:`Verb` has the parameters."""

    def declare(method: Any) -> Any:
        signature = inspect.signature(method)
        signature = signature.replace(parameters=[*signature.parameters.values()][1:])
        text = description or inspect.cleandoc(method.__doc__).partition("\n\n")[0]
        VERBS[method.__name__] = declared = Verb(method.__name__, signature, text, scope, answer, command)

        @wraps(method)
        def call(self: Verbs, *positional: Any, **named: Any) -> Any:
            given = signature.bind(*positional, **named)
            given.apply_defaults()
            return self.perform(declared, given.arguments)

        return call

    return declare


class Verbs:
    """The verbs of a campaign that are declared once."""

    def perform(self, verb: Verb, given: Mapping[str, Any]) -> Any:
        """Perform a verb with its arguments by name; return what it returns."""
        raise NotImplementedError

    @verb(scope="work")
    def fail(self, ticket: Ticket | str, *, reason: str = "") -> None:
        """Report that a pull has no outcome.

        Its cost is handled like that of an expired lease.
        """

    @verb(scope="work", answer="tickets")
    def heartbeat(self, *tickets: Ticket | str) -> list[Ticket | None]:
        """Renew leases.

        Return the tickets; None for each lost one (its outcome may still be told, late).
        """
        raise NotImplementedError

    @verb()
    def void(self, ticket: Ticket | str, *, reason: str = "") -> None:
        """Remove an outcome from the statistics; its cost stays spent.

        :meth:`amend` restores it.
        """

    @verb(answer="voided")
    def void_import(self, batch: str, *, reason: str = "") -> int:
        """Remove all outcomes of an import from the statistics.

        Return the number that counted before.

        Raises
        ------
        UnknownNameError
            If nothing was told with this `batch`.
        """
        raise NotImplementedError

    @verb()
    def amend(
        self,
        ticket: Ticket | str,
        outcome: Any,
        *,
        n: int | None = None,
        squares: float | None = None,
        reason: str = "",
    ) -> None:
        """Replace an outcome, or the numbers of an aggregate.

        The numbers of an aggregate are its sum as `outcome`, its number `n` and its sum of squares.
        """

    @verb(
        command=Command(
            "Stop measuring an arm; it keeps its verdict.",
            "retire coins bent",
            words="Arm to stop measuring.",
            line="{arm}: retired",
        )
    )
    def retire(self, arm: str) -> None:
        """Stop measuring an arm; it keeps its verdict."""

    @verb(answer="standing", description="Add to the budget; requests with the same Idempotency-Key add once.")
    def extend(self, budget: float, *, key: str | None = None) -> None:
        """Add to the budget; calls with the same key add once.

        Raises
        ------
        ConflictingKeyError
            If the key was used for something else.
        """

    @verb(answer="standing", command=Command("Issue no more tickets, until thresher resume.", "pause coins"))
    def pause(self) -> None:
        """Stop issuing tickets until the campaign is resumed."""

    @verb(answer="standing", command=Command("Issue tickets of a paused campaign again.", "resume coins"))
    def resume(self) -> None:
        """Issue tickets again."""

    @verb(
        answer="standing",
        command=Command("Close a campaign for good: no more tickets.", 'close coins --reason "we know enough"'),
    )
    def close(self, *, reason: str = "") -> None:
        """Close the campaign: issue no more tickets; outcomes of issued ones are still accepted."""

    @verb(answer="standing")
    def archive(self, *, reason: str = "") -> None:
        """Archive the campaign: lists leave it out, and it refuses every change until it is unarchived.

        Outcomes of issued tickets are refused too. Nothing is deleted: the campaign can be read, exported and verified,
        and :meth:`unarchive` brings it back as it was.
        """

    @verb(answer="standing")
    def unarchive(self) -> None:
        """Undo the archiving: the campaign is as it was."""


class AwaitedVerbs(Verbs):
    """The verbs of a campaign whose methods are awaited."""
