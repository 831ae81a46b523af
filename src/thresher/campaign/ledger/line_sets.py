"""Multisets of lines of imported files: a hash of each different line, how often it occurs, its arm and its outcome."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]
Packed: TypeAlias = tuple[tuple[float, int, str], ...]  # outcome, how often each line occurs, hashes in Base64


@dataclass(frozen=True)
class LineSet:
    """Lines by their hash, in ascending order: each occurs `times`, on an arm, with an outcome.

    Parameters
    ----------
    hashes : array of uint64
        Different from each other.
    times : array of int64
    arms : array of int64
        Positions of the arms.
    values : array of float64
    """

    hashes: NDArray[np.uint64]
    times: NDArray[np.int64]
    arms: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, hashes: Any, arms: Any, values: Any, times: Any = None) -> LineSet:
        """Return the multiset of lines that may repeat; of equal hashes the first arm and outcome count."""
        found, first, place = np.unique(np.asarray(hashes, np.uint64), return_index=True, return_inverse=True)
        weights = np.ones(len(place), np.int64) if times is None else np.asarray(times, np.int64)
        total = np.zeros(len(found), np.int64)
        np.add.at(total, place, weights)
        return cls(found, total, np.asarray(arms, np.int64)[first], np.asarray(values, np.float64)[first])

    @classmethod
    def union(cls, parts: Iterable[LineSet]) -> LineSet:
        """Return the sum of multisets."""
        every = list(parts)
        columns = [[getattr(part, name) for part in every] or [()] for name in ("hashes", "arms", "values", "times")]
        return cls.of(*(np.concatenate(some) for some in columns))

    @property
    def size(self) -> int:
        """How many lines there are, each as often as it occurs."""
        return int(self.times.sum())

    def pick(self, chosen: Mask | NDArray[np.int64]) -> LineSet:
        """Return some of the lines."""
        return LineSet(self.hashes[chosen], self.times[chosen], self.arms[chosen], self.values[chosen])

    def with_times(self, times: NDArray[np.int64]) -> LineSet:
        """Return the lines that occur at least once by these numbers."""
        return LineSet(self.hashes, times, self.arms, self.values).pick(times > 0)

    def find(self, other: LineSet) -> tuple[Mask, NDArray[np.int64]]:
        """Return for each line whether another multiset has it, and where; 0 where it does not."""
        where = np.searchsorted(other.hashes, self.hashes)
        where[where == len(other.hashes)] = 0
        is_there = other.hashes[where] == self.hashes if len(other.hashes) else np.zeros(len(where), bool)
        return is_there, np.where(is_there, where, 0)

    def times_in(self, other: LineSet) -> NDArray[np.int64]:
        """Return how often each line occurs in another multiset."""
        is_there, where = self.find(other)
        return np.where(is_there, other.times[where], 0) if len(other.hashes) else np.zeros(len(self.hashes), np.int64)

    def minus(self, other: LineSet) -> LineSet:
        """Return the lines that this multiset has more often than another one."""
        return self.with_times(self.times - self.times_in(other))

    def common(self, other: LineSet) -> LineSet:
        """Return what two multisets share."""
        return self.with_times(np.minimum(self.times, self.times_in(other)))

    def differing(self, other: LineSet) -> Mask:
        """Return which lines have another arm or another outcome in another multiset."""
        is_there, where = self.find(other)
        if not len(other.hashes):
            return is_there
        is_other: Mask = (other.arms[where] != self.arms) | (other.values[where] != self.values)
        return is_there & is_other

    def by_arm(self) -> Iterator[tuple[int, LineSet]]:
        """Yield the lines of each arm, by position."""
        order = np.argsort(self.arms, kind="stable")
        bounds = np.flatnonzero(np.diff(self.arms[order])) + 1
        for part in np.split(order, bounds) if len(order) else ():
            yield int(self.arms[part[0]]), self.pick(np.sort(part))

    def parts(self, most: int) -> Iterator[LineSet]:
        """Yield the lines in parts of at most that many different ones."""
        for first in range(0, len(self.hashes), most):
            yield self.pick(np.arange(first, min(first + most, len(self.hashes))))

    def single(self) -> Iterator[LineSet]:
        """Yield every line by itself, as often as it occurs."""
        for i in np.repeat(np.arange(len(self.hashes)), self.times):
            yield LineSet(self.hashes[[i]], np.ones(1, np.int64), self.arms[[i]], self.values[[i]])


EMPTY = LineSet.of([], [], [])


def pack(lines: LineSet) -> Packed:
    """Return the lines of one arm as an event stores them."""
    order = np.lexsort((lines.hashes, lines.times, lines.values))
    values, times = lines.values[order], lines.times[order]
    bounds = np.flatnonzero((np.diff(values) != 0) | (np.diff(times) != 0)) + 1
    return tuple(
        (float(lines.values[part[0]]), int(lines.times[part[0]]), encode_hashes(lines.hashes[part]))
        for part in (np.split(order, bounds) if len(order) else ())
    )


def unpack(packed: Iterable[tuple[float, int, str]], arm: int) -> LineSet:
    """Return the lines of an arm that an event has."""
    groups = [(value, times, decode_hashes(text)) for value, times, text in packed]
    sizes = [len(hashes) for *_, hashes in groups]
    return LineSet.of(
        np.concatenate([hashes for *_, hashes in groups]) if groups else [],
        np.full(sum(sizes), arm),
        np.repeat([value for value, *_ in groups], sizes),
        np.repeat([times for _, times, _ in groups], sizes),
    )


def encode_hashes(hashes: NDArray[np.uint64]) -> str:
    """Return hashes as text: Base64 of eight bytes each, the least significant first."""
    return base64.b64encode(hashes.astype("<u8").tobytes()).decode("ascii")


def decode_hashes(text: str) -> NDArray[np.uint64]:
    """Return the hashes in a text; raise ValueError if there are none."""
    return np.frombuffer(base64.b64decode(text, validate=True), "<u8").astype(np.uint64)
