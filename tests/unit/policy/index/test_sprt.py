import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index.sprt import SPRT, sprt_formula


def price(ratio: float, cost: float, gap: float) -> float:
    """Return the price as the definition has it, good for moderate ratios."""
    slope = math.exp(ratio) / (1.0 + math.exp(ratio)) ** 2
    samples = math.tanh(ratio / 2.0) + ratio / 2.0 / math.cosh(ratio / 2.0) ** 2
    return cost * 4.0 * gap**2 * slope / samples


def test_a_worked_case() -> None:
    # gap 1/2, n = 4, x = 1/4: b = 4 * 1/2 * sqrt(4 * 1/4) = 2; a = 3
    # price = 3 * 1 * e^2/(1 + e^2)^2 / (tanh 1 + sech^2 1) = 3 * 0.104994 / (0.761594 + 0.419974)
    assert math.exp(-sprt_formula(4.0, 0.25, 3.0, 0.5)) == pytest.approx(3 * 0.104994 / 1.181568, rel=1e-5)


@given(st.floats(0.01, 100.0), st.floats(0.01, 100.0), st.floats(0.01, 3.0))
def test_it_is_minus_the_logarithm_of_the_price(ratio: float, cost: float, gap: float) -> None:
    evidence = (ratio / (4.0 * gap)) ** 2 / 5.0
    assert sprt_formula(5.0, evidence, cost, gap) == pytest.approx(
        -math.log(price(ratio, cost, gap)), rel=1e-9, abs=1e-9
    )


@given(st.floats(0.05, 40.0), st.floats(0.05, 3.0))
def test_the_price_is_what_one_more_sample_saves_along_the_tests_of_wald(ratio: float, gap: float) -> None:
    # e(b) = 1/(1 + e^b), N(b) = b tanh(b/2) / (4 gap^2): the price is -de/dN.
    step = 1e-5 * ratio

    def error(b: float) -> float:
        return 1.0 / (1.0 + math.exp(b))

    def samples(b: float) -> float:
        return b * math.tanh(b / 2.0) / (4.0 * gap**2)

    saved = (error(ratio - step) - error(ratio + step)) / (samples(ratio + step) - samples(ratio - step))
    evidence = (ratio / (4.0 * gap)) ** 2 / 3.0
    assert math.exp(-sprt_formula(3.0, evidence, 1.0, gap)) == pytest.approx(saved, rel=1e-4, abs=1e-13)


@given(st.integers(1, 1000), st.floats(1e-150, 50.0), st.floats(0.01, 3.0))  # 1e-150: whose square has all its digits
def test_it_depends_on_the_sum_alone(n: int, distance: float, gap: float) -> None:
    # x = S^2 / (2 sigma^2 n): n x does not depend on n, nor does the index.
    one, many = (sprt_formula(float(m), distance**2 / m, 1.0, gap) for m in (1, n))
    assert many == pytest.approx(one, rel=1e-9, abs=1e-9)


def test_an_arm_with_its_sum_on_the_bar_is_pulled_at_any_price() -> None:
    assert sprt_formula(7.0, 0.0, 1.0, 0.3) == -math.inf


def test_an_arm_whose_mean_is_on_its_bar_is_pulled_last() -> None:
    assert sprt_formula(7.0, 0.0, 1.0, 0.0) > sprt_formula(1e6, 1e3, 1e-3, 0.01)


def test_huge_evidence_does_not_overflow() -> None:
    assert sprt_formula(1e6, 1e6, 1.0, 3.0) == pytest.approx(1.2e7, rel=1e-5)


def test_it_needs_the_gaps() -> None:
    assert SPRT.needs_gaps
