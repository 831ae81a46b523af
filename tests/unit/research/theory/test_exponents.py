"""Exponents: proved, conjectured, measured."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.exponents import (
    MULTIPLES,
    conjectured_complexity,
    empirical_exponent,
    proved_exponents,
)

LINEAR, QUADRATIC = np.arange(1, 51) / 50, (np.arange(1, 51) / 50) ** 2

gaps = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=8)


def test_the_multiples_stand_side_by_side_in_increasing_order() -> None:
    assert list(MULTIPLES.values()) == [1 / 16020, 1 / 32, 1 / 4, 1, 4]
    # The headlines: 4005 for LSA, 8 for APT, 4 between the policies and the oracle, 4 between it and the lower bound.
    tao, locatelli, ours, oracle, limit = MULTIPLES.values()
    assert (ours / tao, ours / locatelli, oracle / ours, limit / oracle) == (4005.0, 8.0, 4.0, 4.0)


def test_the_proved_exponents_of_a_worked_case() -> None:
    # Gaps 1/2 and 1: H = 5.
    exponents = proved_exponents([0.5, 1.0])
    assert exponents["non-adaptive oracle"] == pytest.approx(0.2)
    assert exponents["apt, lsa, fwt"] == pytest.approx(0.05)


def test_the_conjecture_of_a_worked_case() -> None:
    # Gaps 1, 1 and 1/2 without one of the easy arms: diag(1, 4) + (1, 2)(1, 2)' = (2 2; 2 8), largest root of
    # x^2 - 10 x + 12.
    assert conjectured_complexity([1.0, 1.0, 0.5]) == pytest.approx(5.0 + math.sqrt(13.0))


@pytest.mark.parametrize(("sizes", "ratio"), [(LINEAR, 0.68), (QUADRATIC, 0.53)], ids=["linear", "quadratic"])
def test_the_conjecture_on_the_problems_of_the_paper(sizes: np.ndarray, ratio: float) -> None:
    assert float((sizes**-2.0).sum()) / conjectured_complexity(sizes) == pytest.approx(ratio, abs=5e-3)


def test_for_equal_gaps_the_conjecture_is_the_oracles_exponent() -> None:
    assert conjectured_complexity(np.full(9, 0.3)) == pytest.approx(9 / 0.09)
    assert conjectured_complexity([0.3]) == pytest.approx(1 / 0.09)


@given(gaps)
def test_the_conjecture_is_the_largest_eigenvalue_of_the_definition_and_lies_between_h_and_2h(
    sizes: list[float],
) -> None:
    found, complexity = conjectured_complexity(sizes), float((np.array(sizes) ** -2.0).sum())
    assert complexity * (1 - 1e-9) <= found <= 2.0 * complexity * (1 + 1e-9)
    if len(sizes) > 1:
        rows = [1.0 / np.delete(np.array(sizes), k) for k in range(len(sizes))]
        by_definition = max(float(np.linalg.eigvalsh(np.diag(v**2) + np.outer(v, v))[-1]) for v in rows)
        assert found == pytest.approx(by_definition, rel=1e-9)


@given(st.floats(1e-3, 1.0), st.floats(0.1, 50.0))
def test_the_slope_of_a_pure_exponential_is_its_exponent_whatever_stands_in_front(rate: float, factor: float) -> None:
    budgets = np.array([10.0, 20.0, 50.0])
    measured = empirical_exponent(budgets, factor * np.exp(-rate * budgets))
    assert measured.slope == pytest.approx(rate, rel=1e-9)
    np.testing.assert_allclose(measured.rates, rate - math.log(factor) / budgets, rtol=1e-9, atol=1e-12)


def test_budgets_without_a_mistake_have_an_infinite_rate_and_no_say_in_the_slope() -> None:
    measured = empirical_exponent([10, 20, 30], [math.exp(-1.0), math.exp(-3.0), 0.0])
    assert measured.rates.tolist() == pytest.approx([0.1, 0.15, math.inf])
    assert measured.slope == pytest.approx(0.2)
    assert empirical_exponent([10, 20], [0.5, 0.0]).slope is None
    assert empirical_exponent([10], [0.0]).slope is None


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(InvalidInputError):
        proved_exponents([1.0, 0.0])
    with pytest.raises(InvalidInputError):
        empirical_exponent([10, 20], [0.1])
    with pytest.raises(InvalidInputError):
        empirical_exponent([10, 20], [0.1, -0.1])
