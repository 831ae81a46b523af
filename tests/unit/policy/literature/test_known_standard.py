import math

import numpy as np
import pytest

from thresher.policy.literature.known_standard import TablePrior, posteriors_of


def place(samples: int, ones: int) -> int:
    return samples * (samples + 1) // 2 + ones


def test_a_posterior_worked_by_hand() -> None:
    # Means 0.2 and 0.6; a one and a zero: weights 0.2 * 0.8 and 0.6 * 0.4, that is 0.4 and 0.6.
    known = posteriors_of(TablePrior((0.2, 0.6)), 0.5, 2)
    assert known.above[place(2, 1)] == pytest.approx(0.6)
    assert known.errors[place(2, 1)] == pytest.approx(0.4)
    assert known.ones[place(2, 1)] == pytest.approx(0.4 * 0.2 + 0.6 * 0.6)


@pytest.mark.parametrize("ones", [0, 40, 990, 1000, 1500, 1999, 2000])
def test_after_many_samples_it_is_that_of_the_likelihood(ones: int) -> None:
    values = (0.005, 0.02, 0.3, 0.499, 0.5, 0.501, 0.75, 0.76, 0.9995)
    known = posteriors_of(TablePrior(values), 0.5, 2000)
    logs = np.array([ones * math.log(value) + (2000 - ones) * math.log1p(-value) for value in values])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    assert known.ones[place(2000, ones)] == pytest.approx(float(weights @ np.array(values)), rel=1e-9)
    assert known.above[place(2000, ones)] == pytest.approx(float(weights[5:].sum()), rel=1e-9, abs=1e-280)


def test_samples_that_no_value_gives_are_finite() -> None:
    known = posteriors_of(TablePrior((0.0, 1.0)), 0.5, 3)
    assert all(np.isfinite(each).all() for each in known)
    assert known.above[place(3, 3)] == 1.0
    assert known.above[place(3, 0)] == 0.0
