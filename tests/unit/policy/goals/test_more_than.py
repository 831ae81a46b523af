import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.choices import PROBLEMS, choices
from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import AlgorithmPolicy, Stop, arm_index, find_index_policy, find_policy, rule_of
from thresher.policy.goals.more_than import (
    LEAST_WEIGHT,
    MORE_THAN,
    chance_of_mistake,
    evidence_by,
    weigh_by_others,
)
from thresher.policy.listing import list_policies
from thresher.problem import Problem
from thresher.research.engine.reference import play
from thresher.types import Floats


def weights_of(chances: list[float], most: int) -> Floats:
    weights = np.empty(len(chances))
    weigh_by_others(np.array(chances), most, weights, np.empty((len(chances) + 1, most + 1)))
    return weights


def test_the_weights_of_three_arms_by_hand() -> None:
    # Arm 1: the others make no mistake with (1 - 0.2)(1 - 0.5); exactly one with 0.2 * 0.5 + 0.8 * 0.5; and so on.
    np.testing.assert_allclose(weights_of([0.1, 0.2, 0.5], 0), [0.4, 0.45, 0.72])
    np.testing.assert_allclose(weights_of([0.1, 0.2, 0.5], 1), [0.5, 0.5, 0.1 * 0.8 + 0.9 * 0.2])
    np.testing.assert_allclose(weights_of([0.1, 0.2, 0.5], 2), [0.1, 0.05, 0.02])


@given(chances=st.lists(st.floats(0.0, 0.5), min_size=1, max_size=7), most=st.integers(0, 8))
def test_a_weight_is_how_the_chance_of_too_many_mistakes_moves_with_that_of_its_arm(
    chances: list[float], most: int
) -> None:
    def too_many(at: list[float]) -> float:
        counts = np.ones(1)
        for chance in at:
            counts = np.convolve(counts, [1.0 - chance, chance])
        return float(counts[most + 1 :].sum())

    weights = weights_of(chances, most)
    for k in range(len(chances)):
        certain = [too_many([*chances[:k], end, *chances[k + 1 :]]) for end in (0.0, 1.0)]
        assert weights[k] == pytest.approx(certain[1] - certain[0], abs=1e-12)


def test_tiny_weights_keep_their_digits_and_none_is_zero() -> None:
    assert weights_of([1e-40, 1e-50, 1e-60], 2)[0] == pytest.approx(1e-110, rel=1e-12)
    assert weights_of([0.3, 0.3], 5).tolist() == [LEAST_WEIGHT, LEAST_WEIGHT]


def test_the_chance_of_a_mistake_is_that_of_a_flat_prior() -> None:
    rule = rule_of(find_index_policy("stopping").rank(Problem.gaussian([0.0], sigma=2.0)), 0)
    # Four samples that sum to 3: z = 3 / (2 * 2).
    assert chance_of_mistake(evidence_by(rule, 4.0, 3.0, 0.0)) == pytest.approx(0.5 * math.erfc(0.75 / math.sqrt(2.0)))


def test_the_policy_has_a_name_and_a_parameter() -> None:
    for text, most in (("more-than", 0.0), ("more-than:m=3", 3.0)):
        policy = find_policy(text)
        assert isinstance(policy, AlgorithmPolicy)
        assert (policy.name, policy.algorithm, policy.parameters) == (text, MORE_THAN, (most,))
    assert ("more-than", "m=0") in {(entry.name, entry.parameters) for entry in list_policies()}


def test_it_plays_families_with_a_side() -> None:
    assert find_policy("more-than").why_not(Problem.bernoulli([0.5, 0.4])) is None
    assert find_policy("more-than").why_not(Problem.two_point([0.5])) is not None


@pytest.mark.parametrize("most", [0, 2])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.family)
def test_every_choice_is_the_least_weighed_index(problem: Problem, most: int) -> None:
    ranking = find_index_policy("stopping").rank(problem)
    for seen in choices(f"more-than:m={most}", problem, budget=60, seed=4):
        squares = [
            sum((x - bar) ** 2 for x in each) for each, bar in zip(seen.outcomes, problem.thresholds, strict=True)
        ]
        told = [(rule_of(ranking, k), float(seen.counts[k]), seen.ones[k], squares[k]) for k in range(problem.n_arms)]
        weights = weights_of([chance_of_mistake(evidence_by(*each)) for each in told], most)
        keys = np.array([arm_index(*each) for each in told]) - np.log(weights)
        assert keys[seen.arm] <= keys.min() + 1e-9


def test_mistakes_are_counted_whatever_they_cost() -> None:
    plain, dear = (Problem.gaussian([0.3, -0.1, 0.5], costs=costs) for costs in (1.0, [1.0, 50.0, 0.2]))
    orders = [
        play(find_policy("more-than").bind(problem, Stop(60.0)), problem, budget=60.0, seed=2, run=0).order
        for problem in (plain, dear)
    ]
    assert orders[0] == orders[1]


@pytest.mark.parametrize("wrong", ["more-than:m=-1", "more-than:m=x", "more-than:m=1.5"])
def test_a_number_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInputError, match="more-than"):
        find_policy(wrong)


def test_another_parameter_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="parameter 'k' of 'more-than'"):
        find_policy("more-than:k=2")
