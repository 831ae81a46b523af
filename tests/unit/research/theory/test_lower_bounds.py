"""The lower bounds: by hand, through the oracle, and the lemma on pulls with its constants worked out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.bernoulli import divergence, opposite_mean
from thresher.research.theory.lower_bounds import family_lower_bound, least_pulls, lower_bound
from thresher.research.theory.oracle_allocation import oracle


def test_equal_arms_by_hand() -> None:
    # three arms, ten pulls each: 3/4 exp(-4 · 10 · 0.3²)
    assert lower_bound([0.3] * 3, budget=30) == pytest.approx(0.75 * math.exp(-3.6))


@given(
    gaps=st.lists(st.floats(1e-2, 1e1), min_size=1, max_size=8), budget=st.floats(0.0, 1e3), scale=st.floats(1e-5, 1e5)
)
def test_it_is_a_quarter_of_the_oracles_bound_at_twice_the_gaps(gaps: list[float], budget: float, scale: float) -> None:
    found = lower_bound(gaps, budget=budget)
    assert found == pytest.approx(0.25 * oracle(2 * np.array(gaps), budget=budget).bound, rel=1e-12)
    assert lower_bound(gaps, scale, budget=budget) == pytest.approx(scale * found, rel=1e-9)


def test_the_general_form_takes_the_larger_divergence() -> None:
    means = np.array([0.2, 0.55, 0.8])
    others = opposite_mean(means, 0.4)
    forward, reverse = divergence(means, others), divergence(others, means)
    assert np.all(forward != reverse)
    found = family_lower_bound(forward, reverse, budget=40)
    assert found == pytest.approx(lower_bound(np.sqrt(np.maximum(forward, reverse) / 4), budget=40), rel=1e-12)
    assert found == family_lower_bound(reverse, forward, budget=40)


def test_an_arm_at_its_threshold_and_one_that_a_sample_settles_add_nothing() -> None:
    alone = lower_bound([0.5], budget=3)
    assert lower_bound([0.0, 0.5], budget=3) == alone
    assert family_lower_bound([math.inf, 1.0, 0.0], [0.3, 1.0, 0.0], budget=3) == pytest.approx(alone)


def test_the_pulls_of_hard_arms_by_the_closed_form() -> None:
    # Five hard arms, others at 1 and 2, c0 = 1/4, c1 = 3, T = 400, with all arms pulled:
    # H = 5 + 1 + 1/4, H^log = log(1/4)/4, and 1/(8 (1 - δ)²) {(c0 T + H^log)/H + log(K0/(512 c1 H))}
    total, logs, hard = 6.25, -math.log(4) / 4, 0.01
    closed = ((100 + logs) / total + math.log(5 / (512 * 3 * total))) / (8 * (1 - hard) ** 2)
    found = least_pulls([1.0, 2.0], hard_arms=5, hard_gap=hard, budget=400, exponent=0.25, factor=3.0)
    assert found == pytest.approx(closed, rel=1e-12)


def test_the_pulls_of_hard_arms_grow_linearly_and_vanish_for_small_budgets() -> None:
    few = least_pulls([1.0], hard_arms=2, hard_gap=1e-6, budget=10)
    some, many = (least_pulls([1.0], hard_arms=2, hard_gap=1e-6, budget=budget) for budget in (1e8, 2e8))
    assert few == 0.0
    assert many / some == pytest.approx(2.0, rel=1e-4)
    assert many == pytest.approx(2e8 / (8 * 3), rel=1e-4)  # T/H over 8, H = 3


def test_the_steps_of_the_lemma_hold_at_their_worst() -> None:
    # kl(p, q) >= log(1/q)/8 - log 2 for every p >= 1/8 and q <= 1/8
    p, q = np.meshgrid(np.linspace(0.125, 1, 200), np.geomspace(1e-12, 0.125, 200))
    assert np.all(divergence(p, q) >= np.log(1 / q) / 8 - math.log(2) - 1e-12)


@pytest.mark.parametrize(
    ("hard_arms", "hard_gap", "budget"), [(0, 1e-3, 100), (2, 1e-3, 0), (2, 0.1, 100), (2, 0.0, 100), (2, 0.02, 100)]
)
def test_arms_that_are_not_hard_are_refused(hard_arms: int, hard_gap: float, budget: float) -> None:
    with pytest.raises(InvalidInputError, match="threshold"):
        least_pulls([0.015], hard_arms=hard_arms, hard_gap=hard_gap, budget=budget)


@pytest.mark.parametrize("budget", [0, 1e-9, 1.0, 1e9, 1e60])
def test_extreme_numbers_give_finite_answers(budget: float) -> None:
    gaps = [0.0, 1e-60, 1e-8, 1.0, 1e8, 1e60]
    found = lower_bound(gaps, np.geomspace(1e-5, 1e5, 6), np.geomspace(1e5, 1e-5, 6), budget=budget)
    assert 0.0 <= found < math.inf
