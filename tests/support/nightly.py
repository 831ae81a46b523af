"""Which tests run by night only, by their marks.

``nightly`` is for a whole test, ``nightly("a", "b")`` for these cases of a parametrised one, and ``by_day("a")`` for
all of its cases but these. A case is named by its id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest


def is_nightly(item: pytest.Item) -> bool:
    """Return whether a test is left out by day."""
    case = _case_of(item)
    return any(not mark.args or case in mark.args for mark in item.iter_markers("nightly")) or not all(
        case in mark.args for mark in item.iter_markers("by_day")
    )


def check_marks(items: Iterable[pytest.Item]) -> None:
    """Raise UsageError if a mark names a case that its test does not have: the case was renamed or removed."""
    named, cases = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test].add(_case_of(item))
        for name in ("nightly", "by_day"):
            named[test].update(*(mark.args for mark in item.iter_markers(name)))
    wrong = {test: sorted(named[test] - cases[test]) for test in named if named[test] - cases[test]}
    if wrong:
        raise pytest.UsageError(f"marks `nightly` and `by_day` name cases that do not exist: {wrong}")


def _case_of(item: pytest.Item) -> str:
    """Return the id of the case of a parametrised test; empty for another test."""
    return item.callspec.id if isinstance(item, pytest.Function) and hasattr(item, "callspec") else ""
