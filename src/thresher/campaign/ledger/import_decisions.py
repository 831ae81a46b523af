"""State + command → event, for imports of files: as :mod:`thresher.campaign.ledger.decisions`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger import item_decisions
from thresher.campaign.ledger.item_decisions import ItemOutcome, ItemPlace
from thresher.campaign.ledger.line_sets import LineSet, decode_hashes, encode_hashes, pack, unpack
from thresher.campaign.ledger.outcomes import Aggregate, outcome_of, squares_of
from thresher.campaign.ledger.rows import TOLD, Arm
from thresher.campaign.ledger.sources import CountLine
from thresher.campaign.ledger.state import CampaignState
from thresher.campaign.ledger.terms import Terms
from thresher.errors import BudgetSpentError, ImportOvertakenError, InvalidOutcomeError, UnknownNameError
from thresher.problem import amount_of

CLOSE = 1e-9
OVERTAKING = (e.SourcesImported, e.CountsTold, e.Voided, e.Amended)  # events after which an import is planned again


class NewAggregate(NamedTuple):
    """Outcomes of an arm that a source adds, and their lines as an event stores them."""

    source: int
    arm: str
    sums: Aggregate
    lines: tuple[tuple[float | None, int, str], ...]

    @classmethod
    def of_lines(cls, source: int, arm: str, lines: LineSet) -> NewAggregate:
        """Return the sum of some lines of one arm."""
        return cls(source, arm, sums_of(lines), pack(lines))

    @classmethod
    def of_count(cls, source: int, arm: str, line: CountLine) -> NewAggregate:
        """Return a line that is an aggregate."""
        return cls(source, arm, line.sums, ((line.sums.squares, 0, encode_hashes_of(line.hash)),))


class NewItemOutcome(NamedTuple):
    """An outcome of an arm on an item that a source adds, and its ordinal among those."""

    source: int
    arm: str
    item: str
    value: float
    repeat: int = 1


class ReducedAggregate(NamedTuple):
    """An aggregate that loses lines: its number, what is left, and the lines as an event stores them."""

    number: int
    sums: Aggregate
    removed: tuple[tuple[float, int, str], ...]

    @classmethod
    def of_lines(cls, number: int, left: LineSet, removed: LineSet) -> ReducedAggregate:
        """Return an aggregate with these lines left."""
        return cls(number, sums_of(left), pack(removed))


class ImportCommand(NamedTuple):
    """What an import writes in one transaction.

    Attributes
    ----------
    batch : str
        The id of the import.
    sources : tuple of (str, str, tuple of str)
        Name, form and continued imports of each source, as the event stores them.
    added : tuple of NewAggregate
    outcomes : tuple of NewItemOutcome
        Instead of aggregates, if the campaign has items.
    voided : tuple of int
    reduced : tuple of ReducedAggregate
    after : int
        Number of the last event that the import was planned with.
    paid : bool
        Whether the budget pays for the outcomes.
    key : str, optional
        Idempotency key.
    """

    batch: str
    sources: tuple[tuple[str, str, tuple[str, ...]], ...]
    added: tuple[NewAggregate, ...] = ()
    outcomes: tuple[NewItemOutcome, ...] = ()
    voided: tuple[int, ...] = ()
    reduced: tuple[ReducedAggregate, ...] = ()
    after: int = 0
    paid: bool = False
    key: str | None = None


def sums_of(lines: LineSet) -> Aggregate:
    """Return the sums of the outcomes of lines; each part of a sum is exact until the last rounding."""
    parts = list(zip(lines.values.tolist(), lines.times.tolist(), strict=True))
    total = math.fsum(value * times for value, times in parts)
    return Aggregate(lines.size, total, math.fsum(value * value * times for value, times in parts))


def encode_hashes_of(one: int) -> str:
    """Return one hash as an event stores it."""
    return encode_hashes(np.array([one], np.uint64))


def store_import(
    terms: Terms, state: CampaignState, command: ImportCommand, *, secret: str
) -> e.SourcesImported | None:
    """Decide to import a version of some sources; None if a call with the same key did it.

    The state must have the arms and items by name, the events after the one that the import was planned with, all pulls
    of the arms of the aggregates that change, and the pulls of the pairs of arms and items.

    Raises
    ------
    ImportOvertakenError
        If another import, correction or outcome of an item came first.
    UnknownNameError, InvalidOutcomeError
        If an arm or item is not known, no outcomes of the family have these sums, an item is issued and not told yet,
        or only one of the campaign and the import has items.
    BudgetSpentError
        If the budget has to pay for them and cannot.
    """
    if command.key is not None and command.key in state.requests:
        return None
    if any(isinstance(e.read_event(entry.kind, entry.body), OVERTAKING) for entry in state.log):
        raise ImportOvertakenError
    if state.ledger.pools and command.added:
        raise InvalidOutcomeError("an aggregate in a campaign with items", instead="tell each outcome with its item")
    arms = {arm.name: arm for arm in state.arms.values()}
    pulls = tuple(_pull(terms, arms, one, len(command.sources)) for one in command.added)
    outcomes = _item_outcomes(terms, state, arms, command)
    prices = [arms[one.arm].pull_cost * one.sums.count for one in command.added]
    cost = sum(prices, sum(arms[one.arm].pull_cost for one in command.outcomes)) if command.paid else 0
    if cost > state.ledger.left:
        raise BudgetSpentError(cost=amount_of(cost), left=amount_of(state.ledger.left))
    _check_corrected(state, [*command.voided, *(one.number for one in command.reduced)])
    reduced = tuple(_left(terms, state, one) for one in command.reduced)
    return e.SourcesImported(
        state.ledger.pulls + 1,
        secret,
        command.sources,
        pulls,
        command.batch,
        command.paid,
        command.key,
        command.voided,
        reduced,
        outcomes,
    )


def _item_outcomes(
    terms: Terms, state: CampaignState, arms: dict[str, Arm], command: ImportCommand
) -> tuple[tuple[int, int, int, float] | tuple[int, int, int, float, int], ...]:
    """Return the outcomes of items as the event stores them; raise if one of them has no place."""
    if command.outcomes and not state.ledger.pools:
        raise InvalidOutcomeError("an item in a campaign without items", instead="leave out the item")
    items, voided = {item.name: item.position for item in state.items.values()}, set(command.voided)
    holding = item_decisions.pulls_by_place(
        pull for pull in state.pulls.values() if pull.is_out or (pull.state == TOLD and pull.number not in voided)
    )
    found: dict[ItemPlace, tuple[int, int, int, float] | tuple[int, int, int, float, int]] = {}
    for one in command.outcomes:
        for what, name, known in (("arm", one.arm, arms.keys()), ("item", one.item, items.keys())):
            if name not in known:
                raise UnknownNameError(what, name[:60], known)
        _check_source(one.source, len(command.sources))
        outcome = ItemOutcome(one.arm, one.item, outcome_of(terms, one.value), one.repeat)
        place = ItemPlace(arms[one.arm].position, items[one.item], one.repeat)
        if (pull := holding.get(place)) is not None and not pull.is_out:
            raise ImportOvertakenError
        item_decisions.check_repeat(outcome, state.ledger.repeats, is_twice=False)
        item_decisions.check_new(outcome, pull, None)
        if place in found:
            raise InvalidOutcomeError(f"{outcome.place} twice", instead="tell it once")
        found[place] = one.source, *place.stored(outcome.value, state.ledger.repeats)
    return tuple(found.values())


def _check_source(source: int, sources: int) -> None:
    if not 0 <= source < sources:
        raise InvalidOutcomeError(f"source number {source}", instead=f"give 0 to {sources - 1}")


def _pull(
    terms: Terms, arms: dict[str, Arm], one: NewAggregate, sources: int
) -> tuple[int, int, int, float, float, tuple[tuple[float | None, int, str], ...]]:
    if one.arm not in arms:
        raise UnknownNameError("arm", one.arm[:60], arms)
    _check_source(one.source, sources)
    if not _has_lines(one):
        raise InvalidOutcomeError(f"lines of arm {one.arm[:60]!r} unlike its numbers", instead="repeat the import")
    arm, sums = arms[one.arm], one.sums
    return one.source, arm.position, sums.count, sums.total, squares_of(terms, arm, sums), one.lines


def _has_lines(one: NewAggregate) -> bool:
    """Return whether the lines of an aggregate have its sums: a client may send anything."""
    try:
        if len(one.lines) == 1 and one.lines[0][1] == 0:
            return len(decode_hashes(one.lines[0][2])) == 1
        sums = sums_of(unpack([(value or 0.0, times, text) for value, times, text in one.lines], 0))
    except ValueError:
        return False
    return sums.count == one.sums.count and math.isclose(sums.total, one.sums.total, abs_tol=CLOSE)


def _left(
    terms: Terms, state: CampaignState, one: ReducedAggregate
) -> tuple[int, int, float, float, tuple[tuple[float, int, str], ...]]:
    arm = state.arms[state.pulls[one.number].arm]
    return one.number, one.sums.count, one.sums.total, squares_of(terms, arm, one.sums), one.removed


def _check_corrected(state: CampaignState, numbers: Sequence[int]) -> None:
    """Raise InvalidOutcomeError unless these are different aggregates that count."""
    counted = [n for n in dict.fromkeys(numbers) if n in state.pulls and state.pulls[n].state == TOLD]
    if len(counted) != len(numbers):
        raise InvalidOutcomeError("an aggregate to correct that does not count", instead="repeat the import")
