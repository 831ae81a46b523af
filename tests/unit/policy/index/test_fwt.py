import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.fwt import fwt_formula


def test_a_worked_case_below_the_cut() -> None:
    # ouhamma2021, Eq. (FWT): max(0.5, 1) - log max(0.5, 1) + log(4 / 2)
    assert fwt_formula(4.0, 0.5, 2.0) == pytest.approx(1.0 + math.log(2.0))


def test_a_worked_case_above_the_cut() -> None:
    # 3 - log 3 + log(4 / 2)
    assert fwt_formula(4.0, 3.0, 2.0) == pytest.approx(3.0 - math.log(3.0) + math.log(2.0))


@given(st.integers(1, 10**6), st.floats(0.0, 1.0), st.floats(1e-3, 1e3))
def test_below_the_cut_the_evidence_does_not_matter(n: int, evidence: float, cost: float) -> None:
    assert fwt_formula(float(n), evidence, cost) == fwt_formula(float(n), 0.0, cost)


@given(st.integers(1, 10**4), st.floats(0.05, 3.0), st.floats(1e-3, 1e3))
def test_above_the_cut_it_is_the_price_of_frank_and_wolfe(n: int, gap: float, cost: float) -> None:
    # Section 3.1: minus the logarithm of the derivative of a exp(-n gap^2), a gap^2 exp(-n gap^2), where x = n gap^2.
    evidence = n * gap**2
    if evidence >= 1.0:
        price = math.log(cost) + 2.0 * math.log(gap) - evidence
        assert fwt_formula(float(n), evidence, cost) == pytest.approx(-price, rel=1e-9, abs=1e-9)
