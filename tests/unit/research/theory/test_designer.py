import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from thresher.errors import InvalidInputError
from thresher.policy.index.apt import apt_formula
from thresher.policy.index.assumption import check_assumption
from thresher.policy.index.base import Formula
from thresher.policy.index.fwt import fwt_formula
from thresher.policy.index.fwt_gaps import fwt_gaps_formula
from thresher.policy.index.stopping import stopping_formula
from thresher.policy.index.stopping_gaps import stopping_gaps_formula
from thresher.research.theory.designer import frank_wolfe, optimal_stopping, power

counts = st.integers(1, 100_000).map(float)
evidences = st.floats(0.0, 500.0)
costs = st.floats(1e-3, 1e3)

MISTAKES, GAPS = frank_wolfe(power(0)), frank_wolfe(power(1))
WORST = frank_wolfe(power(0), bound="max")
FLAT, STRAIGHT = frank_wolfe(lambda gap: 1.0), frank_wolfe(lambda gap: gap)
TOLERANT = frank_wolfe(lambda gap: 1.0 if gap >= 0.125 else 0.0)
SATURATING = frank_wolfe(lambda gap: gap / (1.0 + gap))
FADING = frank_wolfe(lambda gap: math.exp(-gap))


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@given(count=counts, evidence=evidences, cost=costs)
def test_the_recipe_gives_back_the_indices_of_the_paper(count: float, evidence: float, cost: float) -> None:
    assert MISTAKES(count, evidence, cost) == close(fwt_formula(count, evidence, cost))
    assert GAPS(count, evidence, 1.0) == close(fwt_gaps_formula(count, evidence, 1.0))
    assert WORST(count, evidence, 1.0) == apt_formula(count, evidence, 1.0, 0.0)


@given(count=counts, evidence=evidences, cost=costs)
def test_a_function_that_is_a_power_gives_the_index_of_that_power(count: float, evidence: float, cost: float) -> None:
    assert FLAT(count, evidence, cost) == close(MISTAKES(count, evidence, cost))
    assert STRAIGHT(count, evidence, cost) == close(GAPS(count, evidence, cost))


@given(count=counts, evidence=evidences)
def test_mistakes_within_a_tolerance_are_not_worth_a_pull(count: float, evidence: float) -> None:
    # Evidence below that of the least gap that counts is taken for it: y - log(y / n), y = max(x, n / 64, 1).
    kept = max(evidence, count / 64.0, 1.0)
    assert TOLERANT(count, evidence, 1.0) == close(kept - math.log(kept / count))


@given(count=counts, evidence=st.floats(1e-3, 500.0), cost=costs)
def test_the_index_is_below_the_plain_recipe_and_touches_it_from_some_evidence_on(
    count: float, evidence: float, cost: float
) -> None:
    gap = math.sqrt(evidence / count)
    plain = evidence - math.log(cost * gap**2 * gap / (1.0 + gap))
    assert SATURATING(count, evidence, cost) <= plain + 1e-3  # between its gaps the weight is taken as a power
    if evidence >= 1.5:
        assert SATURATING(count, evidence, cost) == pytest.approx(plain, abs=1e-3)


@pytest.mark.by_day("formula0", "formula2", "formula5")
@pytest.mark.parametrize("formula", [MISTAKES, GAPS, WORST, FLAT, TOLERANT, SATURATING, FADING])
def test_every_recipe_compiles_and_fulfils_assumption_1(formula: Formula) -> None:
    compiled = njit(formula)
    check_assumption("designed", compiled)
    assert compiled(7.0, 2.0, 3.0) == formula(7.0, 2.0, 3.0)


@pytest.mark.by_day("2.5")
@pytest.mark.parametrize("exponent", [0.0, 0.5, 2.5, 10.0])
def test_stopping_for_every_power_compiles_and_fulfils_assumption_1(exponent: float) -> None:
    formula = optimal_stopping(power(exponent))
    compiled = njit(formula)
    check_assumption("designed", compiled)
    assert compiled(7.0, 2.0, 3.0) == formula(7.0, 2.0, 3.0)


@given(count=counts, evidence=evidences, cost=costs)
def test_stopping_for_powers_0_and_1_is_what_ships(count: float, evidence: float, cost: float) -> None:
    mistakes, gaps = optimal_stopping(power(0)), optimal_stopping(power(1))
    assert mistakes(count, evidence, cost) == pytest.approx(stopping_formula(count, evidence, cost), abs=1e-5)
    assert gaps(count, evidence, cost) == pytest.approx(stopping_gaps_formula(count, evidence, cost), abs=1e-5)


def test_a_weight_that_is_none_is_refused() -> None:
    for weight in (lambda gap: -gap, lambda gap: 0.0, lambda gap: math.nan):
        with pytest.raises(InvalidInputError, match="weight"):
            frank_wolfe(weight)
    with pytest.raises(InvalidInputError, match="from 0 to 10"):
        power(-1.0)
