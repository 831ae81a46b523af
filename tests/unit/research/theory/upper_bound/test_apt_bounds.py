"""Bounds for APT."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound import apt, apt_any_mistake, apt_corollary_1

LINEAR, QUADRATIC = np.arange(1, 51) / 50, (np.arange(1, 51) / 50) ** 2

gaps = st.lists(st.floats(0.05, 5.0), min_size=1, max_size=8)


def test_corollary_1_of_a_worked_case() -> None:
    # Two arms of gap 1/2, T = 100: H = 8, 2 * 2 * sqrt(100 e) * exp(-100 / 32).
    assert apt_corollary_1([0.5, 0.5], budget=100).value == pytest.approx(
        4.0 * math.sqrt(100.0 * math.e) * math.exp(-3.125)
    )


def test_corollary_1_weighs_mistakes_by_their_costs() -> None:
    # Appendix D: the sum of the costs takes the place of K.
    plain, weighted = apt_corollary_1([0.5, 0.5], budget=100), apt_corollary_1([0.5, 0.5], [2.0, 5.0], budget=100)
    assert weighted.value == pytest.approx(plain.value * 3.5)


@pytest.mark.parametrize(
    ("sizes", "budget", "value"),
    [
        (LINEAR, 1e5, "110.9"),
        (LINEAR, 1.5e5, "6.261"),
        (LINEAR, 3e5, "0.0008682"),
        (QUADRATIC, 3e8, "43.71"),
        (QUADRATIC, 5e8, "0.03478"),
    ],
)
def test_corollary_1_on_the_problems_of_figures_2_and_4(sizes: np.ndarray, budget: float, value: str) -> None:
    assert f"{apt_corollary_1(sizes, budget=budget).value:.4g}" == value


@pytest.mark.parametrize(("sizes", "budget"), [(LINEAR, 7e4), (LINEAR, 1e5), (QUADRATIC, 1e8), (QUADRATIC, 2e8)])
def test_at_small_budgets_it_is_vacuous(sizes: np.ndarray, budget: float) -> None:
    assert apt_corollary_1(sizes, budget=budget).is_vacuous
    assert apt(sizes, budget=budget, form="half", capped=True).value == pytest.approx(50.0)


@given(gaps, st.floats(10.0, 1e6))
def test_the_half_form_of_theorem_2_is_corollary_1(sizes: list[float], budget: float) -> None:
    assert apt(sizes, budget=budget, form="half").log_value == pytest.approx(
        apt_corollary_1(sizes, budget=budget).log_value, abs=1e-5, rel=1e-9
    )


def test_the_root_form_is_smaller_though_the_paper_says_the_same() -> None:
    # The best level needs T/4 + (H/2) log(T/e) pulls and not T/4, where the two forms agree.
    half, root = (apt(LINEAR, budget=1.5e5, form=form).value for form in ("half", "root"))
    assert half == pytest.approx(6.261, abs=5e-4)
    assert root == pytest.approx(2.665, abs=5e-4)


@given(gaps, st.floats(10.0, 1e6), st.floats(0.1, 10.0))
def test_gaps_times_c_and_budget_over_c_squared_keep_the_exponent(
    sizes: list[float], budget: float, scale: float
) -> None:
    scaled = apt_corollary_1(np.array(sizes) * scale, budget=max(1.0, budget / scale**2))
    if budget / scale**2 >= 1.0:
        expected = apt_corollary_1(sizes, budget=budget).log_value - math.log(scale)  # sqrt(T) in front
        assert scaled.log_value == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_probability_of_any_mistake_is_bounded_by_the_same_number_and_vacuous_from_1_on() -> None:
    loss, chance = apt_corollary_1([0.5, 0.5], budget=130), apt_any_mistake([0.5, 0.5], budget=130)
    assert loss.value == chance.value
    assert 1.0 < chance.value < 2.0
    assert chance.is_vacuous
    assert not loss.is_vacuous


def test_one_arm_at_its_threshold_takes_the_exponent_away() -> None:
    # exp(-T / 4H) = 1, and one arm is left that can be misjudged.
    assert apt_corollary_1([1.0, 0.0], budget=100).value == pytest.approx(2.0 * math.sqrt(100.0 * math.e))
    assert not apt([1.0, 0.0], budget=100).applies


def test_a_budget_of_a_trillion_gives_an_exponent_and_no_overflow() -> None:
    bound = apt_corollary_1([1.0], budget=1e12)
    assert bound.value == 0.0
    assert bound.log_value == pytest.approx(-2.5e11, rel=1e-9)
