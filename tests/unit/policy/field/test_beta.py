import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaincc, ndtri

from thresher.policy.field.beta import beta_quantile, beta_tails, log_density_factor, normal_quantile

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
