"""The exponent of the probability that the arms need more than the budget."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.research.theory.upper_bound.deviations import Deviation, best_exponents, deviation
from thresher.types import Floats

FORMS: tuple[Deviation, ...] = ("half", "root")


def of_one(left: float, needed: float, form: Deviation) -> float:
    return float(deviation(np.array([left]), np.array([needed]), form=form)[0])


def test_both_forms_of_a_worked_case() -> None:
    # T = 100, s = 9: 50 - 9 and (10 - 3)^2 (appendix D, the lemma on the sum of tau and its remark).
    assert of_one(100.0, 9.0, "half") == 41.0
    assert of_one(100.0, 9.0, "root") == 49.0


@given(left=st.floats(0.0, 1e9), needed=st.floats(0.0, 1e9))
def test_the_root_form_exceeds_the_half_form_by_half_a_square(left: float, needed: float) -> None:
    half, root = (of_one(left, needed, form) for form in FORMS)
    slack = 1e-9 * (1.0 + left + needed)
    assert root >= half - slack
    if needed <= left:
        assert root - half == pytest.approx(0.5 * (math.sqrt(left) - 2.0 * math.sqrt(needed)) ** 2, abs=slack)


@pytest.mark.parametrize("form", FORMS)
def test_the_two_forms_agree_where_the_arms_need_a_quarter_and_decrease_in_the_need(form: Deviation) -> None:
    assert of_one(100.0, 25.0, form) == pytest.approx(25.0)
    falling = deviation(np.full(300, 100.0), np.arange(300.0), form=form)
    assert np.all(np.diff(falling) < 0.0)


def of_set(kept: list[int], times: Floats, idle: Floats, inverse: Floats, budget: float, form: Deviation) -> float:
    others = [j for j in range(times.size) if j not in kept]
    left = budget - float(idle[others].sum())
    if left < 0.0:
        return -math.inf
    return of_one(left, float(times[kept].sum()), form) / float(inverse[kept].sum())


@given(
    st.lists(st.tuples(st.floats(0.0, 20.0), st.floats(0.0, 60.0), st.floats(0.1, 5.0)), min_size=1, max_size=6),
    st.floats(1.0, 60.0),
)
def test_in_the_half_form_the_nested_sets_hold_the_best_of_all_sets(
    rows: list[tuple[float, float, float]], budget: float
) -> None:
    times, more, inverse = (np.array(column) for column in zip(*rows, strict=True))
    idle = times + more  # evidence never makes an arm slower
    got = best_exponents(times[None], idle[None], inverse, budget=budget, form="half", whole_pulls=False)[0]
    arms = range(times.size)
    if idle.sum() <= budget:
        assert got == math.inf
        return
    sets = itertools.chain.from_iterable(itertools.combinations(arms, n) for n in range(1, times.size + 1))
    best = max(of_set(list(kept), times, idle, inverse, budget, "half") for kept in sets)
    assert got <= best + 1e-9
    if best > 0.0:  # below 0 the bound is vacuous with any set
        assert got == pytest.approx(best, rel=1e-9, abs=1e-9)


def test_the_arms_whose_idle_time_is_more_than_twice_their_time_are_in_the_set_first() -> None:
    # Gaps 1, T = 13: arm 0 needs 6 or 10, arm 1 needs 1 or 4. {1}: (13 - 10)/2 - 1 = 1/2; {0} and {0, 1} are below 0.
    times, idle = np.array([[6.0, 1.0]]), np.array([[10.0, 4.0]])
    assert best_exponents(times, idle, np.ones(2), budget=13.0, form="half", whole_pulls=False)[0] == 0.5


def test_an_arm_at_its_threshold_is_charged_its_idle_time() -> None:
    # Arm 0 is at its threshold and needs 10 of 50 pulls whatever it shows; arm 1 needs 4 and has gap 1/2: (40/2 - 4)/4.
    times, idle, inverse = np.array([[10.0, 4.0]]), np.array([[10.0, np.inf]]), np.array([np.inf, 4.0])
    assert best_exponents(times, idle, inverse, budget=50.0, form="half", whole_pulls=False)[0] == 4.0


def test_without_any_set_the_exponent_is_minus_infinity() -> None:
    never = np.array([[np.inf]])
    assert best_exponents(never, never, np.array([np.inf]), budget=9.0, form="root", whole_pulls=False)[0] == -math.inf


def test_whole_pulls_cost_one_for_each_arm_of_the_set_and_round_the_others_up() -> None:
    # As above, with ceil(9.5) = 10 for arm 0 and 50 - 10 - 1 = 39 left for arm 1: (39/2 - 4)/4.
    times, idle, inverse = np.array([[9.5, 4.0]]), np.array([[9.5, np.inf]]), np.array([np.inf, 4.0])
    assert best_exponents(times, idle, inverse, budget=50.0, form="half", whole_pulls=True)[0] == 3.875
