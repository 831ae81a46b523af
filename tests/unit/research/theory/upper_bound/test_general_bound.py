"""Theorem 2 for any index: against the closed forms, a case by hand, and what must hold of any bound."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidIndexError
from thresher.policy.index.fwt import fwt_formula
from thresher.policy.index.fwt_sqrt import fwt_sqrt_formula
from thresher.policy.index.lsa import lsa_formula
from thresher.research.theory.upper_bound import Deviation, apt, fwt, lsa, sum_of_gaps, theorem_2
from thresher.types import Floats

FORMS: tuple[Deviation, ...] = ("half", "root")
LINEAR = np.arange(1, 51) / 50

problems = st.lists(st.tuples(st.floats(0.05, 5.0), st.floats(0.01, 100.0)), min_size=1, max_size=6)
budgets = st.floats(10.0, 1e7)


def apt_index(_: float, evidence: float) -> float:
    return evidence


def lsa_index(count: float, evidence: float) -> float:
    return lsa_formula(count, evidence, 1.0, 1.0)


def fwt_index(count: float, evidence: float) -> float:
    return fwt_formula(count, evidence, 1.0)


def test_a_case_by_hand() -> None:
    # Theorem 2 with F = x, one arm of gap 1 and T = 40, half form: e * exp(-(20 - C)) + 40 exp(-C), least at
    # C = (20 + log(40 / e)) / 2, where it is 2 sqrt(40 e) exp(-10).
    bound = theorem_2([apt_index], [1.0], budget=40, form="half")
    assert bound.value == pytest.approx(2.0 * math.sqrt(40.0 * math.e) * math.exp(-10.0), rel=1e-6)
    assert bound.levels[0] == pytest.approx(10.0 + 0.5 * math.log(40.0 / math.e), rel=1e-3)


def test_round_robin_reaches_its_level_surely() -> None:
    # F = n: every arm has T / K pulls for certain, and only the mistakes are left: T exp(-(T / K) gap^2).
    bound = theorem_2([lambda n, _: n] * 2, [0.5, 1.0], budget=60)
    assert bound.value == pytest.approx(60.0 * (math.exp(-30.0 * 0.25) + math.exp(-30.0)), rel=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("index", "closed"), [(apt_index, apt), (lsa_index, lsa), (fwt_index, fwt)])
@pytest.mark.parametrize("budget", [1e5, 3e5])
def test_the_solved_times_give_the_closed_forms(index: object, closed: object, form: Deviation, budget: float) -> None:
    assert callable(index)
    assert callable(closed)
    numerical = theorem_2([index] * 50, LINEAR, budget=budget, form=form, capped=True)
    assert numerical.value == pytest.approx(closed(LINEAR, budget=budget, form=form, capped=True).value, rel=1e-6)


@given(problems, budgets, st.sampled_from(FORMS))
def test_an_index_may_differ_from_arm_to_arm_and_be_one_function_of_arrays(
    problem: list[tuple[float, float]], budget: float, form: Deviation
) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))

    def every_arm(counts: Floats, evidence: Floats) -> Floats:
        values: Floats = evidence + np.log(counts / costs)
        return values

    one_by_one = [lambda n, x, a=cost: x + math.log(n / a) for cost in costs.tolist()]
    closed = lsa(gaps, costs, budget=budget, form=form)
    for index in (every_arm, one_by_one):
        bound = theorem_2(index, gaps, costs, budget=budget, form=form)
        assert bound.log_value == pytest.approx(closed.log_value, rel=1e-6, abs=1e-3)


def test_the_sum_of_gaps_is_a_loss_with_the_gaps_for_costs() -> None:
    def index(count: float, evidence: float) -> float:
        kept = max(evidence, 1.5)
        return kept - 1.5 * math.log(kept) + 1.5 * math.log(count)

    bound = theorem_2([index] * 50, LINEAR, LINEAR, budget=1e5, capped=True)
    assert bound.value == pytest.approx(sum_of_gaps(LINEAR, budget=1e5).value, rel=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_an_index_known_at_some_points_only_has_a_bound_close_to_the_smooth_one(form: Deviation) -> None:
    points = np.geomspace(1e-6, 1e6, 2000)

    def tabulated(count: float, evidence: float) -> float:
        return math.log(count) + float(np.interp(evidence, points, points - 0.5 * np.log1p(points)))

    def smooth(count: float, evidence: float) -> float:
        return math.log(count) + evidence - 0.5 * math.log1p(evidence)

    gaps = [0.3, 0.5, 1.0]
    table, exact = (theorem_2([index] * 3, gaps, budget=400, form=form) for index in (tabulated, smooth))
    assert table.value == pytest.approx(exact.value, rel=1e-3)


def test_an_index_in_steps_has_a_bound() -> None:
    stairs = theorem_2([lambda n, x: math.floor(4.0 * x) / 4.0] * 2, [0.5, 1.0], budget=400, form="half")
    straight = theorem_2([apt_index] * 2, [0.5, 1.0], budget=400, form="half")
    assert straight.value <= stairs.value * (1 + 1e-9)
    assert stairs.value <= straight.value * math.exp(0.5)  # a step is a quarter: it can cost no more in either term


@given(problems, budgets)
def test_the_root_form_is_never_worse_and_neither_is_the_cap(problem: list[tuple[float, float]], budget: float) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    for closed in (apt, lsa, fwt):
        half, root = (closed(gaps, costs, budget=budget, form=form).log_value for form in FORMS)
        capped = closed(gaps, costs, budget=budget, form="root", capped=True)
        assert root <= half + 1e-3
        assert capped.log_value <= root + 1e-9
        assert capped.value <= costs.sum() * (1 + 1e-9)


@given(problems, budgets, st.floats(0.2, 5.0), st.integers(0, 99))
def test_neither_the_order_of_the_arms_nor_the_unit_of_the_costs_matters(
    problem: list[tuple[float, float]], budget: float, scale: float, seed: int
) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    order = np.random.default_rng(seed).permutation(gaps.size)
    for closed in (apt, lsa, fwt):
        bound = closed(gaps, costs, budget=budget, capped=True).log_value
        assert closed(gaps[order], costs[order], budget=budget, capped=True).log_value == pytest.approx(bound, abs=1e-3)
        scaled = closed(gaps, scale * costs, budget=budget, capped=True).log_value
        assert scaled == pytest.approx(bound + math.log(scale), abs=1e-3), "costs scaled by c scale the bound by c"


@given(problems, st.floats(20.0, 1e4), st.floats(1.0, 3.0))
def test_more_budget_helps(problem: list[tuple[float, float]], hardness: float, more: float) -> None:
    # From 2 H on; before, the factor T of the second term may win.
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))
    budget = max(1.0, hardness * float((gaps**-2.0).sum()))
    for closed in (apt, lsa, fwt):
        small, large = (closed(gaps, costs, budget=size).log_value for size in (budget, more * budget))
        assert large <= small + 1e-3


@given(problems, st.floats(100.0, 1e7))
def test_whole_pulls_cost_about_one_pull_for_each_arm(problem: list[tuple[float, float]], budget: float) -> None:
    gaps, costs = (np.array(column) for column in zip(*problem, strict=True))

    def index(counts: Floats, evidence: Floats) -> Floats:
        return evidence + np.zeros_like(counts)

    def bound(budget: float, *, whole_pulls: bool) -> float:
        return theorem_2(index, gaps, costs, budget=budget, whole_pulls=whole_pulls).log_value

    rigorous = bound(budget, whole_pulls=True)
    assert rigorous >= bound(budget, whole_pulls=False) - 1e-6
    # Fewer pulls for the exploration alone: not as bad as a budget with K fewer pulls, but for the factor T.
    shorter = bound(budget - gaps.size, whole_pulls=False) + math.log(budget / (budget - gaps.size))
    assert rigorous <= shorter + 1e-3


def test_an_arm_at_its_threshold_costs_its_pulls_and_nothing_else() -> None:
    with_it = theorem_2([fwt_index] * 3, [0.5, 1.0, 0.0], budget=2000)
    without = theorem_2([fwt_index] * 2, [0.5, 1.0], budget=2000)
    assert with_it.applies
    assert without.value < with_it.value < with_it.worst == 2.0


def test_under_apt_an_arm_at_its_threshold_may_take_every_pull_and_nothing_is_proved() -> None:
    bound = theorem_2([apt_index] * 2, [1.0, 0.0], budget=2000)
    assert not bound.applies
    assert bound.number is None
    capped = theorem_2([apt_index] * 2, [1.0, 0.0], budget=2000, capped=True)
    assert capped.value == pytest.approx(1.0)
    assert capped.is_vacuous


def test_the_smooth_form_of_fwt_has_a_bound_of_its_own() -> None:
    bound = theorem_2([lambda n, x: fwt_sqrt_formula(n, x, 1.0)] * 50, LINEAR, budget=3e5)
    assert bound.applies
    assert not bound.is_vacuous


def test_an_index_that_decreases_is_refused() -> None:
    with pytest.raises(InvalidIndexError):
        theorem_2([lambda n, x: x - math.log(max(x, 1e-300)) - n], [1.0], budget=100)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("budget", [1.0, 7.0, 1e6, 1e12])
def test_extreme_numbers_give_numbers(budget: float) -> None:
    gaps, costs = np.array([1e-6, 1e-3, 0.0, 1.0, 1e6]), np.array([1e-5, 1e5, 1.0, 1e-3, 1e3])
    for closed in (apt, lsa, fwt):
        bound = closed(gaps, costs, budget=budget, capped=True)
        assert 0.0 <= bound.value <= costs.sum()
    with np.errstate(all="raise", under="ignore"):
        numerical = theorem_2(lambda n, x: x + np.log(n / costs), gaps, costs, budget=budget, capped=True)
    assert numerical.log_value == pytest.approx(lsa(gaps, costs, budget=budget, capped=True).log_value, abs=1e-3)
