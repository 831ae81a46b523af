"""Import of a log into a campaign: all outcomes or none, each counted once."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import groupby
from typing import TypeAlias

from thresher.campaign import Terms, outcome_of
from thresher.errors import InvalidOutcomeError
from thresher.live import Campaign, Items
from thresher.runner.adapters.log import LoggedOutcome

ITEMS_IN_A_CALL = 4000  # a service accepts a megabyte

Progress: TypeAlias = Callable[[int, int], None]  # called with how many parts are done, of how many


@dataclass(frozen=True)
class Imported:
    """Counts of an import.

    Parameters
    ----------
    told, before : int
        Outcomes told now; outcomes told by an earlier import.
    arms : int
        Number of arms with outcomes in the log.
    batch : str
        The id of the import: :meth:`~thresher.live.Campaign.void_import` takes its outcomes back.
    """

    told: int
    before: int
    arms: int
    batch: str


def tell_log(campaign: Campaign, outcomes: Sequence[LoggedOutcome], *, progress: Progress | None = None) -> Imported:
    """Tell outcomes that another tool measured; return counts.

    Outcomes with tickets are told in one transaction; their cost was reserved by the ask. Outcomes with names of arms
    do not use the budget: they were measured elsewhere. All are checked before the first is stored. If the database
    fails in between, repeating the import stores the rest.

    Raises
    ------
    InvalidOutcomeError
        If an outcome does not fit the campaign; the message names the line, and nothing was stored.
    CampaignError
        If a ticket is unknown or another outcome is stored for it; nothing was stored.
    """
    check_values(campaign.terms, outcomes)
    batch = batch_id(outcomes)
    if any(one.ticket for one in outcomes):
        receipts = campaign.tell_many([(one.ticket, one.value) for one in outcomes], batch=batch)
        before = sum(receipt.replayed for receipt in receipts)
        return Imported(len(receipts) - before, before, len({receipt.arm for receipt in receipts}), batch)
    check_arms(known_arms(campaign), outcomes)
    told = _tell_items if campaign.standing.items else _tell_arms
    new = told(campaign, outcomes, batch, progress or (lambda done, whole: None))  # noqa: ARG005
    return Imported(new, len(outcomes) - new, len({one.arm for one in outcomes}), batch)


def _tell_arms(campaign: Campaign, outcomes: Sequence[LoggedOutcome], batch: str, progress: Progress) -> int:
    """Tell outcomes by arm; return how many are new."""
    told, parts = 0, _parts(outcomes, _Earlier(campaign))
    for done, (key, part) in enumerate(parts, start=1):
        total, squares = math.fsum(one.value for one in part), math.fsum(one.value * one.value for one in part)
        receipt = campaign.tell_counts(
            part[-1].arm, n=len(part), total=total, squares=squares, paid=False, key=key, batch=batch
        )
        told += 0 if receipt.replayed else len(part)
        progress(done, len(parts))
    return told


def _tell_items(campaign: Campaign, outcomes: Sequence[LoggedOutcome], batch: str, progress: Progress) -> int:
    """Tell outcomes by arm and item, after all were checked; return how many are new."""
    known = campaign.items()
    check_items(known.names, outcomes, stored_pairs(known))
    told = 0
    for first in range(0, len(outcomes), ITEMS_IN_A_CALL):
        part = outcomes[first : first + ITEMS_IN_A_CALL]
        receipts = campaign.tell_items([(one.arm, one.item, one.value) for one in part], batch=batch)
        told += sum(not receipt.replayed for receipt in receipts)
        progress(min(first + ITEMS_IN_A_CALL, len(outcomes)), len(outcomes))
    return told


def stored_pairs(items: Items) -> dict[tuple[str, str], float]:
    """Return the outcomes that a campaign has, by arm and item."""
    return {
        (arm, row.item): value
        for row in items
        for arm, value in zip(items.arms, row.outcomes, strict=True)
        if value is not None
    }


def told_before(campaign: Campaign, outcomes: Sequence[LoggedOutcome]) -> set[str]:
    """Return the ids of the outcomes that a campaign has been told before, by arm and item or by an earlier import.

    Outcomes with tickets are not looked up.
    """
    if any(one.ticket for one in outcomes):
        return set()
    if campaign.standing.items:
        stored = stored_pairs(campaign.items())
        return {one.id for one in outcomes if (one.arm, one.item) in stored}
    return _Earlier(campaign).ids(outcomes)


class _Earlier:
    """What earlier imports told: number of outcomes by idempotency key; the keys whose outcomes were voided."""

    def __init__(self, campaign: Campaign) -> None:
        self._counts: dict[str, int] = {}
        self._voided: set[str] = set()
        keys: dict[int, str] = {}
        for entry in campaign.history():
            details = entry.details
            if entry.kind == "counted" and "key" in details:
                self._counts[details["key"]] = details["count"]
                keys[details["number"]] = details["key"]
            elif entry.kind == "voided":
                self._voided.update(keys[n] for n in (details["number"], *details.get("others", ())) if n in keys)

    def key(self, one: LoggedOutcome) -> str:
        """Return the idempotency key of an outcome; after a void it is another one, and the outcome counts again."""
        key = hashlib.sha256(f"{one.id}\0{one.arm}".encode()).hexdigest()
        while key in self._voided:
            key = hashlib.sha256(key.encode()).hexdigest()
        return key

    def ids(self, outcomes: Sequence[LoggedOutcome]) -> set[str]:
        """Return the ids of the outcomes that were told: alone, or in one event with those of the arm before them."""
        covered: set[tuple[str, int]] = set()
        for one in outcomes:
            count = self._counts.get(self.key(one), 0)
            covered.update((one.arm, one.index - i) for i in range(count))
        return {one.id for one in outcomes if (one.arm, one.index) in covered}


def _parts(outcomes: Sequence[LoggedOutcome], earlier: _Earlier) -> list[tuple[str, list[LoggedOutcome]]]:
    """Return the outcomes in parts; each part is one event, with the idempotency key of its last outcome.

    An outcome is a part by itself, unless the ids are chained: then successive outcomes of an arm that were not told
    before are one part. So a table of a million rows needs one event for each arm.
    """
    if not all(one.chained for one in outcomes):
        return [(earlier.key(one), [one]) for one in outcomes]
    told = earlier.ids(outcomes)
    arms: dict[str, list[LoggedOutcome]] = {}
    for one in outcomes:
        if one.id not in told:
            arms.setdefault(one.arm, []).append(one)
    parts = [
        [one for _, one in run]
        for rows in arms.values()
        for _, run in groupby(enumerate(rows), lambda pair: pair[1].index - pair[0])  # successive in the log
    ]
    return [(earlier.key(part[-1]), part) for part in parts]


def batch_id(outcomes: Sequence[LoggedOutcome]) -> str:
    """Return the id of an import: the same whenever the same outcomes are imported."""
    digest = hashlib.sha256()
    for one in outcomes:
        digest.update(f"{one.id}\0{one.arm}\0{one.ticket}\0{one.value!r}\n".encode())
    return digest.hexdigest()[:12]


def check_values(terms: Terms, outcomes: Sequence[LoggedOutcome]) -> None:
    """Raise InvalidOutcomeError with the first line whose outcome a campaign of these terms cannot have."""
    for one in outcomes:
        try:
            outcome_of(terms, one.value)
        except InvalidOutcomeError as error:
            raise InvalidOutcomeError(f"{one.place}: {error}", instead="nothing was stored") from error


def known_arms(campaign: Campaign) -> list[str]:
    """Return the names of the arms of a campaign, with that of its control."""
    control = campaign.terms.control
    return [row.arm for row in campaign.verdicts()] + ([control] if control else [])


def check_arms(known: Sequence[str], outcomes: Sequence[LoggedOutcome]) -> None:
    """Raise InvalidOutcomeError with the first line whose arm is not known."""
    names = set(known)
    unknown = next((one for one in outcomes if one.arm not in names), None)
    if unknown is not None:
        near = get_close_matches(unknown.arm, known, n=1, cutoff=0.5) or known[:3]
        raise InvalidOutcomeError(
            f"{unknown.place}: the campaign has no arm {unknown.arm[:60]!r}",
            instead=f"it has {', '.join(map(repr, near))}; nothing was stored",
        )


def check_items(
    known: Collection[str], outcomes: Sequence[LoggedOutcome], stored: Mapping[tuple[str, str], float]
) -> None:
    """Raise InvalidOutcomeError with the first line whose item is not known, or whose arm has another outcome on it."""
    names, seen = set(known), dict(stored)
    for one in outcomes:
        if one.item not in names:
            what = f"has no item {one.item[:60]!r}" if one.item else "has items, and this line names none"
            raise InvalidOutcomeError(f"{one.place}: the campaign {what}", instead="nothing was stored")
        before = seen.setdefault((one.arm, one.item), one.value)
        if before != one.value:
            raise InvalidOutcomeError(
                f"{one.place}: arm {one.arm[:60]!r} has another outcome on item {one.item[:60]!r}, {before:g}",
                instead="correct the line, or amend the stored outcome; nothing was stored",
            )
