import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, ndtr

from thresher.policy.literature.fixed_confidence.murphy import beta_above, normal_above
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_worked_cases() -> None:
    assert normal_above(0.3, 4.0, 1.0) == pytest.approx(0.725747, abs=1e-6)  # Φ(0.6)
    assert beta_above(1.0, 1.0, 0.5) == pytest.approx(0.75)  # Beta(2, 1): 1 - 0.5²
    assert beta_above(0.0, 0.0, 0.3) == pytest.approx(0.7)  # uniform
    assert beta_above(3.0, 5.0, 0.0) == 1.0
    assert beta_above(3.0, 5.0, 1.0) == 0.0


@given(count=st.integers(0, 100_000), share=st.floats(0.0, 1.0), threshold=st.floats(0.001, 0.999))
def test_the_chance_of_a_beta_number_is_right(count: int, share: float, threshold: float) -> None:
    ones = float(round(share * count))
    exact = betainc(1.0 + count - ones, 1.0 + ones, 1.0 - threshold)
    assert beta_above(ones, float(count), threshold) == pytest.approx(exact, rel=1e-8, abs=1e-14)


@given(gap=st.floats(-3.0, 3.0), count=st.integers(1, 1000), sigma=st.floats(0.1, 5.0))
def test_the_chance_of_a_normal_mean_is_right(gap: float, count: int, sigma: float) -> None:
    assert normal_above(gap, float(count), sigma) == pytest.approx(ndtr(gap * np.sqrt(count) / sigma), rel=1e-9)


def test_a_worked_run() -> None:
    # One arm that always shows ½ above the bar, σ = ½, has evidence n / 2. At δ = 0.05 the level is ½ w with
    # w - log w = 2 log 20 + 4 log(4 + log n) + ½: 8.506 > 8.5 at n = 17, 8.524 <= 9 at n = 18.
    above, nothing = (simulate(Problem.bernoulli([mean]), "murphy", alpha=0.05, runs=1) for mean in (1.0, 0.0))
    assert above.spent("murphy").tolist() == nothing.spent("murphy").tolist() == [[18.0]]
    assert [each.mean for each in above.outputs("murphy")] == [18.0]
    assert nothing.outputs("murphy") == ()


def test_where_no_arm_is_above_the_pulls_follow_the_inverse_squares_of_the_gaps() -> None:
    # The proportions of Murphy sampling are the best ones on either side, here 4 : 1 in the limit. It was 3.6 with a
    # standard error of 0.1; that 20 runs give a third more or less has a chance far below 1e-6.
    pulls = simulate(Problem.gaussian([-1.0, -2.0]), "murphy", alpha=1e-30, runs=20).pulls("murphy")[0]
    assert 2.7 < pulls[0] / pulls[1] < 5.3
