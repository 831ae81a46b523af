"""Names of arms that differ only by case or blanks: each is an arm of its own, which is seldom meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST_SHOWN = 5  # groups of names in a sentence


class SimilarNamesWarning(UserWarning):
    """Names of arms of a new campaign differ only by case or blanks."""


def look_alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the groups of names that differ only by case or blanks, in the order in which they come."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault("".join(name.casefold().split()), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def similar_note(groups: Sequence[Sequence[str]]) -> str:
    """Return the names that differ only by case or blanks, in a sentence; empty if there are none."""
    if not groups:
        return ""
    shown = "; ".join(" and ".join(f"'{name[:60]}'" for name in group) for group in groups[:MOST_SHOWN])
    more = "; …" if len(groups) > MOST_SHOWN else ""
    return f"names that differ only by case or blanks are different arms: {shown}{more}"
