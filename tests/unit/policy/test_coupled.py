import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.policy import CoupledPolicy, IndexPolicy, find_policy, rule_of
from thresher.policy.coupled import LEAST_WEIGHT, chance_of_mistake, evidence_by, more_than, next_arm, weigh_by_others
from thresher.policy.fitted import Trust
from thresher.policy.listing import list_policies
from thresher.problem import Problem
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
    stopping = find_policy("stopping")
    assert isinstance(stopping, IndexPolicy)
    rule = rule_of(stopping.rank(Problem.gaussian([0.0], sigma=2.0)), 0)
    # Four samples that sum to 3: z = 3 / (2 * 2).
    assert chance_of_mistake(evidence_by(rule, 4.0, 3.0, 0.0)) == pytest.approx(0.5 * math.erfc(0.75 / math.sqrt(2.0)))


def test_the_lowest_of_equal_arms_is_next_and_weight_lowers_an_index() -> None:
    assert next_arm(np.array([1.0, 1.0]), np.log([0.5, 0.5])) == 0
    assert next_arm(np.array([1.0, 1.5]), np.log([0.1, 0.5])) == 1


def test_the_policy_has_a_name_and_a_parameter() -> None:
    assert find_policy("more-than:m=3") == more_than(3)
    assert find_policy("more-than") == replace(more_than(0), name="more-than")
    fitted = find_policy("stopping-fitted:arms=25")
    assert isinstance(fitted, CoupledPolicy)
    assert (fitted.coupling.trust, fitted.ignores_costs) == (Trust(25.0, 0.5), False)
    assert {("more-than", "m=0"), ("stopping-fitted", "arms=60,share=0.5")} <= {
        (e.name, e.parameters) for e in list_policies()
    }


@pytest.mark.parametrize(
    "wrong",
    ["stopping-fitted:arms=0", "stopping-fitted:arms=inf", "stopping-fitted:arms=nan", "stopping-fitted:share=2"],
)
def test_a_prior_worth_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidProblemError, match="of 'stopping-fitted'"):
        find_policy(wrong)


@pytest.mark.parametrize("wrong", ["more-than:m=-1", "more-than:m=x", "more-than:m=1.5"])
def test_a_number_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidProblemError, match="more-than"):
        find_policy(wrong)


def test_another_parameter_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="parameter of 'more-than'"):
        find_policy("more-than:k=2")
