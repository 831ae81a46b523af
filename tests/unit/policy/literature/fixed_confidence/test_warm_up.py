import math

import pytest

from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius
from thresher.policy.literature.fixed_confidence.warm_up import first_rounds, lil_constant, lil_radius


def test_a_worked_case() -> None:
    # ε = ½: c = 5 / log(1.5)^1.5 = 19.366, ω = 0.1 / (2 c) = 0.0025819, log(log(15) / ω) = 6.9554.
    assert lil_constant(0.5) == pytest.approx(19.366, abs=5e-4)
    assert lil_radius(10.0, 1.0, 2.0, 0.1, 0.5) == pytest.approx(
        (1.0 + math.sqrt(0.5)) * math.sqrt(2.0 * 1.5 * 6.9554 / 10.0), rel=1e-5
    )


@pytest.mark.parametrize("epsilon", [0.001, 0.01, 0.3, 0.99])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-6])
def test_the_lemma_applies(epsilon: float, delta: float) -> None:
    omega = delta / lil_constant(epsilon)  # for one arm; more arms make it smaller
    assert omega < math.log1p(epsilon) / math.e
    assert lil_constant(epsilon) * omega ** (1.0 + epsilon) <= delta


@pytest.mark.parametrize(("n_arms", "delta"), [(1, 0.1), (10, 0.05), (200, 1e-3)])
def test_the_first_pulls_end_where_the_interval_becomes_the_narrower_one(n_arms: int, delta: float) -> None:
    first, arms = first_rounds(0.01, n_arms, delta), float(n_arms)

    def ratio(count: int) -> float:
        return lil_radius(float(count), 1.0, arms, delta, 0.01) / good_arm_radius(float(count), 1.0, arms, delta)

    assert ratio(first) <= 1.0 < ratio(first - 1)
    assert all(ratio(first + k) <= 1.0 for k in (1, 7, 100, 10**6))
