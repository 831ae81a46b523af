"""The outcomes of a log in columns: a million of them take some forty megabytes."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from thresher.campaign.ledger import LINES
from thresher.run.importers.log import LoggedOutcome

MOST_TEXTS = 1000  # different cells that are counted
LONGEST_TEXT = 200


class Names:
    """Texts and their positions: each text is kept once."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._positions: dict[str, int] = {}

    def add(self, text: str) -> int:
        """Return the position of a text."""
        position = self._positions.setdefault(text, len(self.texts))
        if position == len(self.texts):
            self.texts.append(text)
        return position


class OutcomeColumns(Sequence[LoggedOutcome]):
    """A sequence of outcomes that are kept in columns.

    Parameters
    ----------
    outcomes : iterable of LoggedOutcome
    source : str
        Name of the file.
    form : str
        What makes two lines the same: ``lines``, ``key …`` or ``counts …`` with the columns of the key.
    earlier_ids : callable, optional
        Returns the ids that earlier versions of thresher gave to the records of the log.
    """

    def __init__(
        self,
        outcomes: Iterable[LoggedOutcome] = (),
        *,
        source: str = "",
        form: str = LINES,
        earlier_ids: Callable[[], Iterator[str]] | None = None,
    ) -> None:
        self.source, self.form, self.earlier_ids = source, form, earlier_ids
        self.arms, self.items, self.tickets, self._heads = Names(), Names(), list[str](), Names()
        self._hashes, self._values = array("Q"), array("d")
        self._arm, self._item, self._row = array("i"), array("i"), array("i")
        self._head, self._number, self._repeat = array("i"), array("q"), array("i")
        self._aggregates: list[tuple[int, float | None, str]] = []  # number of outcomes, squares, key
        for one in outcomes:
            self.append(one)

    def append(self, one: LoggedOutcome) -> None:
        """Add an outcome."""
        self._hashes.append(one.hash)
        self._values.append(one.value)
        self._arm.append(self.arms.add(one.arm))
        self._item.append(self.items.add(one.item))
        self._row.append(one.row)
        self._repeat.append(one.repeat)
        head, _, number = one.place.rpartition(" ")
        is_numbered = number.isdigit() and number.isascii() and not number.startswith("0") and len(number) < 18
        self._head.append(self._heads.add(head if is_numbered else one.place))
        self._number.append(int(number) if is_numbered else -1)
        if one.ticket:
            self.tickets.append(one.ticket)
        if one.n:
            self._aggregates.append((one.n, one.squares, one.key))

    def place(self, position: int) -> str:
        """Return where an outcome is."""
        head, number = self._heads.texts[self._head[position]], self._number[position]
        return head if number < 0 else f"{head} {number}"

    def place_of(self, line: int) -> str:
        """Return where the first line with a hash is; empty if there is none."""
        found = np.flatnonzero(self.hashes == line)
        return self.place(int(found[0])) if len(found) else ""

    def __len__(self) -> int:
        return len(self._hashes)

    @overload
    def __getitem__(self, position: int) -> LoggedOutcome: ...
    @overload
    def __getitem__(self, position: slice) -> list[LoggedOutcome]: ...
    def __getitem__(self, position: int | slice) -> LoggedOutcome | list[LoggedOutcome]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        i = range(len(self))[position]
        aggregate = self._aggregates[i] if self._aggregates else (0, None, "")
        return LoggedOutcome(
            self.place(i),
            self._hashes[i],
            self.arms.texts[self._arm[i]],
            self.tickets[i] if self.tickets else "",
            self._values[i],
            self.items.texts[self._item[i]],
            self._row[i],
            *aggregate,
            self._repeat[i],
        )

    def __iter__(self) -> Iterator[LoggedOutcome]:
        return (self[i] for i in range(len(self)))

    @property
    def hashes(self) -> NDArray[np.uint64]:
        """The hashes of the lines."""
        return np.array(self._hashes, np.uint64)

    @property
    def values(self) -> NDArray[np.float64]:
        """The outcomes."""
        return np.array(self._values, np.float64)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The ordinals of the records."""
        return np.array(self._row, np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """The numbers of outcomes."""
        return np.array([count for count, *_ in self._aggregates] or np.ones(len(self)), np.int64)

    @property
    def arm_positions(self) -> NDArray[np.int64]:
        """The positions of the arms in `arms`."""
        return np.array(self._arm, np.int64)

    def first_repeat(self) -> tuple[str, str] | None:
        """Return where the first hash that was there before is, and where it was first; None if all differ."""
        order = np.argsort(self.hashes, kind="stable")
        ordered = self.hashes[order]
        again = order[1:][ordered[1:] == ordered[:-1]]
        if not len(again):
            return None
        repeat = int(again.min())
        return self.place(repeat), self.place(int(np.flatnonzero(self.hashes == self.hashes[repeat])[0]))

    def batch_id(self) -> bytes:
        """Return a digest: the same whenever the same outcomes are imported."""
        digest = hashlib.sha256()
        for column in (self._hashes, self._values, self._arm):
            digest.update(column.tobytes())
        digest.update("\0".join([*self.arms.texts, "", *self.tickets]).encode("utf-8", "replace"))
        digest.update(repr(self._aggregates).encode())
        return digest.digest()


class Values:
    """The cells that outcomes come from: how often each is there, for the first thousand different ones."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, float]] = Counter()
        self.first: list[str] = []
        self.is_complete = True

    def add(self, cell: Any, value: float, shown: int) -> None:
        """Count a cell and the outcome that it stands for; the first few are kept."""
        text = str(cell)[:LONGEST_TEXT]
        if len(self.first) < shown:
            self.first.append(text)
        if (text, value) in self.counts or len(self.counts) < MOST_TEXTS:
            self.counts[text, value] += 1
        else:
            self.is_complete = False
