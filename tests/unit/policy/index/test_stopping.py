import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.jit import kernel
from thresher.policy.index.assumption import check_assumption
from thresher.policy.index.curves import CELLS_PER_UNIT, REACH
from thresher.policy.index.stopping import stopping_formula
from thresher.policy.index.stopping_gaps import stopping_gaps_formula
from thresher.research.theory.boundary import psi_far, psi_near, solve_boundary
from thresher.types import Floats

BOTH = pytest.mark.parametrize(("formula", "power"), [(stopping_formula, 0.0), (stopping_gaps_formula, 1.0)])
Stopping = Callable[[float, float, float], float]

counts = st.one_of(st.integers(1, 10**9).map(float), st.floats(0.5, 1e9))
evidences = st.floats(0.0, math.inf)
costs = st.floats(1e-6, 1e6)


@kernel
def rest_of(psi: Floats, formula: Stopping, levels: Floats) -> Floats:
    out = np.empty_like(levels)
    for i in range(levels.size):
        out[i] = formula(1.0, 0.5 * levels[i] ** 2, 1.0) - psi[i]
    return out


@kernel
def decreases(formula: Stopping, evidence: float, steps: int) -> int:
    """Count the decreases of the index over consecutive doubles, beginning with this evidence."""
    found, last = 0, formula(3.0, evidence, 0.7)
    for _ in range(steps):
        evidence = np.nextafter(evidence, np.inf)
        now = formula(3.0, evidence, 0.7)
        found += now < last
        last = now
    return found


def test_a_worked_case() -> None:
    # The boundary passes z = 2.0474 at u = -4: psi(2.0474) = 4, and log(10 / 2) comes on top.
    assert stopping_formula(10.0, 0.5 * 2.0474**2, 2.0) == pytest.approx(4.0 + math.log(5.0), abs=1e-3)
    # Linear loss: z sqrt(t) = 0.5131 at t = 0.1, so that F = 1.5 log(n / t) - log a.
    assert stopping_gaps_formula(10.0, 0.5 * 0.51317**2 / 0.1, 2.0) == pytest.approx(
        1.5 * math.log(100.0) - math.log(2.0), abs=1e-3
    )


@pytest.mark.by_day("stopping_formula-0.0")
@BOTH
def test_the_formula_is_within_a_ten_thousandth_of_the_solved_curve(formula: Stopping, power: float) -> None:
    levels = np.geomspace(0.002, 7.95, 20_000)
    solved = solve_boundary(power).psi(levels)  # right to a hundred-thousandth: see test_curves.py
    assert np.abs(rest_of(solved, formula, levels)).max() < 1e-4


@BOTH
def test_beyond_the_table_the_formula_follows_the_expansions(formula: Stopping, power: float) -> None:
    near = np.array([1e-150, 1e-8, 1e-4, 1e-2])
    assert np.abs(rest_of(psi_near(power, near), formula, near)).max() < 1e-4
    far = np.array([7.96, 8.0, 10.0, 30.0, 1e3])
    errors = np.abs(rest_of(psi_far(power, far), formula, far))
    assert errors[0] < 4e-3
    assert errors[3] < 3e-4


def test_for_strong_evidence_the_index_is_half_way_between_lsa_and_fwt() -> None:
    evidence = np.array([1e4, 1e6])
    lsa, fwt = evidence, evidence - np.log(evidence)
    rest = [stopping_formula(1.0, x, 1.0) for x in evidence.tolist()] - (lsa + fwt) / 2.0
    np.testing.assert_allclose(rest, 0.5 * math.log(4.0 * math.pi), atol=1e-3)


@BOTH
def test_an_arm_at_its_bar_is_worth_any_price(formula: Stopping, power: float) -> None:
    assert formula(5.0, 0.0, 1.0) == -math.inf
    assert formula(5.0, math.inf, 1.0) == math.inf
    assert math.isfinite(formula(5.0, 5e-324, 1.0))
    assert formula(5.0, 1.7e308, 1.0) == pytest.approx(1.7e308)
    assert math.isnan(formula(5.0, math.nan, 1.0))


@BOTH
@given(count=counts, more=counts, evidence=evidences, stronger=evidences, cost=costs)
def test_assumption_1_holds(
    formula: Stopping, power: float, count: float, more: float, evidence: float, stronger: float, cost: float
) -> None:
    count, more = sorted((count, more))
    evidence, stronger = sorted((evidence, stronger))
    here = formula(count, evidence, cost)
    assert formula(more, evidence, cost) >= here
    assert formula(count, stronger, cost) >= here
    assert formula(count, math.nextafter(evidence, math.inf), cost) >= here
    assert formula(math.nextafter(count, math.inf), evidence, cost) >= here


@BOTH
def test_no_double_in_a_row_decreases_the_index_not_even_across_cells(formula: Stopping, power: float) -> None:
    edges = [(knot / CELLS_PER_UNIT) ** 2 for knot in range(1, int(REACH * CELLS_PER_UNIT) + 1)]
    for edge in edges:
        assert decreases(formula, edge * (1.0 - 100 * 2.0**-52), 200) == 0
    for evidence in np.geomspace(1e-12, 1e6, 40).tolist():
        assert decreases(formula, evidence, 20_000) == 0


@BOTH
def test_the_check_for_indices_of_ones_own_accepts_it(formula: Stopping, power: float) -> None:
    check_assumption("stopping", formula)


@BOTH
@given(count=counts, evidence=st.floats(1e-6, 1e3), cost=costs, factor=st.floats(1e-3, 1e3))
def test_a_cost_divides_the_price(
    formula: Stopping, power: float, count: float, evidence: float, cost: float, factor: float
) -> None:
    assert formula(count, evidence, cost * factor) == pytest.approx(
        formula(count, evidence, cost) - math.log(factor), rel=1e-9, abs=1e-9
    )
