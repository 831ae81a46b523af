"""Every error that thresher raises on purpose.

::

    ThresherError
    ├── InvalidInputError (ValueError)       a value that breaks a rule: a number, a text, a cell of a file
    ├── UnknownNameError (LookupError)       a policy, problem or parameter that does not exist
    ├── InvalidIndexError (ValueError)       an index that breaks the paper's Assumption 1, or cannot be registered
    ├── InvalidPolicyError (ValueError)      a custom policy that cannot be registered, or misbehaves
    ├── MissingExtraError (ImportError)      a feature whose optional packages are not installed
    ├── ExperimentError                      a grid that cannot run, or results of another grid
    ├── CampaignError                        what a campaign refuses
    │   ├── UnknownCampaignError (LookupError)   no campaign of that name
    │   ├── CampaignExistsError                  a name that is taken
    │   ├── UnknownTicketError (LookupError)     a ticket that this campaign never issued
    │   ├── InvalidOutcomeError (ValueError)     an outcome that the family does not allow
    │   ├── ConflictingOutcomeError              another outcome is stored for this ticket
    │   ├── ConflictingKeyError                  an idempotency key that was used for something else
    │   ├── ImportConflictError                  a file that contradicts what an earlier import told
    │   ├── LikelyCopyError                      a file that repeats most of another source
    │   ├── ImportOvertakenError                 another import or correction came first
    │   ├── NoOutcomeError                       a ticket without a counted outcome to void or to amend
    │   ├── BudgetSpentError                     outcomes that the budget cannot pay for
    │   ├── PolicyUnavailableError (LookupError) a custom policy that was not imported here
    │   ├── CampaignClosedError                  a change to a campaign that was closed
    │   └── CampaignArchivedError                an ask, a tell or another change while a campaign is archived
    ├── AccessDeniedError                    a token that the service does not accept
    └── StorageError                         what a database cannot do
        ├── StorageUnavailableError              it cannot be reached, written or read now
        ├── SchemaVersionError                   it was created by another version of thresher
        └── CorruptionError                      stored data do not match the log

Constructors take the facts and compose the message: what is wrong, and how to fix it.
"""

import shlex
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from thresher.number_text import amount


class ThresherError(Exception):
    """The base class of all errors of thresher."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by message, because constructors take facts instead."""
        return _arrive, (type(self), self.args, vars(self))


def _arrive(kind: type[ThresherError], args: tuple[Any, ...], facts: dict[str, Any]) -> ThresherError:
    """Return an error that came from another process."""
    error = kind.__new__(kind, *args)
    vars(error).update(facts)
    return error


MISSING: Any = object()  # the value of an input that was not given
LONGEST_VALUE = 60  # characters of a value that a message repeats
MOST_LISTED = 40  # known names in a message
NEAR = 0.6  # how similar a name is to a known one, by difflib, to be taken for a misspelling


class InvalidInputError(ThresherError, ValueError):
    """A value that breaks a rule. The message has the field, the value, the rule, and how to fix it.

    Parameters
    ----------
    where : str
        The field, in the words of the caller: ``threshold of arm 'b'``, ``line 3: cost``, ``--budget``.
    value : object
        What was given; the message shows at most 60 characters of it. Leave it out if nothing was given.
    rule : str
        What a value must be: ``must be between 0 and 1 (exclusive)``.
    fix : str
        How to fix it, if the rule alone does not show that.

    Examples
    --------
    >>> print(InvalidInputError("threshold of arm 'b'", 1.5, rule="must be between 0 and 1 (exclusive)"))
    threshold of arm 'b' is 1.5; must be between 0 and 1 (exclusive)
    >>> print(InvalidInputError("threshold", rule="every arm needs one", fix="add --bar 0.8"))
    threshold is missing; every arm needs one; add --bar 0.8
    """

    def __init__(self, where: str, value: object = MISSING, *, rule: str, fix: str = "") -> None:
        self.where, self.value, self.rule, self.fix = where, _shown(value), rule, fix
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        return "; ".join(part for part in (f"{self.where} is {self.value}", self.rule, self.fix) if part)

    def at(self, where: str) -> "InvalidInputError":
        """Return the same error for a field with another name: the flag, or the line of a file and its key."""
        moved = _arrive(type(self), (), vars(self) | {"where": where})
        assert isinstance(moved, InvalidInputError)
        moved.args = (moved._sentence(),)
        return moved


def _shown(value: object) -> str:
    """Return a value as a message shows it."""
    if value is MISSING:
        return "missing"
    try:
        # An array has several lines.
        text = f"{value:g}" if isinstance(value, float) else " ".join(repr(value).split())
    except ValueError:  # thousands of digits
        return "too large"
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"


class UnknownNameError(ThresherError, LookupError):
    """A name that does not exist; the message suggests the nearest ones.

    Examples
    --------
    >>> print(UnknownNameError("parameter of 'linear'", "k", ["K", "sigma"]))
    unknown parameter 'k' of 'linear'; did you mean 'K'?
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        same = [each for each in self.known if each.lower() == name.lower()]
        near = same or get_close_matches(name, self.known, n=2, cutoff=NEAR)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {_listed(self.known)}"
        what, of, owner = kind.partition(" of ")
        super().__init__(f"unknown {what} {_shown(name)}{of}{owner}; {hint}")


def _listed(names: list[str]) -> str:
    """Return names as a message lists them."""
    rest = f", … ({len(names)} in all)" if len(names) > MOST_LISTED else ""
    return (", ".join(names[:MOST_LISTED]) or "none") + rest


class InvalidIndexError(ThresherError, ValueError):
    """An index that is not non-decreasing and unbounded (Assumption 1 of the paper), or cannot be registered."""

    def __init__(self, name: str, what: str, *, fault: str = "breaks Assumption 1 of the paper") -> None:
        super().__init__(f"index {name!r} {fault}: {what}")


class InvalidPolicyError(ThresherError, ValueError):
    """A custom policy that cannot be registered, or that makes an invalid choice or decision."""

    def __init__(self, name: str, what: str, *, instead: str) -> None:
        super().__init__(f"policy {name!r}: {what}; {instead}")


class MissingExtraError(ThresherError, ImportError):
    """A feature whose optional packages are not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs packages that are not installed; type in a checkout of thresher: pip install '.[{extra}]'"
        )


class ExperimentError(ThresherError):
    """A grid of runs that cannot be started, or stored results that belong to another one."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


class CampaignError(ThresherError):
    """What a campaign refuses; nothing was stored."""


class UnknownCampaignError(CampaignError, LookupError):
    """No campaign of that name; the message suggests the nearest ones."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, sorted(known)
        near = get_close_matches(name, self.known, n=2, cutoff=0.5)
        shown = ", ".join(map(repr, near or self.known[:5]))
        more = "" if near or len(self.known) <= 5 else f" and {len(self.known) - 5} more"
        what = f"no campaign {_shown(name)}" if name else "no campaign is named"
        hint = f"existing: {shown}{more}" if name else f"name one of {shown}{more}"
        super().__init__(f"{what}; {hint if shown else 'there is none yet: create one first'}")


class CampaignExistsError(CampaignError):
    """A name that is taken."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is a campaign {_shown(name)} already; open it, or choose another name")


class UnknownTicketError(CampaignError, LookupError):
    """A ticket that this campaign never issued."""

    def __init__(self, campaign: str, ticket: str) -> None:
        self.campaign, self.ticket = campaign, ticket
        super().__init__(
            f"campaign {_shown(campaign)} never issued the ticket {_shown(ticket)}; name the campaign where it was "
            "asked"
        )


class InvalidOutcomeError(CampaignError, ValueError):
    """An outcome that the family of the campaign does not allow."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


class ConflictingOutcomeError(CampaignError):
    """Another outcome is stored for this ticket, or for this arm and item; it stays."""

    def __init__(self, ticket: str, *, stored: float, told: float, place: str = "") -> None:
        self.ticket, self.stored, self.told = ticket, stored, told
        what = ", ".join(filter(None, (place, ticket and f"ticket {ticket}")))
        super().__init__(f"{what} already has outcome {stored:.17g} (got {told:.17g}); use amend to change it")


class ConflictingKeyError(CampaignError):
    """An idempotency key that was used for another request, which stays in effect."""

    def __init__(self, *, stored: str) -> None:
        self.stored = stored
        super().__init__(f"this idempotency key was used before, for {stored}; use another key for something else")


class ImportConflictError(CampaignError):
    """A file that contradicts what an earlier import told, or cannot be compared with it; nothing was stored."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}; nothing was stored")


class LikelyCopyError(CampaignError):
    """A file that repeats most of another source, or may repeat an import of an earlier version of thresher."""

    def __init__(self, what: str, *, source: str = "", instead: str) -> None:
        self.source = source
        super().__init__(f"{what}; {instead}; nothing was stored")


class ImportOvertakenError(CampaignError):
    """Another import or correction of the same campaign came first; nothing was stored."""

    def __init__(self) -> None:
        super().__init__("another import or correction came first and nothing was stored; repeat the import")


class NoOutcomeError(CampaignError):
    """A ticket without a counted outcome to void or to amend."""

    def __init__(self, ticket: str, *, state: str) -> None:
        self.ticket, self.state = ticket, state
        super().__init__(
            f"ticket {ticket} has no counted outcome (it is {state}); only a told one can be voided or amended"
        )


class BudgetSpentError(CampaignError):
    """Outcomes that the budget cannot pay for."""

    def __init__(self, *, cost: float, left: float) -> None:
        self.cost, self.left = cost, left
        super().__init__(
            f"these outcomes cost {amount(cost)} and {amount(left)} of the budget is left; extend the budget first"
        )


class PolicyUnavailableError(CampaignError, LookupError):
    """The policy of a stored campaign cannot be used in this process, as a rule because it was not imported."""

    def __init__(self, policy: str, why: str) -> None:
        self.policy = policy
        super().__init__(
            f"the policy {policy!r} of this campaign is not available here ({why}); import the module that registers "
            "it: --plugin MODULE on the command line, an import statement in Python"
        )


class CampaignClosedError(CampaignError):
    """A change to a campaign that was closed."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"campaign {_shown(name)} is closed and cannot {what}; create another one")


class CampaignArchivedError(CampaignError):
    """An ask, a tell or another change while a campaign is archived."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"campaign {_shown(name)} is archived and accepts no asks, outcomes or changes; unarchive it first: "
            "thresher archive NAME --undo, or campaign.unarchive()"
        )


class AccessDeniedError(ThresherError):
    """A token that the service does not accept, or whose scope does not allow the request."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


class StorageError(ThresherError):
    """A failure of the database; nothing that was acknowledged is lost."""

    def __init__(self, what: str, *, instead: str) -> None:
        super().__init__(f"{what}; {instead}")


class StorageUnavailableError(StorageError):
    """The database cannot be reached, written or read now; trying again later may help."""


class SchemaVersionError(StorageError):
    """The database was created by another version of thresher."""

    def __init__(self, where: str, *, found: int, known: int) -> None:
        self.found, self.known = found, known
        super().__init__(
            f"{where} has schema version {found} and this version of thresher supports {known}",
            instead="install a newer thresher",
        )


class CorruptionError(StorageError):
    """Stored data do not match the event log; ``thresher verify`` lists all differences."""

    def __init__(self, campaign: str, findings: Iterable[str], *, was_audited: bool = True) -> None:
        self.campaign, self.findings = campaign, list(findings)
        shown = "; ".join(self.findings[:3]) + ("; …" if len(self.findings) > 3 else "")
        instead = "restore it from a backup" if was_audited else f"run thresher verify {shlex.quote(campaign)}"
        super().__init__(f"campaign {campaign!r} does not verify: {shown}", instead=instead)


__all__ = [
    "AccessDeniedError",
    "BudgetSpentError",
    "CampaignArchivedError",
    "CampaignClosedError",
    "CampaignError",
    "CampaignExistsError",
    "ConflictingKeyError",
    "ConflictingOutcomeError",
    "CorruptionError",
    "ExperimentError",
    "ImportConflictError",
    "ImportOvertakenError",
    "InvalidIndexError",
    "InvalidInputError",
    "InvalidOutcomeError",
    "InvalidPolicyError",
    "LikelyCopyError",
    "MissingExtraError",
    "NoOutcomeError",
    "PolicyUnavailableError",
    "SchemaVersionError",
    "StorageError",
    "StorageUnavailableError",
    "ThresherError",
    "UnknownCampaignError",
    "UnknownNameError",
    "UnknownTicketError",
]
