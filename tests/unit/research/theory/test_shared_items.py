"""The best fixed allocation of answers to shared items: by hand, and against all allocations."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr

from thresher.problem import Problem
from thresher.research.theory.shared_items import fixed_allocation


def test_one_arm_by_hand() -> None:
    # Mean 3/4, standard deviation √3/4, gap 1/4: gap / deviation is 1/√3. Nothing else explains one arm: r = 1.
    # n of 4 items are n / (1 - n/4) draws: 4/3, 4, 12 and then all.
    problem = Problem.crossed(np.array([[1.0, 1.0, 1.0, 0.0]]), 0.5)
    for budget, error in ((1, ndtr(-2 / 3)), (2, ndtr(-2 / 3**0.5)), (3, ndtr(-2.0)), (4, 0.0), (9, 0.0)):
        found = fixed_allocation(problem, float(budget))
        assert found is not None
        assert found.share_left == 1.0
        assert found.loss == pytest.approx(error, abs=1e-12)


def test_no_allocation_of_whole_answers_loses_less_and_one_loses_as_much() -> None:
    random = np.random.default_rng(2)
    table = (random.random((3, 12)) < np.array([[0.3], [0.6], [0.85]])).astype(np.float64)
    costs, pull_costs = [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]
    problem = Problem.crossed(table, 0.45, costs=costs, pull_costs=pull_costs)
    gaps, deviations = np.abs(table.mean(axis=1) - 0.45), table.std(axis=1)
    counts = np.arange(13)
    with np.errstate(divide="ignore"):
        errors = [
            cost * ndtr(-gap / deviation * np.sqrt(counts / (1.0 - counts / 12)))
            for gap, deviation, cost in zip(gaps, deviations, costs, strict=True)
        ]
    best = dict.fromkeys(range(40), np.inf)
    for n in product(range(13), repeat=3):
        spent = int(np.dot(n, pull_costs))
        if spent < 40:
            best[spent] = min(best[spent], sum(errors[k][count] for k, count in enumerate(n)))
    least = np.minimum.accumulate([best[budget] for budget in range(40)])
    found = [fixed_allocation(problem, float(budget)) for budget in range(1, 40)]
    losses = np.array([each.loss for each in found if each is not None])
    assert {each.share_left for each in found if each is not None} == {1.0}  # items do not matter here
    assert (losses <= least[1:] + 1e-12).all()
    assert np.isclose(losses, least[1:]).any()
    assert losses[-1] < losses[0]


def test_there_is_none_without_shared_items() -> None:
    table = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    assert fixed_allocation(Problem.bernoulli([0.4, 0.6], thresholds=0.5), 10.0) is None
    assert fixed_allocation(Problem.crossed(table, control=0), 4.0) is None
    assert fixed_allocation(Problem.repeated(table, 0.5, repeats=3), 4.0) is None
