import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.theory.beta_limits import beta_limit


def test_without_a_budget_the_prior_says_all() -> None:
    # Beta(1, 1) is below 0.3 with probability 0.3: the better guess is wrong that often. The dearest price is 0.5.
    assert beta_limit(10, a=1.0, b=1.0, threshold=0.3, budget=0.0) == pytest.approx(3.0)
    assert beta_limit(0, a=1.0, b=1.0, threshold=0.3, budget=5.0) == 0.0


def test_one_pull_of_one_arm_is_worth_what_bayes_says() -> None:
    # Beta(1, 1) at the bar 1/2: after one outcome the error is 1/4, so one pull of the arm lowers it from 1/2 to 1/4.
    # Prices near 1/4 make the limit exact: V = min(1/2, c + 1/4, ...).
    assert beta_limit(1, a=1.0, b=1.0, threshold=0.5, budget=1.0) == pytest.approx(0.25, abs=0.01)


def test_fifty_arms_have_the_values_of_a_solution_twice_as_deep() -> None:
    # Computed with 2000 samples in a row instead of 1000.
    known = {100: 10.144935, 200: 6.913430, 500: 3.861650, 1000: 2.342927}
    for budget, value in known.items():
        assert beta_limit(50, a=1.0, b=1.0, threshold=0.5, budget=budget) == pytest.approx(value, rel=1e-6)


@settings(max_examples=20)
@given(shape=st.sampled_from([(1.0, 1.0, 0.5), (2.0, 5.0, 0.3)]), budget=st.floats(1.0, 2000.0))
def test_it_falls_with_the_budget_ever_slower_and_scales_with_the_arms(
    shape: tuple[float, float, float], budget: float
) -> None:
    a, b, bar = shape
    low, middle, high = (beta_limit(40, a=a, b=b, threshold=bar, budget=f * budget) for f in (1.0, 2.0, 3.0))
    assert low >= middle >= high >= 0.0
    assert low - middle >= middle - high - 1e-12
    twice = beta_limit(80, a=a, b=b, threshold=bar, budget=2.0 * budget)
    assert twice == pytest.approx(2.0 * low)


def test_uniform_sampling_stays_above_it() -> None:
    generator = np.random.default_rng(3)
    means = generator.beta(1.0, 1.0, size=400_000)
    for pulls in (1, 4, 16):
        sums = generator.binomial(pulls, means)
        right = np.where(2 * sums == pulls, 0.5, (2 * sums > pulls) == (means > 0.5))
        # Four standard errors: a false alarm has a chance of 3e-5 even if the two were equal.
        measured = 1.0 - right.mean() + 4.0 * 0.5 / np.sqrt(means.size)
        assert beta_limit(1, a=1.0, b=1.0, threshold=0.5, budget=pulls) < measured


@pytest.mark.parametrize("wrong", [{"a": 0.0}, {"b": -1.0}, {"threshold": 1.0}, {"budget": -1.0}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError):
        beta_limit(3, **({"a": 1.0, "b": 1.0, "threshold": 0.5, "budget": 3.0} | wrong))
