import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.fwt_gaps import fwt_gaps_formula


def test_a_worked_case_below_the_cut() -> None:
    # ouhamma2021, section 3.3: x' = max(1, 3/2); 3/2 - 3/2 log(3/2) + 3/2 log 4
    assert fwt_gaps_formula(4.0, 1.0, 1.0) == pytest.approx(1.5 - 1.5 * math.log(1.5) + 1.5 * math.log(4.0))


def test_a_worked_case_above_the_cut() -> None:
    # 2 - 3/2 log 2 + 3/2 log 4
    assert fwt_gaps_formula(4.0, 2.0, 1.0) == pytest.approx(2.0 - 1.5 * math.log(2.0) + 1.5 * math.log(4.0))


@given(st.integers(1, 10**4), st.floats(0.05, 3.0))
def test_above_the_cut_it_is_the_price_of_frank_and_wolfe(n: int, gap: float) -> None:
    # Minus the logarithm of the derivative of gap exp(-n gap^2), gap^3 exp(-n gap^2): 3/2 log gap^2 where x = n gap^2.
    evidence = n * gap**2
    if evidence >= 1.5:
        price = 3.0 * math.log(gap) - evidence
        assert fwt_gaps_formula(float(n), evidence, 1.0) == pytest.approx(-price, rel=1e-9, abs=1e-9)


@given(st.integers(1, 10**6), st.floats(0.0, 1e4), st.floats(1e-3, 1e3))
def test_mistake_costs_are_ignored(n: int, evidence: float, cost: float) -> None:
    assert fwt_gaps_formula(float(n), evidence, cost) == fwt_gaps_formula(float(n), evidence, 1.0)
