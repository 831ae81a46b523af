"""Bounds for LSA."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound import lsa, lsa_explicit, theorem_2

LINEAR, QUADRATIC = np.arange(1, 51) / 50, (np.arange(1, 51) / 50) ** 2


@pytest.mark.parametrize(
    ("sizes", "budget", "value"),
    [
        (LINEAR, 7e4, "43.38"), (LINEAR, 1e5, "14.82"), (LINEAR, 1.5e5, "1.025"), (LINEAR, 3e5, "0.0001376"),
        (QUADRATIC, 1e8, "48.48"), (QUADRATIC, 2e8, "11.89"), (QUADRATIC, 3e8, "1.69"), (QUADRATIC, 5e8, "0.001328"),
    ],
)  # fmt: skip
def test_theorem_2_capped_on_the_problems_of_figures_2_and_4(sizes: np.ndarray, budget: float, value: str) -> None:
    assert f"{lsa(sizes, budget=budget, form='half', capped=True).value:.4g}" == value


def test_the_time_to_a_level_solves_the_equation_of_the_appendix() -> None:
    # One arm of gap 1, T = 1000, half form: at the level C the time is t = W(e^C), that is t + log t = C.
    bound = lsa([1.0], budget=1000, form="half")
    low, high = 0.0, 1000.0
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if middle + math.log(middle) < bound.levels[0] else (low, middle)
    assert bound.value == pytest.approx(math.exp(1.0 - (500.0 - low)) + 1000.0 * math.exp(-low), rel=1e-9)


def test_the_explicit_form_of_a_worked_case() -> None:
    # One arm of gap 1 and T = 100: (1 + e) exp(-50 + y - log y) + 100 y exp(-y), y = C >= 1; least over a fine grid.
    y = np.linspace(1.0, 60.0, 2_000_001)
    values = (1.0 + math.e) * np.exp(-50.0 + y) / y + 100.0 * y * np.exp(-y)
    bound = lsa_explicit([1.0], budget=100)
    assert bound.value == pytest.approx(values.min(), rel=1e-8)
    assert bound.levels[0] == pytest.approx(y[values.argmin()], abs=1e-2)


gaps = st.lists(st.floats(0.05, 5.0), min_size=1, max_size=8)


@given(gaps, st.floats(10.0, 1e7))
def test_the_explicit_form_is_never_below_lamberts_and_its_condition_holds(sizes: list[float], budget: float) -> None:
    explicit, exact = lsa_explicit(sizes, budget=budget), lsa(sizes, budget=budget, form="half")
    assert explicit.log_value >= exact.log_value - 1e-3
    assert np.all(explicit.levels[:, None] + np.log(np.square(sizes)) >= 1.0 - 1e-9)


@pytest.mark.parametrize("budget", [1.5e5, 3e5])
def test_at_large_budgets_the_explicit_form_is_within_its_factors_of_lamberts(budget: float) -> None:
    # W lies between log x - log log x and that plus log(1 + 1/e): each term grows by at most 1 + 1/e.
    explicit, exact = lsa_explicit(LINEAR, budget=budget).value, lsa(LINEAR, budget=budget, form="half").value
    assert exact <= explicit <= exact * (1.0 + 1.0 / math.e)


def test_the_cap_charges_no_arm_more_than_its_cost() -> None:
    capped, free = (lsa_explicit(LINEAR, budget=1e5, capped=capped) for capped in (True, False))
    assert np.all(capped.log_shares <= 0.0)
    assert capped.value < free.value


@pytest.mark.parametrize("alpha", [0.1, 1.35])
def test_alpha_and_costs_enter_as_in_the_index(alpha: float) -> None:
    gaps, costs = np.array([0.3, 0.5, 1.0]), np.array([0.2, 1.0, 7.0])
    closed = lsa(gaps, costs, budget=900, alpha=alpha)
    solved = theorem_2(lambda n, x: alpha * x + np.log(n / costs), gaps, costs, budget=900)
    assert closed.log_value == pytest.approx(solved.log_value, abs=1e-5)


def test_the_explicit_form_does_not_apply_to_an_arm_at_its_threshold() -> None:
    assert not lsa_explicit([1.0, 0.0], budget=1000).applies
    bound = lsa([9.0, 0.0], budget=1e6)
    assert bound.applies
    assert not bound.is_vacuous


def test_levels_far_beyond_the_largest_exponential_are_no_trouble() -> None:
    bound = lsa([10.0], budget=1e12)
    assert bound.log_value == pytest.approx(-0.25e14, rel=1e-6)
    assert bound.levels[0] > 1e12
