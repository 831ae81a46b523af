import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.bayes_limits import bayes_limit

K = 200


@pytest.mark.parametrize(
    ("spread", "known"),
    [
        (0.2, [78.25, 67.21, 56.63, 40.96, 19.88]),
        (0.5, [52.91, 37.15, 26.19, 14.91, 5.30]),
        (1.0, [29.53, 17.27, 10.73, 5.30, 1.60]),
    ],
)
def test_the_limit_of_two_hundred_arms_has_its_reference_values(spread: float, known: list[float]) -> None:
    limits = [bayes_limit(np.full(K, spread), budget=budget) for budget in (400, 1000, 2000, 5000, 20000)]
    np.testing.assert_allclose(limits, known, rtol=0, atol=6e-3)


def test_without_a_budget_half_of_all_verdicts_are_wrong() -> None:
    assert bayes_limit([0.5, 2.0], [1.0, 3.0], budget=0.0) == pytest.approx(2.0, rel=1e-3)


def test_a_mean_known_to_be_at_its_threshold_costs_nothing() -> None:
    assert bayes_limit([0.0, 0.0], budget=5.0) == 0.0
    assert bayes_limit([0.0, 0.3], budget=5.0) == bayes_limit([0.3], budget=5.0)


@given(
    spread=st.floats(0.05, 5.0),
    pulls=st.integers(1, 1000),
    cost=st.floats(0.01, 100.0),
)
def test_uniform_sampling_stays_above_the_limit(spread: float, pulls: int, cost: float) -> None:
    # The sign of a sum of n samples is wrong with probability arctan(1 / (sqrt(n) tau / sigma)) / pi.
    uniform = cost * math.atan(1.0 / (math.sqrt(pulls) * spread)) / math.pi
    assert bayes_limit([spread], cost, budget=float(pulls)) < uniform


@given(
    spreads=st.lists(st.floats(0.05, 5.0), min_size=1, max_size=4),
    budget=st.floats(1.0, 1e5),
    factor=st.floats(0.01, 100.0),
)
def test_units_do_not_matter(spreads: list[float], budget: float, factor: float) -> None:
    plain = bayes_limit(spreads, budget=budget)
    assert bayes_limit(spreads, factor, budget=budget) == pytest.approx(factor * plain, rel=1e-5)
    assert bayes_limit(spreads, None, factor, budget=factor * budget) == pytest.approx(plain, rel=1e-5)


@given(spreads=st.lists(st.floats(0.05, 5.0), min_size=1, max_size=4), budget=st.floats(1.0, 1e4))
def test_the_limit_falls_with_the_budget_ever_slower(spreads: list[float], budget: float) -> None:
    low, middle, high = (bayes_limit(spreads, budget=budget * factor) for factor in (1.0, 2.0, 3.0))
    assert low > middle > high
    assert low - middle >= (middle - high) * (1.0 - 1e-4)


def test_pulls_go_where_a_mistake_costs_most() -> None:
    # One budget for a dear and a cheap arm can do no worse than half of it for each.
    together = bayes_limit([0.5, 0.5], [10.0, 0.1], budget=40.0)
    assert together < bayes_limit([0.5], 10.0, budget=20.0) + bayes_limit([0.5], 0.1, budget=20.0)


def test_a_negative_spread_or_budget_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        bayes_limit([-0.1], budget=1.0)
    with pytest.raises(InvalidInputError):
        bayes_limit([0.1], budget=-1.0)


def test_a_population_far_from_the_bar_is_judged_without_a_sample() -> None:
    # N(2, 0.5²): the prior alone is wrong with probability Φ(-4).
    assert bayes_limit(np.full(10, 0.5), budget=0.0, centre=4.0) == pytest.approx(
        10 * 0.5 * math.erfc(4.0 / math.sqrt(2.0)), rel=1e-3
    )


def test_a_population_away_from_the_bar_is_solved_as_one_with_whole_samples() -> None:
    # A dynamic programme over whole samples (Gauss-Hermite quadrature on 801 levels) for 200 arms of N(0.4, 0.5²) gives
    # 32.28 at 400 pulls and 16.33 at 2000. A Brownian path is worth a little more than its whole samples.
    near, far = (bayes_limit(np.full(200, 0.5), budget=budget, centre=0.8) for budget in (400, 2000))
    assert 0.95 < near / 32.28 < 1.0
    assert 0.98 < far / 16.33 < 1.0


def test_the_side_of_the_centre_does_not_matter() -> None:
    assert bayes_limit([0.5], budget=3.0, centre=-0.7) == bayes_limit([0.5], budget=3.0, centre=0.7)
    with pytest.raises(InvalidInputError, match="centre"):
        bayes_limit([0.5], budget=3.0, centre=float("inf"))
