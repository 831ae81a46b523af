"""What a new version of a source changes in a campaign with items, where arm and item make two lines the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from thresher.campaign.ledger.import_plans import VersionPlan
from thresher.campaign.ledger.sources import ImportedItem, ImportLog, ItemKey, ItemLine, Version
from thresher.errors import ImportConflictError
from thresher.number_text import exact


def plan_item_versions(
    log: ImportLog,
    stored: Mapping[ItemKey, float],
    versions: Sequence[Version],
    *,
    replace: bool = False,
    repeats: int = 1,
) -> list[VersionPlan]:
    """Return what the versions of some sources, imported together, change.

    With `replace` the sources become what the versions say, and the rest is removed. An outcome that is in several
    sources counts in the first.

    Parameters
    ----------
    log : ImportLog
    stored : mapping of (str, str, int) to float
        All outcomes of the campaign by arm, item and ordinal, those of tickets too.
    versions : sequence of Version
        A line that does not say which repeat it is, has the ordinal 0.
    replace : bool
    repeats : int
        How often an arm may be asked an item.

    Raises
    ------
    ImportConflictError
        If two lines, or a line and a stored outcome, contradict each other, or an item has more outcomes than repeats.
    """
    told, brought, plans = log.told_items(), dict[ItemKey, ItemLine](), dict[str, VersionPlan]()
    versions = _numbered(told, stored, versions, repeats)
    _check_one_outcome(versions, repeats)
    for version in versions:
        fresh = [line for line in version.answers if brought.setdefault(line.key, line) is line]
        wrong = [line for line in fresh if stored.get(line.key, line.value) != line.value]
        for line in wrong:
            _check_correctable(line, stored[line.key], told.get(line.key), replace=replace)
        added = [line for line in fresh if line.key not in stored] + wrong
        before = plans.get(version.source, VersionPlan(version))
        plans[version.source] = VersionPlan(
            version,
            answers=(*before.answers, *added),
            missing=before.missing + sum(told[line.key].source == version.source for line in wrong),
            voided=(*before.voided, *(told[line.key].number for line in wrong)),
        )
    return [_completed(plan, told, brought, replace=replace) for plan in plans.values()]


def _completed(
    plan: VersionPlan,
    told: Mapping[ItemKey, ImportedItem],
    brought: Mapping[ItemKey, ItemLine],
    *,
    replace: bool,
) -> VersionPlan:
    """Return a plan with the outcomes of its source that no version has."""
    own = [(key, one) for key, one in told.items() if one.source == plan.version.source]
    gone = [one.number for key, one in own if key not in brought]
    voided = (*plan.voided, *gone) if replace else ()
    return VersionPlan(
        plan.version, answers=plan.answers, missing=plan.missing + len(gone), voided=voided, removed=len(voided)
    )


def _numbered(
    told: Mapping[ItemKey, ImportedItem], stored: Mapping[ItemKey, float], versions: Sequence[Version], repeats: int
) -> list[Version]:
    """Return versions in which every line has its ordinal.

    Lines of an arm and an item that have none get those that their source told before, then those that are free.
    """
    named = {line.key for version in versions for line in version.answers}
    taken, own = {*stored, *named}, dict[tuple[str, str, str], list[int]]()
    for (arm, item, repeat), one in told.items():
        own.setdefault((one.source or "", arm, item), []).append(repeat)
    left = {place: iter(sorted(ordinals)) for place, ordinals in own.items()}
    found = []
    for version in versions:
        lines = []
        for line in version.answers:
            repeat = line.repeat
            if repeat == 0:
                before = next(left.get((version.source, line.arm, line.item), iter(())), None)
                free = (r for r in range(1, repeats + 2) if (line.arm, line.item, r) not in taken)
                repeat = next(free) if before is None else before
            if not 1 <= repeat <= repeats:
                raise _no_place(line, repeat, repeats)
            lines.append(line._replace(repeat=repeat))
            taken.add(lines[-1].key)
        found.append(dataclasses.replace(version, answers=tuple(lines)))
    return found


def _no_place(line: ItemLine, repeat: int, repeats: int) -> ImportConflictError:
    """Return the error for a line whose ordinal is not possible, or for which none is left."""
    if repeat < 1:
        what = f"{line.place}: the repeat of {_named(line)} is not a whole number from 1 to {repeats}"
        return ImportConflictError(what, instead="correct the line")
    return ImportConflictError(
        f"{line.place}: {_named(line)} has more outcomes than the campaign has repeats, {repeats}",
        instead="leave lines out, or import into a campaign with more repeats",
    )


def _check_one_outcome(versions: Sequence[Version], repeats: int) -> None:
    """Raise ImportConflictError if two lines have different outcomes of an arm on an item."""
    first: dict[ItemKey, ItemLine] = {}
    for line in (line for version in versions for line in version.answers):
        other = first.setdefault(line.key, line)
        if other.value != line.value:
            raise ImportConflictError(
                f"{line.place}: {_named(line)} has outcome {exact(line.value)}, and in {other.place} it has "
                f"{exact(other.value)}",
                instead="correct one of the lines"
                + (", or import into a new campaign with repeats (--repeats)" if repeats == 1 else ""),
            )


def _check_correctable(line: ItemLine, before: float, told: ImportedItem | None, *, replace: bool) -> None:
    """Raise ImportConflictError unless an import may change the stored outcome."""
    if told is not None and told.source is not None and replace:
        return
    if told is None:
        instead = "correct the line, or amend the stored outcome (thresher amend)"
    elif told.source is None:
        instead = f"void import {told.batch} first (thresher void --import {told.batch})"
    else:
        instead = "if this file is right, import it with --replace"
    raise ImportConflictError(
        f"{line.place}: {_named(line)} has outcome {exact(line.value)}, and the campaign has {exact(before)}",
        instead=instead,
    )


def _named(line: ItemLine) -> str:
    which = f", repeat {line.repeat}," if line.repeat > 1 else ""
    return f"arm {line.arm[:60]!r} on item {line.item[:60]!r}{which}"
