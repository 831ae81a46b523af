"""Exact error probabilities: by hand, by summing the binomial, and at ties."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.error_rates import (
    bernoulli_error_rates,
    bernoulli_loss,
    gaussian_error_rates,
    gaussian_loss,
    most_below,
    two_point_error_rates,
)


def test_a_gaussian_arm_one_standard_deviation_away() -> None:
    # gap 1/√2 is |μ − θ| = σ; after four samples the mean is two standard errors away: Φ(−2) = 0.02275
    assert gaussian_error_rates(4, 1 / math.sqrt(2)) == pytest.approx(0.022750131948, rel=1e-9)


def test_an_arm_without_samples_is_a_coin_flip_and_an_arm_at_its_threshold_is_never_wrong() -> None:
    np.testing.assert_array_equal(gaussian_error_rates([0.0, 0.0, 7.0], [3.0, 0.0, 0.0]), [0.5, 0.0, 0.0])
    np.testing.assert_array_equal(bernoulli_error_rates([0, 0, 7], [0.9, 0.5, 0.5], 0.5), [0.5, 0.0, 0.0])
    assert two_point_error_rates(0) == 0.5


@pytest.mark.parametrize(
    ("budget", "uniform"),
    [(150, 11.034), (200, 7.865), (250, 5.692), (300, 4.163), (400, 2.275), (500, 1.267), (600, 0.7153)],
)
def test_uniform_sampling_of_a_hundred_equal_arms(budget: int, uniform: float) -> None:
    loss = gaussian_loss(np.full(100, budget / 100), np.full(100, 1 / math.sqrt(2)))
    assert loss == pytest.approx(uniform, abs=6e-4)


@pytest.mark.parametrize(
    ("power", "losses"),
    [(1, [8.580, 6.057, 4.213, 2.908, 1.986, 1.335]), (2, [13.46, 11.31, 9.47, 7.92, 6.62, 5.53])],
)
def test_uniform_sampling_of_the_two_problems_of_the_paper(power: int, losses: list[float]) -> None:
    gaps = (np.arange(1, 51) / 50) ** power / math.sqrt(2)
    found = [gaussian_loss(np.full(50, budget / 50), gaps) for budget in (250, 500, 1000, 2000, 4000, 8000)]
    np.testing.assert_allclose(found, losses, atol=6e-4 if power == 1 else 6e-3)


def test_three_tosses_of_a_coin_that_favours_heads() -> None:
    # Bin(3, 0.8) at most floor(3 · 0.5) = 1: 0.008 + 0.096
    assert bernoulli_error_rates(3, 0.8, 0.5) == pytest.approx(0.104)
    # two tosses: a tie is `below`, so 0, 1 heads are wrong for a good coin and only 2 for a bad one
    assert bernoulli_error_rates(2, 0.8, 0.5) == pytest.approx(0.04 + 0.32)
    assert bernoulli_error_rates(2, 0.2, 0.5) == pytest.approx(0.04)
    assert bernoulli_loss([3, 2], [0.8, 0.2], 0.5, [10.0, 1.0]) == pytest.approx(1.04 + 0.04)


@pytest.mark.parametrize(
    ("numerator", "denominator"), [(9, 10), (7, 100), (29, 100), (57, 100), (1, 3), (2, 7), (3, 10)]
)
def test_a_sample_mean_that_equals_the_threshold_is_below_it(numerator: int, denominator: int) -> None:
    threshold = numerator / denominator
    for count in range(1, 500):
        exact = math.floor(count * Fraction(numerator, denominator))
        assert most_below(np.array([float(count)]), np.array([threshold]))[0] == exact


@given(
    count=st.integers(1, 60),
    mean=st.floats(0.0, 1.0),
    threshold=st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.9, 1.0]),
)
def test_the_binomial_summed_term_by_term_agrees(count: int, mean: float, threshold: float) -> None:
    terms = [math.comb(count, ones) * mean**ones * (1 - mean) ** (count - ones) for ones in range(count + 1)]
    above = sum(term for ones, term in enumerate(terms) if ones / count > threshold)
    wrong = 0.0 if mean == threshold else above if mean < threshold else sum(terms) - above
    assert bernoulli_error_rates(count, mean, threshold) == pytest.approx(wrong, rel=1e-9, abs=1e-12)


def test_many_samples_are_exact_in_the_tail_and_do_not_overflow() -> None:
    # 10^9 tosses of 0.5001 against 0.5: 6.32 standard errors; the normal approximation is good to a part in a thousand
    assert bernoulli_error_rates(10**9, 0.5001, 0.5) == pytest.approx(
        gaussian_error_rates(10**9, 1e-4 * math.sqrt(2)), rel=2e-3
    )
    assert gaussian_error_rates(1e9, 1e60) == 0.0
    assert two_point_error_rates([1, 10, 5000]).tolist() == [0.25, 2.0**-11, 0.0]


def test_a_fraction_of_a_toss_and_an_impossible_mean_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"is 2\.5; must be whole"):
        bernoulli_error_rates(2.5, 0.4, 0.5)
    with pytest.raises(InvalidInputError, match="mean"):
        bernoulli_error_rates(2, 1.4, 0.5)
    with pytest.raises(InvalidInputError, match="threshold"):
        bernoulli_error_rates(2, 0.4, -0.5)
