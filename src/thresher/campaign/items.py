"""Items: their names from user input, and the statistics of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from thresher.campaign.inputs import name_of
from thresher.campaign.ledger import Terms
from thresher.errors import InvalidInputError
from thresher.inference import ItemCells
from thresher.problem import number_in, read_text, whole
from thresher.types import Floats, Ints

MOST_ITEMS = 10_000_000


def item_names(items: Any) -> list[str]:
    """Return the names of items; a number stands for ``"1"``, ``"2"``, … .

    Raises
    ------
    InvalidInputError
        If there is none, a name is not valid or is given twice, or the arms are given items of their own.
    """
    if isinstance(items, Mapping):
        raise InvalidInputError(
            "items", list(items), rule="must be the same for all arms", fix="give one list of names, or a number"
        )
    number = None if isinstance(items, str) else whole(items)
    if number is not None:
        if not 1 <= number <= MOST_ITEMS:
            raise InvalidInputError("items", number, rule=f"must be at least 1 and at most {MOST_ITEMS}")
        return [str(i) for i in range(1, number + 1)]
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InvalidInputError("items", items, rule="must be a list of names, or a whole number")
    names = [name_of("item", name) for name in items]
    if not names:
        raise InvalidInputError("number of items", 0, rule="must be at least 1")
    seen = set[str]()
    for name in names:
        if name in seen:
            raise InvalidInputError("name of two items", name, rule="must be unique")
        seen.add(name)
    return names


def most_of_items(repeats: int) -> str:
    """Return why a budget is reduced, in words."""
    return f"every arm answers every item {'once' if repeats == 1 else f'{repeats} times'}"


def read_items(source: str, folder: Path | None = None) -> list[str]:
    """Return the names of items from the command line: how many, or a file with one name on each line.

    Parameters
    ----------
    source : str
        A whole number, or a path.
    folder : Path, optional
        What the path is relative to.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or a name is not valid.
    """
    if number_in(source) is not None:
        return items_in(source)
    return _names_in(read_text((folder or Path()) / source))


def items_in(text: str) -> list[str]:
    """Return the names of items in a text that was typed or uploaded: how many, or one name on each line.

    Raises
    ------
    InvalidInputError
        If a name is not valid.
    """
    if number_in(text.strip()) is None:
        return _names_in(text)
    if not _is_number(text):
        raise InvalidInputError("items", text.strip(), rule="must be a whole number, or names, one on each line")
    return item_names(int(text.strip()[:20]))


def _is_number(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit()


def _names_in(text: str) -> list[str]:
    return item_names([line.strip() for line in text.splitlines() if line.strip()])


@dataclass(frozen=True, slots=True)
class ItemRow:
    """What is known of one item.

    Attributes
    ----------
    item : str
    answers : int
        How many arms were told an outcome of it.
    mean : float or None
        Over these arms of their mean outcome on it: for 0/1 outcomes, each told once, the share of arms that pass it.
    effect : float
        How much higher outcomes are on it than on an average item, allowing for which arms answered it: negative for a
        hard one.
    outcomes : tuple of float or None
        Of every arm, in their order; None where there is none. Where items may be asked several times, their mean.
    repeated : tuple of tuple of float or None
        Where items may be asked several times: all outcomes of every arm, in the order of their ordinals, None for an
        ordinal without one. Empty otherwise.
    """

    item: str
    answers: int
    mean: float | None
    effect: float
    outcomes: tuple[float | None, ...]
    repeated: tuple[tuple[float | None, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; without `repeated` if it is empty."""
        found: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        found |= {"outcomes": list(self.outcomes), "repeated": [list(values) for values in self.repeated]}
        return found if self.repeated else {name: value for name, value in found.items() if name != "repeated"}


class Items(Sequence[ItemRow]):
    """The items of a campaign, in their order, and the outcomes of all arms on them.

    Parameters
    ----------
    arms, names : sequence of str
        Names of the arms and of the items.
    outcomes : ndarray of float64, shape (K, N) or (R, K, N)
        All outcomes of all arms on all items, NaN where there is none; with repeats first the first of each, then the
        second. As an attribute it has the latter shape.
    effects : ndarray of float64, shape (N,)
        Effects of the items on outcomes.
    share : float
        Share of the variance of outcomes that the items do not explain; 1 if items do not matter.
    """

    def __init__(
        self, arms: Sequence[str], names: Sequence[str], outcomes: Floats, effects: Floats, share: float = 1.0
    ) -> None:
        self.arms, self.names, self.effects, self.share = tuple(arms), tuple(names), effects, share
        cells = ItemCells.of(outcomes)
        self.outcomes, self.table, self.is_repeated = cells.table, cells.means, not cells.is_single

    @classmethod
    def from_rows(cls, arms: Sequence[str], rows: Sequence[ItemRow], share: float = 1.0) -> Items:
        """Return the items of rows, one for each."""
        names, effects = [row.item for row in rows], np.array([row.effect for row in rows])
        if any(row.repeated for row in rows):
            return cls(arms, names, _repeated_table(rows, len(arms)), effects, share)
        outcomes = [[np.nan if value is None else value for value in row.outcomes] for row in rows]
        table = np.array(outcomes, dtype=np.float64).reshape(len(rows), len(arms)).T
        return cls(arms, names, table, effects, share)

    @overload
    def __getitem__(self, place: int) -> ItemRow: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ItemRow]: ...
    def __getitem__(self, place: int | slice) -> ItemRow | Sequence[ItemRow]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        name, column = self.names[place], self.table[:, place].tolist()
        told = [value for value in column if value == value]
        mean = sum(told) / len(told) if told else None
        values = tuple(value if value == value else None for value in column)
        return ItemRow(name, len(told), mean, float(self.effects[place]), values, self._repeated(place))

    def _repeated(self, place: int) -> tuple[tuple[float | None, ...], ...]:
        """Return all outcomes of every arm on an item; nothing where items are asked once."""
        if not self.is_repeated:
            return ()
        columns = self.outcomes[:, :, place].T.tolist()
        return tuple(tuple(value if value == value else None for value in column) for column in columns)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<{len(self)} items, {int(self.counts.sum())} outcomes>"

    @property
    def counts(self) -> Ints:
        """How many outcomes each arm has on each item, shape (K, N)."""
        return np.asarray(np.count_nonzero(~np.isnan(self.outcomes), axis=0))

    @property
    def answers(self) -> Ints:
        """How many arms were told an outcome of each item, shape (N,)."""
        return np.asarray(np.count_nonzero(~np.isnan(self.table), axis=0))

    @property
    def means(self) -> Floats:
        """The mean outcome of each item, shape (N,); NaN where there is none."""
        return np.asarray(
            np.where(self.answers > 0, np.nansum(self.table, axis=0) / np.maximum(self.answers, 1), np.nan)
        )

    @property
    def hardest_first(self) -> Ints:
        """The places of the items by their effects, lowest first, and by their means where effects are equal."""
        return np.lexsort((np.nan_to_num(self.means, nan=np.inf), self.effects))

    def range_of(self, terms: Terms) -> tuple[float, float]:
        """Return the least and the largest outcome: those of the family, or those seen where it has no bounds."""
        low, high = terms.kind.range_of(terms.low, terms.high)
        if high < math.inf and not terms.quantile:
            return low, high
        seen = self.table[~np.isnan(self.table)]
        return (float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)

    def unanimous(self, terms: Terms) -> dict[str, list[str]]:
        """Return the items on which all arms that answered, two or more, have the best or the worst outcome."""
        low, high = self.range_of(terms)
        told, is_known = self.answers, ~np.isnan(self.table)
        return {
            kind: [self.names[i] for i in np.flatnonzero((told > 1) & ((self.table == end) | ~is_known).all(axis=0))]
            for kind, end in (("high", high), ("low", low))
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary for each item."""
        return [row.to_dict() for row in self]

    def to_frame(self) -> Any:
        """Return the items as a data frame of whichever library is installed, without the outcomes of the arms."""
        from thresher.report import frame_of

        kept = [key for key in ItemRow.__slots__ if key not in ("outcomes", "repeated")]
        return frame_of([{key: getattr(row, key) for key in kept} for row in self])


def _repeated_table(rows: Sequence[ItemRow], n_arms: int) -> Floats:
    """Return all outcomes of items that are asked several times, shape (R, K, N)."""
    most = max((len(values) for row in rows for values in row.repeated), default=1)
    table = np.full((most, n_arms, len(rows)), np.nan)
    for i, row in enumerate(rows):
        for k, values in enumerate(row.repeated):
            table[: len(values), k, i] = [np.nan if value is None else value for value in values]
    return table
