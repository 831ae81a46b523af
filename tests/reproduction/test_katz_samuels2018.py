import math

import pytest

from reproduction.feasible import find_feasible_policy, named_feasible
from reproduction.katz_samuels2018 import (
    ARM,
    DOSE,
    EXPERIMENTS,
    POLICIES,
    PUBLISHED,
    PULLED,
    READING,
    TITLES,
    agreements,
    budgets_of,
    distance,
    typed,
)
from thresher.research.papers.grid import Grid


def test_the_distance_by_hand() -> None:
    # 200 of their 2000 runs failed, 150 of our 1000: 350 of 3000 together.
    chance = 350 / 3000
    spread = math.sqrt(chance * (1 - chance) * (1 / 2000 + 1 / 1000) + READING**2)
    assert distance(0.1, 0.15, 1000) == pytest.approx(0.05 / spread)
    assert distance(0.1, 0.1, 1000) == 0.0
    assert distance(0.0, 0.0, 1000) == 0.0


def test_the_policies_are_told_the_horizon_of_the_paper() -> None:
    assert typed("md-apt", DOSE) == "md-apt"
    assert typed("md-sar", DOSE) == "md-sar:horizon=1000"
    assert typed("md-ucbe[100]", "katz-samuels-1") == "md-ucbe:scale=100,horizon=2000"
    for experiment in EXPERIMENTS.values():
        for policy in map(find_feasible_policy, experiment.policies):
            assert not policy.rules(named_feasible(experiment.problem), experiment.budgets).restarts


def test_there_is_a_published_chance_for_every_policy_and_budget() -> None:
    assert set(TITLES) == set(PUBLISHED) == set(EXPERIMENTS)
    for problem, curves in PUBLISHED.items():
        assert len(curves) == len(POLICIES)
        for values in curves:
            assert len(values) == len(budgets_of(problem))
            assert list(values) == sorted(values, reverse=True)
            assert all(0.0 < value < 1.0 for value in values)


def test_the_arm_of_which_the_paper_counts_the_pulls_has_the_least_margin() -> None:
    # "Arm 8, which minimizes the margin": counted from 0.
    assert named_feasible(PULLED).margins.argmin() == ARM


def test_chances_and_pulls_stand_next_to_the_published_ones() -> None:
    grid = Grid(runs=2)
    rows = agreements(grid)
    assert len(rows) == len(PUBLISHED) * len(POLICIES) * 3 + 2
    result = grid.result(EXPERIMENTS[PULLED])
    assert result.runs == 8
    assert grid.result(EXPERIMENTS[PULLED]) is result
    (pulls,) = [row for row in rows if row.policy == "md-apt" and row.what != "failure"]
    assert pulls.ours == result.pulls("md-apt")[-1, 8]
    (chance,) = [row for row in rows if (row.problem, row.policy, row.budget) == (PULLED, "md-sar", 1500)]
    assert chance.ours == result.failures("md-sar:horizon=2000")[:, 1].mean()
