"""Arms with a control: a batch is chosen like single asks, and items adjust the sort keys."""

import math

import numpy as np
import pytest

from thresher.campaign.ledger import Arm, ControlRanking, Ledger, SortKeys, Terms

URGENCY = SortKeys(Terms(family="bernoulli", policy="stopping", control="arm 2"))


def arms_of(seed: int) -> list[Arm]:
    """Return eight arms with outcomes, the control among them; one is retired, two have tickets out."""
    rng = np.random.default_rng(seed)
    arms = []
    for k in range(8):
        pulls = int(rng.integers(2, 20))
        total = float(rng.binomial(pulls, 0.5))
        cost = int(rng.integers(1, 4)) * 1_000_000
        arms.append(Arm(k, f"arm {k}", 0.5, 0.5, 1.0, cost, pulls, k % 3 // 2, total, pulls / 4, retired=int(k == 5)))
    return arms


def one_by_one(arms: list[Arm], left: int, wanted: int) -> list[int]:
    """Return the arms to ask, with all keys computed anew for each."""
    known, chosen = list(arms), list[int]()
    while len(chosen) < wanted:
        keys = URGENCY.compare(known).keys()
        payable = [k for k in range(len(known)) if known[k].pull_cost <= left and keys[k] < math.inf]
        if not payable:
            break
        k = min(payable, key=lambda k: (keys[k], k))
        chosen.append(k)
        left -= known[k].pull_cost
        known[k] = known[k].reserve()
    return chosen


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_is_chosen_as_one_by_one(seed: int) -> None:
    arms = arms_of(seed)
    comparison = URGENCY.compare(arms)
    for left, wanted in ((200_000_000, 30), (9_000_000, 30), (0, 3)):
        assert comparison.choose([], left=left, wanted=wanted, ceiling=math.inf) == one_by_one(arms, left, wanted)
    assert 5 not in comparison.choose([], left=200_000_000, wanted=60, ceiling=math.inf)


def test_changed_rows_count_for_one_choice_and_updated_ones_for_all() -> None:
    arms = arms_of(1)
    changed = [arms[0]._replace(outstanding=50), arms[3]._replace(outstanding=50)]
    comparison = URGENCY.compare(arms)
    after = one_by_one([changed[0], *arms[1:3], changed[1], *arms[4:]], 40_000_000, 9)
    assert comparison.choose(changed, left=40_000_000, wanted=9, ceiling=math.inf) == after
    assert comparison.choose([], left=40_000_000, wanted=9, ceiling=math.inf) == one_by_one(arms, 40_000_000, 9)
    comparison.update(changed)
    assert comparison.choose([], left=40_000_000, wanted=9, ceiling=math.inf) == after


def test_items_move_an_arm_as_other_outcomes_would() -> None:
    # Effects of −2 in all on the items told, and 0 on average: the arm counts as one with two ones more.
    arms, pool = arms_of(2), Ledger(pools="400")
    higher = [arms[0]._replace(total=arms[0].total + 2.0), *arms[1:]]
    adjusted = [arms[0].refit(-2.0, 0.0), *arms[1:]]
    found: list[ControlRanking] = [URGENCY.compare(each, pool) for each in (arms, higher, adjusted)]
    plain, with_ones, with_items = (each.keys() for each in found)
    assert with_items == with_ones != plain


def test_what_items_explain_leaves_more_samples() -> None:
    arms = arms_of(3)
    plain, shared = (URGENCY.compare(arms, Ledger(pools="400", share=share)).keys() for share in (1.0, 0.5))
    assert all(a != b for a, b, arm in zip(plain, shared, arms, strict=True) if not arm.retired)
