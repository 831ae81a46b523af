import math

import pytest

from reproduction.locatelli2016 import ABSCISSAE, EXPERIMENTS, PUBLISHED, READING, _distance, ucbe_experiment
from thresher.policy import AlgorithmPolicy, find_policy
from thresher.problem import named


def test_equal_chances_are_no_distance_apart() -> None:
    assert _distance(0.1, 0.1, 5000) == 0.0


def test_the_distance_by_hand() -> None:
    spread = math.sqrt(0.9 / (0.1 * 5000) + 0.8 / (0.2 * 1000) + READING**2)
    assert _distance(0.1, 0.2, 1000) == pytest.approx(math.log(2.0) / spread)


def test_no_mistake_seen_is_about_half_a_mistake() -> None:
    assert _distance(0.001, 0.0, 1000) == _distance(0.001, 0.0005, 1000)


def test_their_axis_is_pulls_after_the_first() -> None:
    for problem, experiment in EXPERIMENTS.items():
        assert experiment.budgets == tuple(place + named(problem).n_arms for place in ABSCISSAE)
        assert experiment.tolerance == 0.1


def test_published_chances_fall_with_the_budget() -> None:
    for policies in PUBLISHED.values():
        for values in policies.values():
            assert list(values) == sorted(values, reverse=True)
            assert len(values) == len(ABSCISSAE)


def test_ucbe_is_told_their_horizon_whatever_the_budget() -> None:
    for place in ABSCISSAE:
        experiment = ucbe_experiment("locatelli-2", place)
        (policy,) = (find_policy(name) for name in experiment.policies)
        assert isinstance(policy, AlgorithmPolicy)
        scale, epsilon = policy.parameters
        assert scale * (experiment.budgets[0] - 10) == pytest.approx(490.0)
        assert epsilon == experiment.tolerance == 0.1
