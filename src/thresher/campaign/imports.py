"""Imports into a campaign: versions of sources, compared with what its log has, and stored in one transaction."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from secrets import token_hex
from typing import TypeAlias

from thresher.campaign.backends import Backend
from thresher.campaign.ledger import (
    LINES,
    ImportCommand,
    ImportLog,
    ItemKey,
    NewAggregate,
    NewItemOutcome,
    ReducedAggregate,
    Terms,
    Version,
    VersionPlan,
    join_files,
    likely_copy,
    plan_item_versions,
    plan_versions,
)
from thresher.errors import ImportOvertakenError, InvalidInputError, LikelyCopyError
from thresher.report import counted

ATTEMPTS = 3  # to store an import that others overtake

Addition: TypeAlias = NewAggregate | NewItemOutcome
Progress: TypeAlias = Callable[[int, int], None]  # called with how much is done, and of how much


@dataclass(frozen=True)
class Imported:
    """Counts of an import.

    Parameters
    ----------
    told, before : int
        Lines told now; lines told by an earlier import.
    arms : int
        Number of arms with outcomes in the import.
    batch : str
        The id of the import: :meth:`~thresher.campaign.Campaign.void_import` takes its outcomes back.
    missing, voided : int
        Lines of earlier versions that this one lacks or has with other numbers; lines that were voided for it.
    """

    told: int
    before: int
    arms: int
    batch: str
    missing: int = 0
    voided: int = 0


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """How versions are compared with earlier ones.

    Parameters
    ----------
    replace : bool
        Make the sources what the new versions say, and void the rest.
    cumulative : bool
        Aggregates have grown since the last version.
    new_source : bool
        The sources are new, although they repeat most of others.
    """

    replace: bool = False
    cumulative: bool = False
    new_source: bool = False


@dataclass(frozen=True)
class ImportPlan:
    """What an import changes.

    Parameters
    ----------
    log : ImportLog
        What the campaign has.
    names : list of str
        The arms by position; those that are to be added come last.
    versions : list of VersionPlan
    takes_sums : bool
        Whether the outcomes of an arm can be stored as one aggregate.
    """

    log: ImportLog
    names: list[str]
    versions: list[VersionPlan]
    takes_sums: bool = True

    @cached_property
    def told(self) -> int:
        """How many lines are added."""
        return sum(plan.told for plan in self.versions)

    @property
    def outcomes(self) -> int:
        """How many outcomes are added; a line that is an aggregate has several."""
        return self.told + sum(line.sums.count - 1 for plan in self.versions for line in plan.counts)

    @property
    def missing(self) -> int:
        """How many lines of earlier versions the new ones lack, or have with other numbers."""
        return sum(plan.missing for plan in self.versions)

    @property
    def removed(self) -> int:
        """How many lines are voided."""
        return sum(plan.removed for plan in self.versions)

    def commands(self, batch: str, *, paid: bool, most: int) -> Iterator[ImportCommand]:
        """Yield the transactions, each of at most that many different lines; the first one removes lines."""
        plans = [plan for plan in self.versions if not plan.is_empty]
        sources = tuple((plan.version.source, plan.version.form, plan.version.continues) for plan in plans)
        voided = tuple(dict.fromkeys(number for plan in plans for number in plan.voided))
        reduced = [ReducedAggregate.of_lines(*one) for plan in plans for one in plan.reduced]
        first = ImportCommand(batch, sources, voided=voided, reduced=tuple(reduced), paid=paid)
        for part in _parts(self._additions(plans, most), most) or ([[]] if plans else []):
            yield first._replace(
                added=tuple(one for one in part if isinstance(one, NewAggregate)),
                outcomes=tuple(one for one in part if isinstance(one, NewItemOutcome)),
            )
            first = first._replace(voided=(), reduced=())

    def _additions(self, plans: Sequence[VersionPlan], most: int) -> Iterator[tuple[Addition, int]]:
        """Yield the additions, each with its number of different lines."""
        for i, plan in enumerate(plans):
            for answer in plan.answers:
                yield NewItemOutcome(i, answer.arm, answer.item, answer.value, answer.repeat), 1
            for line in plan.counts:
                yield NewAggregate.of_count(i, self.names[line.arm], line), 1
            for arm, lines in plan.added.by_arm():
                for part in lines.parts(most) if self.takes_sums else lines.single():
                    yield NewAggregate.of_lines(i, self.names[arm], part), len(part.hashes)


def _parts(additions: Iterator[tuple[Addition, int]], most: int) -> list[list[Addition]]:
    """Return the additions in parts of at most that many lines."""
    parts, size = list[list[Addition]](), 0
    for one, lines in additions:
        if not parts or size + lines > most:
            parts.append([])
            size = 0
        parts[-1].append(one)
        size += lines
    return parts


def plan_import(
    terms: Terms,
    log: ImportLog,
    names: Sequence[str],
    files: Sequence[Version],
    options: ImportOptions,
    stored: Mapping[ItemKey, float] | None = None,
) -> ImportPlan:
    """Return what versions of sources change in a campaign that has this log and these arms.

    In a campaign with items, `stored` are its outcomes by arm, item and ordinal.

    Raises
    ------
    LikelyCopyError
        If one repeats most of another source, and it is not said to be new.
    ImportConflictError
        If a line contradicts what is stored.
    InvalidInputError
        If a source that is said to be new is there.
    """
    _check_new(log, files) if options.new_source else _check_same_files(files)
    if stored is not None:
        planned = plan_item_versions(log, stored, files, replace=options.replace, repeats=terms.repeats)
        return ImportPlan(log, list(names), planned)
    versions = join_files(files)
    if not options.new_source:
        _check_copies(log, versions)
    planned = plan_versions(terms, log, versions, replace=options.replace, cumulative=options.cumulative)
    return ImportPlan(log, list(names), planned, terms.scoring.takes_aggregates)


def _check_new(log: ImportLog, files: Sequence[Version]) -> None:
    known = log.sources()
    if there := next((version.source for version in files if version.source in known), None):
        rule = "must not be given for a source that is there"
        raise InvalidInputError("--new-source", there, rule=rule, fix="give the file another name by --source")


def _check_same_files(files: Sequence[Version]) -> None:
    for i, file in enumerate(files):
        for other in files[:i]:
            if file.form == other.form == LINES and file.size == other.size and not file.lines.minus(other.lines).size:
                name = file.source[:60] if file.source != other.source else "a second file"
                raise LikelyCopyError(
                    f"{name!r} has the same {counted(file.size, 'line')} as {other.source[:60]!r}",
                    instead="leave one of them out; if both were measured, add --new-source",
                )


def _check_copies(log: ImportLog, versions: Sequence[Version]) -> None:
    for version in versions:
        if (found := likely_copy(log, version)) is not None:
            source, shared = found
            lines = "the only line" if version.size == 1 else f"{shared:,} of the {version.size:,} lines"
            raise LikelyCopyError(
                f"{lines} in {version.source[:60]!r} {'is' if version.size == 1 else 'are'} in the source "
                f"{source[:60]!r} too",
                source=source,
                instead=f"if it is another version of it, add --source {shlex.quote(source)}; if it was measured anew, "
                "add --new-source",
            )


def store_import(
    backend: Backend,
    plan: Callable[[ImportLog], ImportPlan],
    batch: str,
    *,
    paid: bool = False,
    progress: Progress | None = None,
) -> ImportPlan:
    """Plan an import with the log of a campaign, and store it; return what it changed.

    If another import or correction comes in between, it is planned again. `progress` is called after each transaction.
    """
    for attempt in range(ATTEMPTS):
        made = plan(backend.imports())
        try:
            after, done = made.log.seq, 0
            for command in made.commands(batch, paid=paid, most=backend.lines_in_an_import):
                after = backend.store_import(command._replace(after=after, key=token_hex(16)))
                done += len(command.outcomes) + sum(one.sums.count for one in command.added)
                if progress is not None:
                    progress(done, made.outcomes)
        except ImportOvertakenError:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        break
    return made
