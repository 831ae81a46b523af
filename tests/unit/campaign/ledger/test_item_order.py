"""The order in which arms get their items: a permutation of its own for each arm, also after additions."""

import numpy as np
import pytest
from scipy.stats import chisquare

from thresher.campaign.ledger import Arm, Item, Ledger
from thresher.campaign.ledger.item_order import ItemOrder, arms_that_took, moved, order_of

POOLS = [(1,), (7,), (7, 9), (1, 2, 30)]


@pytest.mark.parametrize("pools", POOLS)
def test_every_arm_has_a_permutation_and_its_inverse(pools: tuple[int, ...]) -> None:
    order = ItemOrder(5, pools)
    for arm in range(4):
        items = order.items(arm).tolist()
        assert sorted(items) == list(range(pools[-1]))
        assert [order.item(arm, place) for place in range(pools[-1])] == items
        assert [order.place(arm, item) for item in items] == list(range(pools[-1]))


def test_arms_and_seeds_have_orders_of_their_own() -> None:
    orders = {tuple(ItemOrder(seed, (30,)).items(arm)) for seed in range(5) for arm in range(5)}
    assert len(orders) == 25


@pytest.mark.parametrize("pools", [(6,), (4, 6)])
def test_every_item_is_equally_likely_to_come_first(pools: tuple[int, ...]) -> None:
    # The seed is fixed; with another one this fails with probability 0.001.
    first = [ItemOrder(11, pools).item(arm, 0) for arm in range(3000)]
    assert chisquare(np.bincount(first, minlength=6)).pvalue > 0.001


def test_items_that_were_taken_stay_taken_after_an_addition() -> None:
    before, after = ItemOrder(3, (5,)), ItemOrder(3, (5, 9))
    arm = Arm(0, "a", 0.5, 1.0, 1.0, 1)
    for place in (0, 1, 3):
        arm = arm.take(place)
    now = moved(arm, before, after)
    taken = {after.item(0, place) for place in range(9) if now.has_taken(place)}
    assert taken == {before.item(0, place) for place in (0, 1, 3)}


def test_only_arms_that_took_an_item_of_a_pair_are_found() -> None:
    ledger = Ledger(budget=9, pools="4", seed=2)
    arms = [Arm(k, name, 0.5, 1.0, 1.0, 1) for k, name in enumerate("abc")]
    items = [Item(i, f"q{i}") for i in range(4)]
    arms[1] = arms[1].take(order_of(ledger).place(1, 2))
    every = [(arm, item.name) for arm in "abc" for item in items]
    assert arms_that_took(ledger, arms, items, every) == {1}
    assert arms_that_took(ledger, arms, items, [("b", "q1"), ("nobody", "q2"), ("b", "nothing")]) == set()
