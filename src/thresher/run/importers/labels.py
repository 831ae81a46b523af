"""Names of arms and items from the cells of a log: on one line, short enough, and no two texts with one name."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InvalidOutcomeError
from thresher.problem import LONGEST_NAME, broken_rule

CONTROLS = ("Cc", "Cs")  # categories of characters that a name must not have
DIGITS = 8  # of the hash at the end of a name that was cut


def label_of(cells: Mapping[str, Any], columns: Sequence[str]) -> str:
    """Return the name that some cells of a record make.

    One column holds the name; several are joined as in a matrix: ``model=small prompt=terse``. Leading and trailing
    blanks are removed. A name that a campaign can have stays as it is otherwise. In any other one every run of white
    space and control characters becomes a space, and what is too long is cut and ends with a hash of the whole text.
    """
    plain = _joined(_stripped(cells, columns), columns)
    if not broken_rule(plain):
        return plain
    keys = sum(len(column) + 2 for column in columns) if len(columns) > 1 else 0
    room = (LONGEST_NAME - keys) // len(columns)
    return _joined({column: _line(str(cells[column]), room) for column in columns}, columns)


def _joined(cells: Mapping[str, Any], columns: Sequence[str]) -> str:
    if len(columns) == 1:
        return str(cells[columns[0]])
    return " ".join(f"{column}={cells[column]}" for column in columns)


def _stripped(cells: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    return {column: str(cells[column]).strip() for column in columns}


def _line(text: str, longest: int) -> str:
    """Return a text on one line, cut to this many characters."""
    line = " ".join("".join(" " if unicodedata.category(one) in CONTROLS else one for one in text).split())
    if len(line) <= longest:
        return line
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGITS]
    return f"{line[: max(longest - DIGITS - 2, 0)]}… {digest}"


class Labels:
    """The names that a log gives to arms or to items."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}  # by the text in the log
        self._first: dict[str, tuple[str, str]] = {}  # place and text without outer blanks, by name

    def add(self, place: str, cells: Mapping[str, Any], columns: Sequence[str]) -> str:
        """Return the name in the record at a place; raise InvalidOutcomeError if another text has that name."""
        text = _joined(cells, columns)
        if text not in self._names:
            self._names[text] = self._name(place, cells, columns)
        return self._names[text]

    def _name(self, place: str, cells: Mapping[str, Any], columns: Sequence[str]) -> str:
        bare, name = _joined(_stripped(cells, columns), columns), label_of(cells, columns)
        first, before = self._first.setdefault(name, (place, bare))
        if before != bare:
            raise InvalidOutcomeError(
                f"{place}: {bare[:60]!r} has on one line the name of {before[:60]!r} in {first}",
                instead="choose columns that tell them apart; nothing was stored",
            )
        return name

    @property
    def changed(self) -> dict[str, str]:
        """The names that differ from the text in the log, with that text."""
        return {name: text for text, name in self._names.items() if name != text}
