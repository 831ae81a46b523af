import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.policy.literature.known_standard import BetaPrior, TablePrior
from thresher.research.theory.binary_limits import binary_limit


def test_without_a_budget_the_prior_says_all() -> None:
    # Beta(2, 5) is above 0.3 with the probability of at most one of six, 0.7^6 + 6 · 0.3 · 0.7^5: the better guess is
    # wrong that often. The highest price is 0.5.
    assert binary_limit(BetaPrior(2.0, 5.0), np.full(10, 0.3), budget=0.0) == pytest.approx(4.20175)
    assert binary_limit(BetaPrior(1.0, 1.0), np.full(0, 0.3), budget=5.0) == 0.0


def test_one_pull_of_one_arm_is_worth_what_bayes_says() -> None:
    # Beta(1, 1) at the bar 1/2: after one outcome the error is 1/4, so one pull of the arm lowers it from 1/2 to 1/4.
    # Prices near 1/4 make the limit exact: V = min(1/2, c + 1/4, ...).
    assert binary_limit(BetaPrior(1.0, 1.0), np.full(1, 0.5), budget=1.0) == pytest.approx(0.25, abs=0.01)


def test_fifty_arms_have_the_values_of_a_solution_twice_as_deep() -> None:
    # Computed with 2000 samples of an arm; 1000 give the same digits.
    known = {100: 10.144935, 200: 6.913430, 500: 3.861650, 1000: 2.342927}
    for budget, value in known.items():
        assert binary_limit(BetaPrior(1.0, 1.0), np.full(50, 0.5), budget=budget) == pytest.approx(value, rel=1e-6)


@given(shape=st.sampled_from([(1.0, 1.0, 0.5), (2.0, 5.0, 0.3)]), budget=st.floats(1.0, 2000.0))
def test_it_falls_with_the_budget_ever_slower_and_scales_with_the_arms(
    shape: tuple[float, float, float], budget: float
) -> None:
    a, b, bar = shape
    low, middle, high = (binary_limit(BetaPrior(a, b), np.full(40, bar), budget=f * budget) for f in (1.0, 2.0, 3.0))
    assert low >= middle >= high >= 0.0
    assert low - middle >= middle - high - 1e-12
    twice = binary_limit(BetaPrior(a, b), np.full(80, bar), budget=2.0 * budget)
    assert twice == pytest.approx(2.0 * low)


def test_uniform_sampling_stays_above_it() -> None:
    generator = np.random.default_rng(3)
    means = generator.beta(1.0, 1.0, size=400_000)
    for pulls in (1, 4, 16):
        sums = generator.binomial(pulls, means)
        right = np.where(2 * sums == pulls, 0.5, (2 * sums > pulls) == (means > 0.5))
        # Four standard errors: a false alarm has a chance of 3e-5 even if the two were equal.
        measured = 1.0 - right.mean() + 4.0 * 0.5 / np.sqrt(means.size)
        assert binary_limit(BetaPrior(1.0, 1.0), np.full(1, 0.5), budget=pulls) < measured


@pytest.mark.parametrize("wrong", [{"a": 0.0}, {"b": -1.0}, {"threshold": 1.0}, {"budget": -1.0}])
def test_numbers_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    given = {"a": 1.0, "b": 1.0, "threshold": 0.5, "budget": 3.0} | wrong
    with pytest.raises(InvalidInputError):
        binary_limit(BetaPrior(given["a"], given["b"]), [given["threshold"]], budget=given["budget"])


def test_a_table_of_means_is_solved_as_well() -> None:
    # Two means, 0 and 1, at the bar 1/2: before a sample the error is 1/2, after one it is 0. At the price 1/2 the two
    # costs are equal, and one arm with a budget of half a pull loses 1/2 - 1/4.
    prior = TablePrior((0.0, 1.0))
    assert binary_limit(prior, [0.5], budget=0.0) == pytest.approx(0.5)
    assert binary_limit(prior, [0.5], budget=0.5) == pytest.approx(0.25)
    assert binary_limit(prior, [0.5], budget=1.0) == pytest.approx(0.0, abs=1e-4)


@pytest.mark.nightly
def test_a_fine_table_of_a_beta_distribution_has_its_limit() -> None:
    # The midpoints of 400 cells of equal probability.
    from scipy.special import betaincinv

    table = TablePrior(tuple(betaincinv(2.0, 5.0, (np.arange(400) + 0.5) / 400)))
    for budget in (50, 400):
        exact = binary_limit(BetaPrior(2.0, 5.0), np.full(40, 0.3), budget=budget)
        assert binary_limit(table, np.full(40, 0.3), budget=budget) == pytest.approx(exact, rel=0.01)


def test_costs_scale_the_limit_and_a_dear_arm_is_measured_first() -> None:
    prior, bars = BetaPrior(1.0, 1.0), np.full(10, 0.5)
    plain = binary_limit(prior, bars, budget=100.0)
    assert binary_limit(prior, bars, 3.0, budget=100.0) == pytest.approx(3.0 * plain)
    assert binary_limit(prior, bars, None, 2.0, budget=200.0) == pytest.approx(plain)
    mixed = binary_limit(prior, bars, [10.0, *[0.1] * 9], budget=100.0)
    apart = binary_limit(prior, bars[:1], 10.0, budget=10.0) + binary_limit(prior, bars[1:], 0.1, budget=90.0)
    assert mixed < apart
