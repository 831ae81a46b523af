"""Import of logs into a campaign: all outcomes or none, each counted once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from thresher.campaign import Campaign, Imported, ImportOptions, ImportPlan, Items, Progress, plan_import
from thresher.campaign.ledger import (
    ITEMS,
    LINES,
    Aggregate,
    Arm,
    CountLine,
    ImportLog,
    ItemKey,
    ItemLine,
    LineSet,
    Terms,
    Version,
    outcome_of,
    squares_of,
)
from thresher.errors import ImportConflictError, InvalidOutcomeError
from thresher.report import exact
from thresher.run.importers.earlier_imports import find_continued
from thresher.run.importers.log import LoggedOutcome, MappedLog
from thresher.run.importers.outcome_columns import OutcomeColumns

ASKED_ONCE = "leave lines out, or import into a new campaign with repeats (--repeats)"
ANY_ARM = Arm(0, "", 0.0, 1.0, 1.0, 1)  # sums of outcomes are checked without a bar


@dataclass(frozen=True)
class Files:
    """The outcomes of files that are imported together.

    Parameters
    ----------
    outcomes, left_out : list of OutcomeColumns
        Of each file: those to tell, and those that are left out.
    source : str
        The source of all files; by default each is a source of its own name.
    options : ImportOptions
    """

    outcomes: list[OutcomeColumns]
    left_out: list[OutcomeColumns]
    source: str = ""
    options: ImportOptions = field(default_factory=ImportOptions)

    @classmethod
    def of(cls, logs: Sequence[MappedLog], source: str = "", options: ImportOptions | None = None) -> Files:
        """Return the outcomes of logs."""
        return cls([log.outcomes for log in logs], [log.left_out for log in logs], source, options or ImportOptions())

    def __len__(self) -> int:
        return sum(map(len, self.outcomes))

    @property
    def arms(self) -> list[str]:
        """The names of the arms, in the order in which they come."""
        return list(dict.fromkeys(name for some in self.outcomes for name in some.arms.texts if name))

    @property
    def measured(self) -> dict[str, int]:
        """The number of outcomes of each arm."""
        counts: Counter[str] = Counter()
        for some in self.outcomes:
            pulls = np.bincount(some.arm_positions, some.counts, len(some.arms.texts)).tolist()
            counts.update({name: int(n) for name, n in zip(some.arms.texts, pulls, strict=True) if name})
        return counts

    @property
    def has_tickets(self) -> bool:
        """Whether outcomes are told by ticket."""
        return any(some.tickets for some in self.outcomes)

    @property
    def batch(self) -> str:
        """The id of the import: the same whenever the same outcomes are imported."""
        return hashlib.sha256(b"".join(some.batch_id() for some in self.outcomes)).hexdigest()[:12]

    def every(self) -> Iterable[LoggedOutcome]:
        """Yield the outcomes of all files."""
        return (one for some in self.outcomes for one in some)

    def plan(self, terms: Terms, log: ImportLog, stored: Mapping[ItemKey, float] | None = None) -> ImportPlan:
        """Return what the import changes in a campaign with this log, after the missing arms were added.

        If the campaign has items, `stored` are its outcomes by arm, item and ordinal.
        """
        names = list(dict.fromkeys([*(arm.name for arm in log.arms), *self.arms]))
        if stored is None:
            versions = [self._version(log, names, i) for i in range(len(self.outcomes))]
        else:
            if terms.repeats == 1:
                _check_asked_once(self.every())
            versions = [self._item_version(some, terms.repeats) for some in self.outcomes]
        return plan_import(terms, log, names, versions, self.options, stored)

    def _item_version(self, outcomes: OutcomeColumns, repeats: int) -> Version:
        """Return a file as a version of its source, for a campaign with items that are asked that often."""
        answers = tuple(
            ItemLine(one.arm, one.item, one.value, one.place, one.repeat if repeats > 1 else 1) for one in outcomes
        )
        return Version(self.source or outcomes.source, ITEMS, answers=answers)

    def _version(self, log: ImportLog, names: Sequence[str], i: int) -> Version:
        """Return a file as a version of its source, without what imports of earlier versions of thresher told."""
        outcomes, source = self.outcomes[i], self.source or self.outcomes[i].source
        continued = find_continued(log, outcomes, self.left_out[i], source=source, is_new=self.options.new_source)
        positions = {name: position for position, name in enumerate(names)}
        arms = np.array([positions[name] for name in outcomes.arms.texts], np.int64)[outcomes.arm_positions]
        self._check_left_out(log, source, i, continued.left_out)
        if outcomes.form.startswith("counts"):
            counts = tuple(_count_line(one, positions[one.arm]) for one in outcomes)
            return Version(source, outcomes.form, counts=counts)
        kept = ~continued.told
        lines = LineSet.of(outcomes.hashes[kept], arms[kept], outcomes.values[kept])
        return Version(source, outcomes.form, lines, continues=continued.batches, place=outcomes.place_of)

    def _check_left_out(self, log: ImportLog, source: str, i: int, is_told: NDArray[np.bool_]) -> None:
        """Raise InvalidOutcomeError if what is left out was told before, and is not to be voided."""
        left_out = self.left_out[i]
        if not len(left_out) or (self.options.replace and not is_told.any()):
            return
        pulls = log.live(source=source if left_out.form == LINES else None)
        stored = LineSet.union([log.lines_of(pulls), log.earlier_lines()])
        is_there = LineSet.of(left_out.hashes, left_out.arm_positions, left_out.values).find(stored)[0]
        hashes = {pull.count.hash for pull in pulls if pull.count is not None} | {*stored.hashes.tolist()}
        again = [one for one, told in zip(left_out, is_told, strict=True) if told or one.hash in hashes]
        if again or is_there.any():
            raise InvalidOutcomeError(
                f"{len(again)} of the measurements to leave out were told before, the first in {again[0].place}",
                instead="add --replace to void them, or void their import first (thresher void --import); "
                "nothing was stored",
            )


def _check_asked_once(outcomes: Iterable[LoggedOutcome]) -> None:
    """Raise ImportConflictError if lines are different repeats of an item, for a campaign that asks each item once."""
    first: dict[tuple[str, str], int] = {}
    for one in outcomes:
        if one.item and one.repeat > 0 and first.setdefault((one.arm, one.item), one.repeat) != one.repeat:
            what = f"{one.place}: arm {one.arm[:60]!r} on item {one.item[:60]!r} is repeat {one.repeat}"
            raise ImportConflictError(f"{what}, and the campaign asks each item once", instead=ASKED_ONCE)


def _count_line(one: LoggedOutcome, arm: int) -> CountLine:
    return CountLine(one.hash, arm, Aggregate(one.n, one.value, one.squares), one.place, one.key)


def tell_log(
    campaign: Campaign,
    outcomes: Sequence[LoggedOutcome],
    *,
    source: str = "",
    options: ImportOptions | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Tell outcomes that another tool measured; return counts.

    Outcomes with tickets are told in one transaction; their cost was reserved by the ask. Outcomes with names of arms
    do not use the budget: they were measured elsewhere. All are checked before the first is stored.

    Parameters
    ----------
    campaign : Campaign
    outcomes : sequence of LoggedOutcome
        As :func:`~thresher.run.importers.read_log` returns them.
    source : str
        The source of which they are a version; the name of the file by default.
    options : ImportOptions, optional
        How they are compared with earlier versions.
    progress : callable, optional

    Raises
    ------
    InvalidOutcomeError
        If an outcome does not fit the campaign; the message names the line, and nothing was stored.
    ImportConflictError, LikelyCopyError
        If they contradict what was imported before, or may be a copy of it; nothing was stored.
    CampaignError
        If a ticket is unknown or another outcome is stored for it; nothing was stored.
    """
    told = outcomes if isinstance(outcomes, OutcomeColumns) else OutcomeColumns(outcomes)
    files = Files([told], [OutcomeColumns()], source, options or ImportOptions())
    return tell_files(campaign, files, progress=progress)


def tell_files(campaign: Campaign, files: Files, *, progress: Progress | None = None) -> Imported:
    """Tell the outcomes of files, as :func:`tell_log` does."""
    check_values(campaign.terms, files)
    if files.has_tickets:
        told = [(one.ticket, one.value) for one in files.every()]
        receipts = campaign.tell_many(told, batch=files.batch)
        before = sum(receipt.replayed for receipt in receipts)
        return Imported(len(receipts) - before, before, len({receipt.arm for receipt in receipts}), files.batch)
    check_arms(known_arms(campaign), files)
    has_items = bool(campaign.standing.items)

    def plan(log: ImportLog) -> ImportPlan:
        if not has_items:
            return files.plan(campaign.terms, log)
        items = campaign.items()
        check_items(items.names, files.every())
        return files.plan(campaign.terms, log, stored_outcomes(items))

    done = campaign.tell_versions(plan, batch=files.batch, progress=progress)
    return Imported(
        done.told, len(files) - done.told, len(files.arms), files.batch, missing=done.missing, voided=done.removed
    )


def stored_outcomes(items: Items) -> dict[ItemKey, float]:
    """Return the outcomes that a campaign has, by arm, item and ordinal."""
    return {
        (items.arms[k], items.names[i], r + 1): float(items.outcomes[r, k, i])
        for r, k, i in np.argwhere(~np.isnan(items.outcomes)).tolist()
    }


def check_values(terms: Terms, files: Files) -> None:
    """Raise InvalidOutcomeError with the first line whose outcome a campaign of these terms cannot have."""
    for outcomes in files.outcomes:
        if outcomes.form.startswith("counts"):
            _check_counts(terms, outcomes)
            continue
        wrong = [value for value in np.unique(outcomes.values).tolist() if not _is_outcome(terms, value)]
        if wrong:
            first = outcomes[int(np.flatnonzero(np.isin(outcomes.values, wrong))[0])]
            raise _wrong_value(terms, first)


def _is_outcome(terms: Terms, value: float) -> bool:
    try:
        outcome_of(terms, value)
    except InvalidOutcomeError:
        return False
    return True


def _wrong_value(terms: Terms, one: LoggedOutcome) -> InvalidOutcomeError:
    """Return the error of a line whose outcome the family does not allow."""
    if terms.kind.is_coin and one.value > 1 and one.value == int(one.value):
        return InvalidOutcomeError(
            f"{one.place}: the outcome {exact(one.value)} is neither 0 nor 1",
            instead="if a line counts several measurements, name the column with their number by --count-column; "
            "nothing was stored",
        )
    try:
        outcome_of(terms, one.value)
    except InvalidOutcomeError as error:
        return InvalidOutcomeError(f"{one.place}: {error}", instead="nothing was stored")
    raise AssertionError(one)


def _check_counts(terms: Terms, outcomes: OutcomeColumns) -> None:
    for one in outcomes:
        try:
            squares_of(terms, ANY_ARM, Aggregate.of(one.n, one.value, one.squares))
        except InvalidOutcomeError as error:
            raise InvalidOutcomeError(f"{one.place}: {error}", instead="nothing was stored") from error


def known_arms(campaign: Campaign) -> list[str]:
    """Return the names of the arms of a campaign, with that of its control."""
    control = campaign.terms.control
    return [row.arm for row in campaign.verdicts()] + ([control] if control else [])


def check_arms(known: Sequence[str], files: Files) -> None:
    """Raise InvalidOutcomeError with the first line whose arm is not known."""
    names = set(known)
    unknown = next((name for name in files.arms if name not in names), None)
    if unknown is not None:
        place = next(one.place for one in files.every() if one.arm == unknown)
        near = get_close_matches(unknown, known, n=1, cutoff=0.5)
        known_ones = f"nearest: {near[0]!r}" if near else f"it has {', '.join(map(repr, known[:3]))}"
        raise InvalidOutcomeError(
            f"{place}: the campaign has no arm {unknown[:60]!r}",
            instead=f"{known_ones}; add --create to add new arms; nothing was stored",
        )


def check_items(known: Collection[str], outcomes: Iterable[LoggedOutcome]) -> None:
    """Raise InvalidOutcomeError with the first line whose item is not known."""
    names = set(known)
    for one in outcomes:
        if one.item not in names:
            what = f"has no item {one.item[:60]!r}" if one.item else "has items, and this line names none"
            fix = "add --create to add new items; " if one.item else "choose the column of the item by --item-column; "
            raise InvalidOutcomeError(f"{one.place}: the campaign {what}", instead=f"{fix}nothing was stored")
