import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.lsa import LSA, lsa_formula


def test_a_worked_case() -> None:
    # ouhamma2021, appendix G, Eq. (LSA), with the cost in the logarithm: 1.35 * 0.5 + log(6 / 2)
    assert lsa_formula(6.0, 0.5, 2.0, 1.35) == pytest.approx(0.675 + math.log(3.0))


@given(st.integers(1, 10**6), st.floats(0.0, 1.0), st.floats(0.1, 3.0))
def test_it_is_twice_the_index_of_tao_for_half_sigma(n: int, gap: float, alpha: float) -> None:
    # tao2019: alpha n d^2 + log(n)/2 with the raw gap d; sigma = 1/2 makes x = 2 n d^2.
    theirs = alpha * n * gap**2 + 0.5 * math.log(n)
    assert lsa_formula(float(n), 2.0 * n * gap**2, 1.0, alpha) == pytest.approx(2.0 * theirs)


@given(st.integers(1, 10**6), st.floats(0.0, 1e3), st.floats(1e-3, 1e3), st.floats(1.0, 1e3))
def test_a_dearer_mistake_is_more_urgent_by_the_logarithm_of_its_cost(
    n: int, evidence: float, cost: float, times: float
) -> None:
    cheap, dear = (lsa_formula(float(n), evidence, a, 1.0) for a in (cost, times * cost))
    assert cheap - dear == pytest.approx(math.log(times), abs=1e-9)


def test_alpha_is_one_unless_given() -> None:
    assert (LSA.parameter, LSA.default) == ("alpha", 1.0)
    assert LSA(6.0, 0.5, 2.0) == lsa_formula(6.0, 0.5, 2.0, 1.0)
    assert LSA(6.0, 0.5, 2.0, 1.35) == lsa_formula(6.0, 0.5, 2.0, 1.35)
