import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaincc, ndtri

from thresher.policy.literature.fixed_budget.beta import (
    beta_quantile,
    beta_tails,
    log_beta,
    log_density_factor,
    log_quantile_guess,
    log_share_below,
    normal_quantile,
    place_beyond,
)

shapes = st.floats(0.01, 3000.0)


def test_worked_cases() -> None:
    assert beta_tails(1.0, 1.0, 0.3) == pytest.approx((0.3, 0.7))
    assert beta_tails(2.0, 1.0, 0.5) == pytest.approx((0.25, 0.75))
    assert beta_tails(3.0, 5.0, 0.0) == (0.0, 1.0)
    assert beta_tails(3.0, 5.0, 1.0) == (1.0, 0.0)
    assert log_density_factor(2.0, 1.0, 0.5) == pytest.approx(math.log(0.25 * 0.5 * 2.0))


@given(a=shapes, b=shapes, x=st.floats(1e-6, 1.0 - 1e-6))
def test_tails_are_those_of_another_library(a: float, b: float, x: float) -> None:
    below, above = beta_tails(a, b, x)
    assert below == pytest.approx(betainc(a, b, x), rel=1e-8, abs=1e-11)
    assert above == pytest.approx(betaincc(a, b, x), rel=1e-8, abs=1e-11)


@given(a=st.floats(0.05, 2000.0), b=st.floats(0.05, 2000.0), level=st.floats(1e-6, 0.5))
def test_a_quantile_leaves_its_share_below(a: float, b: float, level: float) -> None:
    x = beta_quantile(level, a, b)
    if 1e-280 < x < 1.0 - 1e-12:
        assert beta_tails(a, b, x)[0] == pytest.approx(level, rel=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.49, 0.1, 1e-3, 1e-8, 1e-100])
def test_normal_quantiles_are_those_of_another_library(level: float) -> None:
    assert normal_quantile(level) == pytest.approx(float(ndtri(np.float64(level))), abs=1e-12, rel=1e-12)


def test_the_share_below_by_hand() -> None:
    # Beta(2, 1) has F(x) = x²: log F is 2 log x, with slope 2. Beta(1, 2) has F = 1 - (1-x)² and dF/dx = 2(1-x): at ½
    # the logarithm is log ¾ and the slope in log x is ½ / ¾.
    assert log_share_below(2.0, 1.0, log_beta(2.0, 1.0), math.log(0.3)) == pytest.approx((2.0 * math.log(0.3), 2.0))
    assert log_share_below(1.0, 2.0, log_beta(1.0, 2.0), math.log(0.5)) == pytest.approx((math.log(0.75), 2.0 / 3.0))


@given(a=st.floats(1.0, 2000.0), b=st.floats(0.1, 2000.0), level=st.floats(1e-9, 0.3), rise=st.floats(-0.5, 0.1))
def test_a_place_beyond_is_right_to_third_order(a: float, b: float, level: float, rise: float) -> None:
    x, norm = beta_quantile(level, a, b), log_beta(a, b)
    if 1e-200 < x < 0.9:
        _, slope = log_share_below(a, b, norm, math.log(x))
        beyond = place_beyond(a, b, math.log(x), slope, rise)
        error = log_share_below(a, b, norm, beyond)[0] - math.log(level) - rise
        assert abs(error) <= 10.0 * rise**4 + 1e-9  # a wrong third term would leave rise³/6


def test_a_long_way_goes_by_the_tangent_and_not_beyond_one() -> None:
    # F(x) = x² again: from log x = -1 two up in log F are one up in log x, which would be 0; half-way is -½.
    assert place_beyond(2.0, 1.0, -1.0, 2.0, -3.0) == pytest.approx(-2.5)
    assert place_beyond(2.0, 1.0, -1.0, 2.0, 2.0) == pytest.approx(-0.5)


@given(a=st.floats(3.0, 3000.0), b=st.floats(2.0, 3000.0), level=st.floats(1e-6, 0.1))
def test_a_guess_is_not_far_from_the_quantile(a: float, b: float, level: float) -> None:
    share, _ = log_share_below(a, b, log_beta(a, b), log_quantile_guess(math.log(level), a, b))
    assert abs(share - math.log(level)) < 1.5
