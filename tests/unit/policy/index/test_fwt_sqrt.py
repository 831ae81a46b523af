import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.fwt_sqrt import fwt_sqrt_formula


def test_a_worked_case() -> None:
    # ouhamma2021, appendix G, Eq. (FWT), with the cost in the logarithm: y = (1 + sqrt 4)^2 = 9; 9 - log 9 + log(6 / 2)
    assert fwt_sqrt_formula(6.0, 4.0, 2.0) == pytest.approx(9.0 - math.log(9.0) + math.log(3.0))


def test_without_evidence_it_is_one_plus_the_logarithm_of_the_pulls() -> None:
    assert fwt_sqrt_formula(5.0, 0.0, 1.0) == pytest.approx(1.0 + math.log(5.0))


@given(st.integers(1, 10**6), st.floats(0.0, 1e4), st.floats(1e-3, 1e3))
def test_it_is_the_formula_of_the_paper(n: int, evidence: float, cost: float) -> None:
    smooth = (1.0 + math.sqrt(evidence)) ** 2
    paper = smooth - math.log(smooth) + math.log(n / cost)
    assert fwt_sqrt_formula(float(n), evidence, cost) == pytest.approx(paper, rel=1e-12, abs=1e-12)
