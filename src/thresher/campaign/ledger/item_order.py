"""The order in which each arm is asked the items: random, and the same whenever it is computed from the log.

An arm's order is a random permutation by the random streams of the simulator: a campaign with the seed `s` asks the
items of every arm in the order of run 0 of a simulation with that seed. Items that are added later are inserted at
random places, so that the whole is a random permutation again.

Where an item may be asked several times, the places of the items and of their repeats follow from the permutation as
in the simulator: :mod:`thresher.problem.sampling.repeats`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thresher.campaign.ledger.rows import Arm, Item, Ledger
from thresher.jit import plain
from thresher.problem.sampling import place_of, turn_at
from thresher.streams import arm_key, run_key, shuffle_on, shuffled, unshuffled
from thresher.types import Ints, Words

ORDERS = 1000  # orders of arms that are kept in memory after an addition
_place_of, _turn_at = plain(place_of), plain(turn_at)


class ItemAndRepeat(NamedTuple):
    """An item, and the ordinal of an outcome among those of an arm on it, from 1 on."""

    item: int
    repeat: int


class ItemOrder:
    """The order in which every arm is asked its items.

    Parameters
    ----------
    seed : int
    pools : tuple of int
        Numbers of items after each addition.
    repeats : int
        How often an arm may be asked an item.
    """

    def __init__(self, seed: int, pools: tuple[int, ...], repeats: int = 1) -> None:
        self._seed, self._pools, self._repeats = seed, pools, repeats
        self._merged = lru_cache(maxsize=ORDERS)(self._merge)

    def at(self, arm: int, place: int) -> ItemAndRepeat:
        """Return what an arm is asked at a place (0, 1, 2, …) of its order."""
        rank, before = _turn_at(place, self._pools[-1], self._repeats)
        return ItemAndRepeat(self.item(arm, rank), before + 1)

    def place(self, arm: int, item: int, repeat: int = 1) -> int:
        """Return the place at which an arm is asked an item for that time."""
        return int(_place_of(self._rank(arm, item), repeat - 1, self._pools[-1], self._repeats))

    def item(self, arm: int, rank: int) -> int:
        """Return the item at a rank (0, 1, 2, …) of the permutation of an arm."""
        if len(self._pools) > 1:
            return int(self._merged(arm)[0][rank])
        return int(shuffled(self._key(arm), rank, self._pools[0]))

    def _rank(self, arm: int, item: int) -> int:
        if len(self._pools) > 1:
            return int(self._merged(arm)[1][item])
        return int(unshuffled(self._key(arm), item, self._pools[0]))

    def items(self, arm: int) -> Ints:
        """Return all items in the permutation of an arm."""
        order = _first(self._key(arm), self._pools[0], self._pools[0]).astype(np.int64)
        for addition, (before, size) in enumerate(zip(self._pools[:-1], self._pools[1:], strict=True), start=1):
            places = _first(self._key(arm, addition), size - before, size).astype(np.int64)
            merged = np.full(size, -1, np.int64)
            merged[places] = np.arange(before, size)
            merged[merged < 0] = order
            order = merged
        return order

    def _merge(self, arm: int) -> tuple[Ints, Ints]:
        """Return the order of an arm, and the place of each item in it."""
        order = self.items(arm)
        return order, np.argsort(order)

    def _key(self, arm: int, addition: int = 0) -> np.uint64:
        return np.uint64(arm_key(np.uint64(run_key(self._seed, addition)), arm))


def _first(key: np.uint64, count: int, size: int) -> Words:
    """Return the positions of the first `count` elements in a random permutation of `size`."""
    places = np.empty(count, np.uint64)
    shuffle_on(key, 0, size, places)
    return places


@lru_cache(maxsize=100)
def _order(seed: int, pools: str, repeats: int) -> ItemOrder:
    return ItemOrder(seed, tuple(map(int, pools.split())), repeats)


@lru_cache(maxsize=4)
def _every_order(seed: int, pools: str, repeats: int, n_arms: int) -> Ints:
    order = _order(seed, pools, repeats)
    found = np.array([order.items(arm) for arm in range(n_arms)])
    found.setflags(write=False)
    return found


def every_order(ledger: Ledger) -> Ints:
    """Return all items in the permutation of each arm, shape (K, N); not to be written to."""
    return _every_order(ledger.seed, ledger.pools, ledger.repeats, ledger.arms)


def order_of(ledger: Ledger) -> ItemOrder:
    """Return the order of the items of a campaign, which has some."""
    return _order(ledger.seed, ledger.pools, ledger.repeats)


def has_taken(ledger: Ledger, arm: Arm, item: int, repeat: int = 1) -> bool:
    """Return whether a measurement of an arm on an item is issued or told."""
    return arm.has_taken(order_of(ledger).place(arm.position, item, repeat))


def arms_that_took(
    ledger: Ledger, arms: Iterable[Arm], items: Iterable[Item], pairs: Iterable[tuple[str, str]]
) -> set[int]:
    """Return the positions of the arms that were issued or told an item of these pairs of names.

    Pairs with another arm or item than these are left out.
    """
    arm_by_name, item_by_name = {arm.name: arm for arm in arms}, {item.name: item.position for item in items}
    found = set[int]()
    for arm_name, item_name in pairs:
        arm, item = arm_by_name.get(arm_name), item_by_name.get(item_name)
        if arm is None or item is None or arm.position in found:
            continue
        if any(has_taken(ledger, arm, item, repeat) for repeat in range(1, ledger.repeats + 1)):
            found.add(arm.position)
    return found


def moved(arm: Arm, before: ItemOrder, after: ItemOrder) -> Arm:
    """Return an arm whose taken measurements are at their places in a new order."""
    taken = [place for place in range(arm.first_free + 4 * len(arm.ahead)) if arm.has_taken(place)]
    places = [after.place(arm.position, *before.at(arm.position, place)) for place in taken]
    bits = np.zeros(max(places, default=0) + 1, np.bool_)
    bits[places] = True
    return arm.with_places(0, int("".join("1" if bit else "0" for bit in bits[::-1]), 2))
