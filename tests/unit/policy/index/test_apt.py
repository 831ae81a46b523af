import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.apt import APT, apt_formula

counts = st.integers(1, 10**6).map(float)


def test_without_tolerance_the_index_is_the_evidence() -> None:
    # ouhamma2021, appendix G, Eq. (APT): F(n, x) = x
    assert apt_formula(4.0, 0.7, 1.0, 0.0) == 0.7


def test_a_worked_case_with_tolerance() -> None:
    # locatelli2016, Eq. (4)-(5): sqrt(n) (|mean - threshold| + epsilon), with n = 16, |mean - threshold| = 0.3,
    # epsilon = 0.1: 4 * 0.4 = 1.6; divided by sqrt(2 sigma^2) = sqrt(0.5) at sigma = 1/2.
    evidence = 16 * 0.3**2 / (2 * 0.25)
    epsilon = 0.1 / math.sqrt(0.5)
    assert apt_formula(16.0, evidence, 1.0, epsilon) == pytest.approx(1.6 / math.sqrt(0.5))


@given(counts, counts, st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(1e-3, 0.5), st.floats(0.1, 3.0))
def test_with_tolerance_it_ranks_as_locatelli_do(
    n: float, m: float, one: float, other: float, epsilon: float, sigma: float
) -> None:
    scale = math.sqrt(2.0) * sigma
    ours = [apt_formula(c, c * (gap / scale) ** 2, 1.0, epsilon / scale) for c, gap in ((n, one), (m, other))]
    theirs = [math.sqrt(c) * (gap + epsilon) for c, gap in ((n, one), (m, other))]
    assert ours[0] * scale == pytest.approx(theirs[0])
    assert (ours[0] < ours[1]) == (theirs[0] < theirs[1]) or theirs[0] == pytest.approx(theirs[1])


@given(counts, st.floats(0.0, 1e6), st.floats(1e-3, 1e3), st.floats(0.0, 1.0))
def test_mistake_costs_are_ignored(count: float, evidence: float, cost: float, epsilon: float) -> None:
    assert apt_formula(count, evidence, cost, epsilon) == apt_formula(count, evidence, 1.0, epsilon)


def test_the_tolerance_is_in_the_unit_of_the_outcomes() -> None:
    assert (APT.parameter, APT.default, APT.scales_with_noise) == ("epsilon", 0.0, True)
