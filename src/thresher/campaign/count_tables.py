"""Aggregates of many arms in a table, each with a key: told once, corrected, or grown from table to table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.campaign.arms import as_columns
from thresher.campaign.backends import Backend
from thresher.campaign.imports import Imported, ImportOptions, ImportPlan, plan_import, store_import
from thresher.campaign.inputs import batch_of, lookup_name
from thresher.campaign.ledger import (
    Aggregate,
    Arm,
    CountLine,
    ImportLog,
    Terms,
    Version,
    hash_of,
    import_key,
    squares_of,
)
from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownNameError

NEEDED, OPTIONAL = ("arm", "n", "total"), ("squares", "key")
FORM = "counts key"


def count_hash(arm: str, key: str) -> int:
    """Return the hash of an aggregate: the same in a file and in a table."""
    return hash_of(import_key(f"count {key}", arm))


def is_table(given: Any) -> bool:
    """Return whether aggregates come as a table, not as the name of one arm."""
    return not isinstance(given, str) and as_columns(given) is not None


def tell_count_table(
    backend: Backend, table: Any, *, source: str, options: ImportOptions, paid: bool, batch: str | None
) -> Imported:
    """Tell the aggregates of a table in one transaction; return counts."""
    rows = _rows(backend.terms, table)
    digest = hashlib.sha256(repr([source, *rows]).encode()).hexdigest()
    made = batch_of(batch) or digest[:12]
    plan = store_import(backend, lambda log: _plan(backend.terms, log, rows, source, options), made, paid=paid)
    arms = len({arm for arm, *_ in rows})
    return Imported(plan.told, len(rows) - plan.told, arms, made, missing=plan.missing, voided=plan.removed)


def _rows(terms: Terms, table: Any) -> list[tuple[str, str, Aggregate]]:
    """Return arm, key and numbers of each row.

    Raises
    ------
    InvalidInputError
        If a column is missing or unknown, or two rows have the same arm and key.
    InvalidOutcomeError
        If no outcomes of the family have the numbers of a row.
    """
    columns = as_columns(table)
    if columns is None:
        raise InvalidInputError("counts", table, rule="must be a table with the columns arm, n and total")
    _check_columns(columns)
    rows, seen = list[tuple[str, str, Aggregate]](), set[tuple[str, str]]()
    for i in range(len(columns["arm"])):
        cells = {name: column[i] for name, column in columns.items()}
        arm, key = lookup_name("arm", cells["arm"]), str(cells.get("key", ""))
        if (arm, key) in seen:
            fix = "add a column 'key', such as the day" if "key" not in columns else "give each count a key of its own"
            raise InvalidInputError(f"row {i + 1}", key or arm, rule="must not repeat an arm with its key", fix=fix)
        seen.add((arm, key))
        rows.append((arm, key, _sums(terms, i, cells)))
    return rows


def _check_columns(columns: Mapping[str, Sequence[Any]]) -> None:
    known = (*NEEDED, *OPTIONAL)
    if unknown := next((name for name in columns if name not in known), None):
        raise UnknownNameError("column of counts", unknown, known)
    if missing := next((name for name in NEEDED if name not in columns), None):
        raise InvalidInputError(f"column {missing!r}", rule="counts need the columns arm, n and total")


def _sums(terms: Terms, row: int, cells: Mapping[str, Any]) -> Aggregate:
    try:
        sums = Aggregate.of(cells["n"], cells["total"], cells.get("squares"))
        squares_of(terms, Arm(0, "", 0.0, 1.0, 1.0, 1), sums)
    except InvalidOutcomeError as error:
        raise InvalidOutcomeError(f"row {row + 1}: {error}", instead="nothing was stored") from error
    return sums


def _plan(
    terms: Terms, log: ImportLog, rows: Sequence[tuple[str, str, Aggregate]], source: str, options: ImportOptions
) -> ImportPlan:
    names = [arm.name for arm in log.arms]
    positions = {name: position for position, name in enumerate(names)}
    if unknown := next((arm for arm, *_ in rows if arm not in positions), None):
        raise UnknownNameError("arm", unknown[:60], names)
    lines = [
        CountLine(count_hash(arm, key), positions[arm], sums, f"row {i}", key)
        for i, (arm, key, sums) in enumerate(rows, start=1)
    ]
    return plan_import(terms, log, names, [Version(source, FORM, counts=tuple(lines))], options)
