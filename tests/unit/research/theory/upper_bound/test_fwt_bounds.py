"""Bounds for FWT: Theorem 2, and Eq. (6) for large budgets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound import fwt, fwt_large_budget

LINEAR = np.arange(1, 51) / 50

problems = st.lists(st.tuples(st.floats(0.05, 5.0), st.floats(0.01, 100.0)), min_size=1, max_size=8)


@pytest.mark.parametrize(("budget", "value"), [(7e4, "37.75"), (1e5, "12.91"), (1.5e5, "0.9447"), (3e5, "0.000131")])
def test_theorem_2_capped_on_the_problem_of_figure_4(budget: float, value: str) -> None:
    assert f"{fwt(LINEAR, budget=budget, form='half', capped=True).value:.4g}" == value


def test_equation_6_of_a_worked_case() -> None:
    # Gaps 1 and 2, costs 1 and 1/2, T = 60: H = 5/4, weights 1 and 2.
    # Arm 1: T + 2 * (1/4) log(1/2); arm 2: T + 2 * (1/1) log(2/1); each over 4 H = 5.
    bound = fwt_large_budget([1.0, 2.0], [1.0, 0.5], budget=60)
    one = math.exp(-(60.0 + 0.5 * math.log(0.5)) / 5.0)
    two = 0.5 * math.exp(-(60.0 + 2.0 * math.log(2.0)) / 5.0)
    assert bound.value == pytest.approx(2.0 * math.sqrt(60.0 * math.e) * (one + two))


def test_the_condition_of_equation_6_on_a_worked_case() -> None:
    # One arm of gap 1: T >= 2 (2 - log(T / e)), that is T + 2 log T >= 6. At T = 3.3: 5.69, at T = 3.6: 6.16.
    assert not fwt_large_budget([1.0], budget=3.3).applies
    assert fwt_large_budget([1.0], budget=3.6).applies


@given(problems, st.floats(10.0, 1e7))
def test_where_equation_6_applies_theorem_2_is_no_worse(problem: list[tuple[float, float]], budget: float) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    large, theorem = fwt_large_budget(gaps, costs, budget=budget), fwt(gaps, costs, budget=budget, form="half")
    if large.applies:
        assert theorem.log_value <= large.log_value + 1e-5


@given(problems, st.floats(200.0, 1e6))
def test_at_large_budgets_equation_6_is_theorem_2(problem: list[tuple[float, float]], hardness: float) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    budget = max(1.0, hardness * float((gaps**-2.0).sum()))
    large, theorem = fwt_large_budget(gaps, costs, budget=budget), fwt(gaps, costs, budget=budget, form="half")
    assert large.applies
    assert theorem.log_value == pytest.approx(large.log_value, abs=1e-4, rel=1e-9)


@given(problems)
def test_the_condition_is_met_from_some_budget_on(problem: list[tuple[float, float]]) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    applies = [fwt_large_budget(gaps, costs, budget=10.0**power).applies for power in range(13)]
    assert applies == sorted(applies)
    assert applies[-1]


def test_the_exponent_is_a_quarter_of_the_oracles() -> None:
    # Eq. (5) decays like exp(-T / H).
    complexity = float((LINEAR**-2.0).sum())
    logs = [fwt_large_budget(LINEAR, budget=scale * complexity).log_value for scale in (1e9, 2e9)]
    assert (logs[0] - logs[1]) / 1e9 == pytest.approx(0.25, rel=1e-8)


def test_an_arm_at_its_threshold_leaves_equation_6_without_a_case() -> None:
    assert not fwt_large_budget([1.0, 0.0], budget=1e9).applies
    assert fwt([1.0, 0.0], budget=1e6).applies


def test_equal_gaps_and_costs_give_every_arm_the_same_share() -> None:
    shares = fwt(np.full(7, 0.4), budget=5000).log_shares
    np.testing.assert_allclose(shares, shares[0])
