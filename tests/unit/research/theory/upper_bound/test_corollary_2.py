"""Corollary 2: FWT at any budget."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound import fwt, fwt_corollary_2
from thresher.types import Floats

LINEAR, QUADRATIC = np.arange(1, 51) / 50, (np.arange(1, 51) / 50) ** 2


def as_printed(gaps: Floats, costs: Floats, budget: float, level: float, explored: list[int], kept: list[int]) -> float:
    given_up = [k for k in range(gaps.size) if k not in kept]
    outside = [j for j in range(gaps.size) if j not in explored]
    inverse = gaps**-2.0
    top = (
        0.5 * (budget - costs[outside].sum() * math.exp(min(level - 1.0, 700.0)))
        - (inverse * np.log(costs * gaps**2))[explored].sum()
    )
    first = math.e * costs[kept].sum() * math.exp(min(-top / inverse[explored].sum() + level, 700.0))
    return float(costs[given_up].sum() + first + budget * math.exp(-level) * inverse[kept].sum())


@pytest.mark.parametrize(
    ("sizes", "budget", "value", "kept"),
    [
        (LINEAR, 7e4, "38.34", 29), (LINEAR, 1e5, "15.02", 44),
        (LINEAR, 1.5e5, "1.893", 50), (LINEAR, 3e5, "0.0002625", 50),
        (QUADRATIC, 1e8, "42.52", 19), (QUADRATIC, 2e8, "12.9", 42),
        (QUADRATIC, 3e8, "2.968", 48), (QUADRATIC, 5e8, "0.005813", 50),
    ],
)  # fmt: skip
def test_the_bound_and_its_sets_on_the_problems_of_figures_2_and_4(
    sizes: np.ndarray, budget: float, value: str, kept: int
) -> None:
    bound = fwt_corollary_2(sizes, budget=budget)
    assert (f"{bound.value:.4g}", bound.explored, bound.kept) == (value, 50, kept)


@given(st.lists(st.tuples(st.floats(0.2, 3.0), st.floats(0.1, 10.0)), min_size=1, max_size=4), st.floats(10.0, 3000.0))
def test_no_choice_of_sets_and_level_is_better_than_the_one_returned(
    problem: list[tuple[float, float]], budget: float
) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    arms = range(gaps.size)
    best = float(costs.sum())
    for explored in itertools.chain.from_iterable(itertools.combinations(arms, n) for n in range(1, gaps.size + 1)):
        least_level = 1.0 - np.log(costs * gaps**2)[list(explored)].min()
        for kept in itertools.chain.from_iterable(
            itertools.combinations(explored, n) for n in range(1, len(explored) + 1)
        ):
            for level in np.linspace(least_level, least_level + budget, 60):
                best = min(best, as_printed(gaps, costs, budget, level, list(explored), list(kept)))
    assert fwt_corollary_2(gaps, costs, budget=budget).value <= best * (1.0 + 1e-3)


def test_the_number_is_the_printed_formula_at_the_choices_returned() -> None:
    gaps, costs = np.array([0.3, 0.5, 1.0, 2.0]), np.array([1.0, 2.0, 0.5, 3.0])
    bound = fwt_corollary_2(gaps, costs, budget=300)
    order = np.argsort(costs * gaps**2)
    explored, kept = order[-bound.explored :].tolist(), order[-bound.kept :].tolist()
    assert bound.kept > 0
    assert bound.value == pytest.approx(as_printed(gaps, costs, 300.0, bound.level, explored, kept), rel=1e-9)


@pytest.mark.parametrize("budget", [1e5, 1.5e5, 3e5])
def test_one_level_for_all_arms_costs_something_compared_with_theorem_2(budget: float) -> None:
    capped = fwt(LINEAR, budget=budget, form="half", capped=True).value
    assert capped <= fwt_corollary_2(LINEAR, budget=budget).value <= 3.0 * capped


def test_without_budget_every_arm_is_given_up() -> None:
    bound = fwt_corollary_2(LINEAR, budget=50)
    assert bound.value == pytest.approx(50.0)
    assert (bound.explored, bound.kept) == (0, 0)
    assert bound.is_vacuous


def test_arms_are_kept_one_after_the_other_as_the_budget_grows() -> None:
    kept = [fwt_corollary_2(QUADRATIC, budget=budget).kept for budget in np.geomspace(1e7, 1e9, 20)]
    assert kept == sorted(kept)
    assert kept[0] < 10 < 50 == kept[-1]


def test_an_arm_at_its_threshold_is_left_out_of_both_sets_and_takes_its_pulls() -> None:
    with_it, without = fwt_corollary_2([0.0, 1.0, 2.0], budget=5000), fwt_corollary_2([1.0, 2.0], budget=5000)
    assert with_it.explored == with_it.kept == 2
    assert without.value < with_it.value < 2.0
    assert fwt_corollary_2([0.0], budget=10).value == 0.0


@pytest.mark.parametrize("budget", [1.0, 1e3, 1e12])
def test_extreme_numbers_give_numbers(budget: float) -> None:
    gaps, costs = np.array([1e-6, 1e-3, 0.0, 1.0, 1e6]), np.array([1e-5, 1e5, 1.0, 1e-3, 1e3])
    with np.errstate(all="raise", under="ignore"):
        bound = fwt_corollary_2(gaps, costs, budget=budget)
    assert 0.0 <= bound.value <= costs.sum() * (1.0 + 1e-12)
