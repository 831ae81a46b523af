"""Tables that earlier versions of thresher imported: they stored a hash chain, not the lines.

Such an import can be continued by a file that begins with the same lines, or be voided as a whole. Nothing else about
it can be known: its lines cannot be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thresher.campaign.ledger import LINES, EarlierPull, ImportLog, import_key
from thresher.errors import ImportConflictError, LikelyCopyError
from thresher.run.importers.outcome_columns import OutcomeColumns

VOID = "void it first (thresher void --import ID) and import the whole file"


@dataclass(frozen=True)
class Continued:
    """What of a file earlier imports told.

    Parameters
    ----------
    told, left_out : array of bool
        Which outcomes were told before, and which of those that are left out now.
    batches : tuple of str
        The ids of these imports.
    """

    told: NDArray[np.bool_]
    left_out: NDArray[np.bool_]
    batches: tuple[str, ...] = ()


def find_continued(
    log: ImportLog, outcomes: OutcomeColumns, left_out: OutcomeColumns, *, source: str, is_new: bool
) -> Continued:
    """Return what earlier imports told of a file; `is_new` if the rest of it is said to be new.

    Raises
    ------
    ImportConflictError
        If the file has only a part of an earlier import that it continues.
    LikelyCopyError
        If it may be another version of an earlier import.
    """
    nothing = Continued(np.zeros(len(outcomes), bool), np.zeros(len(left_out), bool))
    pulls = log.earlier_by_key() if outcomes.form == LINES else {}
    if not pulls or outcomes.earlier_ids is None:
        return nothing
    matched, covered = set[str](), set[tuple[str, int]]()
    places = list(_places(outcomes, left_out))
    for key, pull, arm, index in _matches(pulls, outcomes, places):
        matched.add(key)
        covered.update((arm, index - i) for i in range(pull.size))
    whole = {pull.batch for key, pull in pulls.items() if key in matched}
    missing = {pull.batch for key, pull in pulls.items() if key not in matched}
    mine = log.continued.get(source, set()) & {pull.batch for pull in pulls.values()}
    if partial := sorted(((whole | mine) & missing) - {""}):
        raise ImportConflictError(
            f"{source[:60]!r} is not the file of import {partial[0]} with more lines at its end, and an earlier "
            "version of thresher stored that import without its lines",
            instead=VOID.replace("ID", partial[0]),
        )
    is_told = {row: (arm, index) in covered for arm, index, row in places}
    told = np.array([is_told[row] for row in outcomes.rows.tolist()], bool)
    others = sorted(missing - {""} - set().union(*log.continued.values()))
    if others and not told.all() and not is_new and source not in log.sources():
        raise LikelyCopyError(
            f"{source[:60]!r} may be another version of import {others[0]}, which an earlier version of thresher "
            "stored without its lines",
            instead=f"if it is, {VOID.replace('ID', others[0])}; if it was measured anew, add --new-source",
        )
    told_aside = np.array([is_told[row] for row in left_out.rows.tolist()], bool)
    return Continued(told, told_aside, tuple(sorted(whole - {""})))


def _places(outcomes: OutcomeColumns, left_out: OutcomeColumns) -> Iterator[tuple[str, int, int]]:
    """Yield the arm of each row, its ordinal among the rows of the arm, and the ordinal of the row."""
    rows = [(one.row, one.arm) for some in (outcomes, left_out) for one in some]
    counts: Counter[str] = Counter()
    for row, arm in sorted(rows):
        counts[arm] += 1
        yield arm, counts[arm], row


def _matches(
    pulls: Mapping[str, EarlierPull], outcomes: OutcomeColumns, places: Sequence[tuple[str, int, int]]
) -> Iterator[tuple[str, EarlierPull, str, int]]:
    """Yield the earlier aggregates that end with a row: key, aggregate, arm and ordinal of the row in the arm."""
    wanted = {row: (arm, index) for arm, index, row in places}
    assert outcomes.earlier_ids is not None
    for row, identity in enumerate(outcomes.earlier_ids()):
        if row in wanted:
            arm, index = wanted[row]
            key = import_key(identity, arm)
            if key in pulls:
                yield key, pulls[key], arm, index
