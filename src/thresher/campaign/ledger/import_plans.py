"""What a new version of a source changes: the lines that it adds, those that it lacks, those that contradict it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from thresher.campaign.ledger.line_sets import EMPTY, LineSet
from thresher.campaign.ledger.outcomes import Aggregate, squares_of
from thresher.campaign.ledger.sources import LINES, CountLine, ImportedPull, ImportLog, ItemLine, Version
from thresher.campaign.ledger.terms import Terms
from thresher.errors import ImportConflictError, InvalidOutcomeError
from thresher.number_text import exact

CLOSE = 1e-9  # relative difference at which two sums of squares are the same


@dataclass(frozen=True)
class VersionPlan:
    """What a version of a source changes.

    Parameters
    ----------
    version : Version
    added : LineSet
        Lines that it has more of than the campaign.
    counts : tuple of CountLine
        Aggregates to add; of one that has grown, the difference.
    answers : tuple of ItemLine
        Outcomes of items to add.
    missing : int
        Lines of earlier versions that it lacks, or has with other numbers.
    voided : tuple of int
        Numbers of aggregates and of outcomes of items to remove.
    reduced : tuple of (int, LineSet, LineSet)
        Number of an aggregate, what is left of it, what is removed.
    removed : int
        How many lines are removed.
    """

    version: Version
    added: LineSet = EMPTY
    counts: tuple[CountLine, ...] = ()
    answers: tuple[ItemLine, ...] = ()
    missing: int = 0
    voided: tuple[int, ...] = ()
    reduced: tuple[tuple[int, LineSet, LineSet], ...] = ()
    removed: int = 0

    @property
    def told(self) -> int:
        """How many lines are added."""
        return len(self.counts) or len(self.answers) or self.added.size

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be written."""
        return not (self.told or self.voided or self.reduced)


def likely_copy(log: ImportLog, version: Version) -> tuple[str, int] | None:
    """Return the source that a new source repeats for the most part, and how many lines they share.

    Most is more than half of the lines of the smaller one. Lines with keys are the same wherever they come from.
    """
    if version.form != LINES or version.source in log.sources():
        return None
    best: tuple[str, int] | None = None
    for name in log.sources():
        lines = log.lines_of(pull for pull in log.live(source=name) if pull.form == LINES)
        shared = version.lines.common(lines).size
        if 2 * shared > min(version.size, lines.size) and (best is None or shared > best[1]):
            best = name, shared
    return best


def plan_versions(
    terms: Terms, log: ImportLog, versions: Sequence[Version], *, replace: bool = False, cumulative: bool = False
) -> list[VersionPlan]:
    """Return what the versions of different sources, imported together, change.

    With `replace` the sources become what the versions say, and the rest is removed. With `cumulative` aggregates have
    grown since the last version.

    Raises
    ------
    ImportConflictError
        If a line contradicts what is stored, or cannot be compared with it.
    """
    plans = list[VersionPlan]()
    for version in versions:
        alongside = [other for other in versions if other is not version and other.form != LINES]
        plans.append(_plan(terms, log, version, alongside, replace=replace, cumulative=cumulative))
    return plans


def join_files(files: Sequence[Version]) -> list[Version]:
    """Return the versions in some files, one for each source: the lines of its files add up.

    A line with a key that is in several files counts in the first.

    Raises
    ------
    ImportConflictError
        If two lines with one key differ, or the lines of a source are compared in several ways.
    """
    found: dict[str, Version] = {}
    for version in _without_repeats(files):
        first = found.setdefault(version.source, version)
        if first.form != version.form:
            raise ImportConflictError(
                f"the files of source {version.source[:60]!r} are compared by {_words(first.form)} and by "
                f"{_words(version.form)}",
                instead="import them one by one",
            )
        found[version.source] = version if first is version else _sum_of_versions(first, version)
    return list(found.values())


def _sum_of_versions(one: Version, other: Version) -> Version:
    return dataclasses.replace(
        one,
        lines=LineSet.union([one.lines, other.lines]),
        counts=(*one.counts, *other.counts),
        continues=(*one.continues, *other.continues),
        place=lambda line: one.place(line) or other.place(line),
    )


def _without_repeats(versions: Sequence[Version]) -> list[Version]:
    """Return the versions without the lines with keys that are in one before; raise if they contradict each other."""
    lines, counts, found = EMPTY, dict[int, CountLine](), list[Version]()
    for version in versions:
        if version.form == LINES:
            found.append(version)
            continue
        wrong = version.lines.differing(lines)
        twice = [one for one in version.counts if not _is_same(counts.get(one.hash, one).sums, one.sums)]
        if wrong.any() or twice:
            place = twice[0].place if twice else version.place(int(version.lines.hashes[wrong][0]))
            raise ImportConflictError(
                f"{place} has the key of a line in another file, with other numbers", instead="correct one of them"
            )
        new = version.lines.with_times((version.lines.times_in(lines) == 0).astype(np.int64))
        fresh = tuple(one for one in version.counts if one.hash not in counts)
        found.append(dataclasses.replace(version, lines=new, counts=fresh))
        lines = LineSet.union([lines, new])
        counts |= {one.hash: one for one in fresh}
    return found


def _plan(
    terms: Terms, log: ImportLog, version: Version, alongside: Sequence[Version], *, replace: bool, cumulative: bool
) -> VersionPlan:
    """Return the changes by one version; lines in other versions of the same import are not missing."""
    own = log.live(source=version.source)
    others = [pull for pull in own if pull.form != version.form]
    if others and not replace:
        raise ImportConflictError(
            f"source {version.source[:60]!r} was imported by {_words(others[0].form)}, and now by "
            f"{_words(version.form)}: its lines cannot be compared",
            instead="give the same options as before, or --replace to void what it told before",
        )
    same = [pull for pull in own if pull.form == version.form]
    if version.form.startswith("counts"):
        kept = {line.hash for other in alongside for line in other.counts}
        plan = _plan_counts(terms, log, version, same, kept, replace=replace, cumulative=cumulative)
    else:
        plan = _plan_lines(log, version, same, LineSet.union(other.lines for other in alongside), replace=replace)
    gone = tuple(pull.number for pull in others)
    size = sum(pull.size for pull in others)
    return dataclasses.replace(
        plan, missing=plan.missing + size, voided=(*gone, *plan.voided), removed=plan.removed + size
    )


def _words(form: str) -> str:
    """Return in words when two lines of a source are the same."""
    kind, _, columns = form.partition(" ")
    if kind == LINES:
        return "whole lines"
    return ("counts" if kind == "counts" else "keys") + (f" ({columns})" if columns else "")


def _plan_lines(
    log: ImportLog, version: Version, own: Sequence[ImportedPull], kept: LineSet, *, replace: bool
) -> VersionPlan:
    lines, mine = version.lines, log.lines_of(own)
    scope, stored = list(own), mine
    if version.form != LINES:
        scope = [pull for pull in log.live() if pull.form.startswith("key")]
        stored = LineSet.union([log.lines_of(scope), log.earlier_lines()])
    wrong = lines.differing(stored)
    if wrong.any() and (not replace or lines.pick(wrong).differing(log.earlier_lines()).any()):
        raise _conflict(log, version, lines.pick(wrong), stored)
    told = lines.times_in(stored)
    told[wrong] = 0
    added = lines.with_times(lines.times - told)
    missing = mine.minus(lines.pick(~wrong))
    missing = missing if version.form == LINES else missing.minus(kept)
    voided, reduced, removed = _removal(scope, missing, stored.common(lines.pick(wrong))) if replace else ((), (), 0)
    return VersionPlan(version, added, missing=missing.size, voided=voided, reduced=reduced, removed=removed)


def _conflict(log: ImportLog, version: Version, wrong: LineSet, stored: LineSet) -> ImportConflictError:
    """Return the error of the first line that has another arm or outcome than before."""
    _, where = wrong.find(stored)
    place, arm = version.place(int(wrong.hashes[0])), int(stored.arms[where[0]])
    is_earlier = bool(wrong.differing(log.earlier_lines()).any())
    return ImportConflictError(
        f"{place}: the outcome is {exact(wrong.values[0])}, and an earlier import has "
        f"{exact(stored.values[where[0]])} of arm {log.arms[arm].name[:60]!r} for it",
        instead="void that import, which an earlier version of thresher stored: thresher void --import"
        if is_earlier
        else "if this file is right, import it with --replace",
    )


def _removal(
    pulls: Iterable[ImportedPull], *wanted: LineSet
) -> tuple[tuple[int, ...], tuple[tuple[int, LineSet, LineSet], ...], int]:
    """Return which aggregates to void and to reduce, so that these lines are removed; the latest lose them first."""
    left = LineSet.union(wanted)
    # A line that is both missing and wrong is listed twice: it is removed as often as it is stored.
    voided, reduced, size = list[int](), list[tuple[int, LineSet, LineSet]](), 0
    for pull in reversed(list(pulls)):
        taken = pull.lines.common(left)
        if not taken.size:
            continue
        left, rest = left.minus(taken), pull.lines.minus(taken)
        size += taken.size
        if rest.size:
            reduced.append((pull.number, rest, taken))
        else:
            voided.append(pull.number)
    return tuple(voided), tuple(reduced), size


def _plan_counts(
    terms: Terms,
    log: ImportLog,
    version: Version,
    own: Sequence[ImportedPull],
    kept: set[int],
    *,
    replace: bool,
    cumulative: bool,
) -> VersionPlan:
    held: dict[int, list[ImportedPull]] = {}
    for pull in log.live():
        if pull.count is not None:
            held.setdefault(pull.count.hash, []).append(pull)
    added, voided = list[CountLine](), list[int]()
    for line in version.counts:
        pulls = held.get(line.hash, [])
        before = _sum(pulls)
        if before is None:
            added.append(line)
        elif not _is_same(before, line.sums):
            grown = _difference(terms, log, line, before) if cumulative else None
            if grown is None and not replace:
                raise _count_conflict(log, line, before, cumulative=cumulative)
            added.append(line if grown is None else grown)
            voided += [] if grown is not None else [pull.number for pull in pulls]
    has = kept | {line.hash for line in version.counts}
    missing = [pull.number for pull in own if pull.count is not None and pull.count.hash not in has]
    gone = (*voided, *missing) if replace else tuple(voided)
    return VersionPlan(version, counts=tuple(added), missing=len(missing), voided=gone, removed=len(gone))


def _sum(pulls: Sequence[ImportedPull]) -> Aggregate | None:
    """Return the sums of aggregates; None if there are none."""
    sums = [pull.count.sums for pull in pulls if pull.count is not None]
    if not sums:
        return None
    squares = None if any(one.squares is None for one in sums) else sum(one.squares or 0.0 for one in sums)
    return Aggregate(sum(one.count for one in sums), sum(one.total for one in sums), squares)


def _is_same(one: Aggregate, other: Aggregate) -> bool:
    if (one.count, one.total) != (other.count, other.total):
        return False
    if one.squares is None or other.squares is None:
        return True
    return abs(one.squares - other.squares) <= CLOSE * max(abs(one.squares), abs(other.squares))


def _difference(terms: Terms, log: ImportLog, line: CountLine, before: Aggregate) -> CountLine | None:
    """Return by how much an aggregate has grown; None if it has not, or no outcomes have these sums."""
    if line.sums.count <= before.count:
        return None
    squares = None if line.sums.squares is None or before.squares is None else line.sums.squares - before.squares
    grown = Aggregate(line.sums.count - before.count, line.sums.total - before.total, squares)
    try:
        squares_of(terms, log.arms[line.arm], grown)
    except InvalidOutcomeError:
        return None
    return dataclasses.replace(line, sums=grown)


def _count_conflict(log: ImportLog, line: CountLine, before: Aggregate, *, cumulative: bool) -> ImportConflictError:
    key, now = f" for {line.key[:60]!r}" if line.key else "", line.sums
    told = (
        f"{line.place}: {log.arms[line.arm].name[:60]!r} has {exact(now.total)} of {now.count:,}{key}, and an earlier "
        f"import has {exact(before.total)} of {before.count:,}"
    )
    if cumulative:
        return ImportConflictError(f"{told}, which cannot have grown to it", instead="correct it with --replace")
    return ImportConflictError(
        told,
        instead="if this file is right, import it with --replace; if counts grow from file to file, add --cumulative",
    )
