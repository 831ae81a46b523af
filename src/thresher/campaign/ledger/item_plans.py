"""What a new version of a source changes in a campaign with items, where arm and item make two lines the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thresher.campaign.ledger.import_plans import VersionPlan
from thresher.campaign.ledger.sources import ImportedItem, ImportLog, ItemLine, Version
from thresher.errors import ImportConflictError


def plan_item_versions(
    log: ImportLog, stored: Mapping[tuple[str, str], float], versions: Sequence[Version], *, replace: bool = False
) -> list[VersionPlan]:
    """Return what the versions of some sources, imported together, change.

    With `replace` the sources become what the versions say, and the rest is removed. An outcome that is in several
    sources counts in the first.

    Parameters
    ----------
    log : ImportLog
    stored : mapping of (str, str) to float
        All outcomes of the campaign by arm and item, those of tickets too.
    versions : sequence of Version
    replace : bool

    Raises
    ------
    ImportConflictError
        If two lines, or a line and a stored outcome, contradict each other.
    """
    told, brought, plans = log.told_items(), dict[tuple[str, str], ItemLine](), dict[str, VersionPlan]()
    _check_one_outcome(versions)
    for version in versions:
        fresh = [line for line in version.answers if brought.setdefault(line.pair, line) is line]
        wrong = [line for line in fresh if stored.get(line.pair, line.value) != line.value]
        for line in wrong:
            _check_correctable(line, stored[line.pair], told.get(line.pair), replace=replace)
        added = [line for line in fresh if line.pair not in stored] + wrong
        before = plans.get(version.source, VersionPlan(version))
        plans[version.source] = VersionPlan(
            version,
            answers=(*before.answers, *added),
            missing=before.missing + sum(told[line.pair].source == version.source for line in wrong),
            voided=(*before.voided, *(told[line.pair].number for line in wrong)),
        )
    return [_completed(plan, told, brought, replace=replace) for plan in plans.values()]


def _completed(
    plan: VersionPlan,
    told: Mapping[tuple[str, str], ImportedItem],
    brought: Mapping[tuple[str, str], ItemLine],
    *,
    replace: bool,
) -> VersionPlan:
    """Return a plan with the outcomes of its source that no version has."""
    own = [(pair, one) for pair, one in told.items() if one.source == plan.version.source]
    gone = [one.number for pair, one in own if pair not in brought]
    voided = (*plan.voided, *gone) if replace else ()
    return VersionPlan(
        plan.version, answers=plan.answers, missing=plan.missing + len(gone), voided=voided, removed=len(voided)
    )


def _check_one_outcome(versions: Sequence[Version]) -> None:
    """Raise ImportConflictError if two lines have different outcomes of an arm on an item."""
    first: dict[tuple[str, str], ItemLine] = {}
    for line in (line for version in versions for line in version.answers):
        other = first.setdefault(line.pair, line)
        if other.value != line.value:
            raise ImportConflictError(
                f"{line.place}: {_named(line)} has outcome {line.value:g}, and in {other.place} it has {other.value:g}",
                instead="correct one of the lines",
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
        f"{line.place}: {_named(line)} has outcome {line.value:g}, and the campaign has {before:g}", instead=instead
    )


def _named(line: ItemLine) -> str:
    return f"arm {line.arm[:60]!r} on item {line.item[:60]!r}"
