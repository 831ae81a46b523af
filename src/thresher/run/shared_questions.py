"""Signs that all arms answer the same questions although none are named: in a file that is imported, and in a matrix.

Arms that answer the same questions have dependent outcomes; a campaign with items uses that, and one without is too
certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

FEWEST = 5  # different questions below which nothing is said
RECURRING = 0.8  # share of the questions that every arm must have
ONCE = 2.0  # answers of an arm to a question, on average, above which a column is a group, such as a day
MANY = 20  # values of a parameter that are taken for questions whatever its name is
MOST_LINES = 100_000
WORDS = ("question", "item", "case", "example", "sample", "task", "problem", "query")


def recurring_column(lines: Iterable[tuple[str, Mapping[str, Any]]], used: Collection[str]) -> str:
    """Return an unused column whose values recur in every arm, each about once; empty if there is none.

    Parameters
    ----------
    lines : iterable of (str, mapping)
        The arm and the cells of each measurement.
    used : collection of str
        Columns that have a meaning already.
    """
    found: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))
    for arm, cells in islice(lines, MOST_LINES):
        for column in cells.keys() - set(used):
            if (text := str(cells[column] or "").strip()) and len(text) <= 1000:
                found[column][arm][text] += 1
    return next((column for column in sorted(found) if _recurs(list(found[column].values()))), "")


def _recurs(arms: Sequence[Mapping[str, int]]) -> bool:
    """Return whether all arms have about the same values, each of them about once."""
    if len(arms) < 2:
        return False
    common, every = set.intersection(*map(set, arms)), set.union(*map(set, arms))
    answers, pairs = sum(sum(arm.values()) for arm in arms), sum(map(len, arms))
    return len(common) >= max(FEWEST, RECURRING * len(every)) and answers <= ONCE * pairs


def question_parameter(matrix: Mapping[str, Sequence[Any]]) -> str:
    """Return the parameter of a matrix that seems to be a question; empty if none does."""
    if len(matrix) < 2:
        return ""
    for name, values in matrix.items():
        is_named = any(word in name.lower() for word in WORDS) and len(values) >= FEWEST
        if is_named or len(values) >= MANY:
            return name
    return ""


def matrix_note(matrix: Mapping[str, Sequence[Any]]) -> str:
    """Return a note about questions in a matrix; empty if there are none."""
    name = question_parameter(matrix)
    if not name:
        return ""
    others = " × ".join(other for other in matrix if other != name)
    return (
        f"every value of {name!r} makes arms of its own, with a decision each; to decide on each {others} over all "
        f"{len(matrix[name])} values, give these as items: --items FILE, and {{item}} in place of {{{name}}}"
    )
