import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincc

from thresher.policy.literature.fixed_budget.gain import gains_of

shapes = st.floats(0.1, 60.0)


def test_a_worked_case() -> None:
    # I(1,1) = 1/2, I(2,1) = 3/4 and I(1,2) = 1/4: either outcome makes the verdict right with 3/4.
    assert gains_of(1.0, 1.0, 0.5) == pytest.approx((0.25, 0.25))
    # I(2,1) = 3/4, I(3,1) = 7/8, I(2,2) = 1/2.
    assert gains_of(2.0, 1.0, 0.5) == pytest.approx((0.125, -0.25))


@given(a=shapes, b=shapes, threshold=st.floats(0.02, 0.98))
def test_gains_are_differences_of_chances_of_a_right_verdict(a: float, b: float, threshold: float) -> None:
    def right(a: float, b: float) -> float:
        above = float(betaincc(a, b, threshold))
        return max(above, 1.0 - above)

    by_one, by_zero = gains_of(a, b, threshold)
    assert by_one == pytest.approx(right(a + 1.0, b) - right(a, b), abs=1e-10)
    assert by_zero == pytest.approx(right(a, b + 1.0) - right(a, b), abs=1e-10)


def test_a_gain_is_positive_even_where_the_verdict_is_all_but_sure() -> None:
    assert 0.0 < max(gains_of(400.0, 3.0, 0.5)) < 1e-90
