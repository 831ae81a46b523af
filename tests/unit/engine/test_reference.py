"""Algorithm 1 on luck that is known: every choice by hand."""

import numpy as np
import pytest

from thresher.engine import reference
from thresher.policy import IndexPolicy, find_policy
from thresher.problem import Problem


def index_policy(name: str) -> IndexPolicy:
    found = find_policy(name)
    assert isinstance(found, IndexPolicy)
    return found


def certain(*rates: float) -> Problem:
    """Return 0/1 arms that always show the same, so that nothing is left to chance."""
    return Problem.bernoulli(list(rates), 0.5)


def test_every_arm_is_pulled_once_first() -> None:
    spent = reference.spend(index_policy("apt"), certain(1.0, 0.0, 1.0), budget=3, seed=0, run=0)
    assert spent.counts.tolist() == [1, 1, 1]
    assert spent.totals.tolist() == [1.0, 0.0, 1.0]


def test_ties_go_to_the_lowest_arm() -> None:
    # After one pull each, x = 1 · (1 − ½)² / (2 · ¼) = ½ for all: arms 1, 2, 3 in turn.
    for budget, counts in ((4, [2, 1, 1]), (5, [2, 2, 1]), (6, [2, 2, 2]), (7, [3, 2, 2])):
        spent = reference.spend(index_policy("apt"), certain(1.0, 0.0, 1.0), budget=budget, seed=0, run=0)
        assert spent.counts.tolist() == counts


def test_the_least_index_is_pulled() -> None:
    # Costs 1 and e²: LSA's index is n/2 + log(n/a), so that the dear arm is pulled until n/2 + log n > ½ + 2.
    problem = Problem.bernoulli([1.0, 1.0], 0.5, costs=[1.0, np.exp(2.0)])
    # n = 2: 1 + 0.69; n = 3: 1.5 + 1.10 = 2.60 > 2.5: three pulls of the dear arm, then the other one.
    for budget, counts in ((3, [1, 2]), (4, [1, 3]), (5, [2, 3])):
        assert reference.spend(index_policy("lsa"), problem, budget=budget, seed=0, run=0).counts.tolist() == counts


def test_the_peak_is_the_last_time_when_the_least_index_was_largest() -> None:
    # Under `uniform` the index is n: after T = 5 pulls of two arms min n is 2, first at T = 4 and last at T = 5.
    spent = reference.spend(index_policy("uniform"), certain(1.0, 0.0), budget=5, seed=0, run=0)
    assert spent.peak_counts.tolist() == [3, 2] == spent.counts.tolist()


def test_after_the_peak_one_arm_may_fall_back() -> None:
    # One 0/1 arm with θ = ½ and outcomes 1, 0: x goes from ½ to 0, so that the peak is after the first pull.
    problem = Problem.replay({"a": [1.0, 0.0, 0.0, 0.0]}, 0.5)
    falls = [
        reference.spend(index_policy("apt"), problem, budget=2, seed=0, run=run)
        for run in range(40)
    ]  # fmt: skip
    fallen = [spent for spent in falls if spent.totals[0] == 1.0]
    assert fallen
    assert all(spent.peak_counts.tolist() == [1] and spent.counts.tolist() == [2] for spent in fallen)


def test_the_budget_is_spent_when_the_least_arm_cannot_be_paid() -> None:
    # The dear arm is next and costs 3; one unit is left, which the other arm could take: the run ends all the same.
    problem = Problem.bernoulli([1.0, 1.0], 0.5, pull_costs=[1.0, 3.0], costs=[1.0, 1000.0])
    spent = reference.spend(index_policy("lsa"), problem, budget=5, seed=0, run=0)
    assert spent.counts.tolist() == [1, 1]


def test_three_pulls_come_first_when_the_variance_is_unknown() -> None:
    problem = Problem.gaussian_unknown_variance([0.5, -0.5])
    spent = reference.spend(index_policy("lsa"), problem, budget=6, seed=0, run=0)
    assert spent.counts.tolist() == [3, 3]


@pytest.mark.parametrize("name", ["apt", "lsa", "stopping"])
def test_luck_depends_on_the_place_alone(name: str) -> None:
    # Whatever the policy, the first pulls of an arm show the same.
    problem = Problem.gaussian([0.3, -0.2, 0.1])
    short = reference.spend(index_policy("uniform"), problem, budget=3, seed=4, run=7)
    again = reference.spend(index_policy(name), problem, budget=3, seed=4, run=7)
    assert short.totals.tolist() == again.totals.tolist()
