"""Two means together."""

import numpy as np

from thresher.jit import interpreted, lgamma_of_c
from thresher.martingales.joint import _rate_limits


def test_interpreted_and_compiled_limits_are_the_same_bit_for_bit() -> None:
    rng, place = np.random.default_rng(3), 0
    rhos, logs = np.array([1.0, 20.0, 400.0]), np.log([0.5, 0.3, 0.2])
    find = interpreted(_rate_limits, lgamma=lgamma_of_c())
    for most in (2, 5, 50, 2_000):
        counts = np.append(most, rng.integers(0, most, 3)).astype(np.float64)
        totals = np.floor(counts * rng.random(4))
        for ratio, is_lift in ((1.0, True), (0.98, False)):
            told = counts, totals, np.arange(1, 4), place, ratio, 0.05, rhos, logs, is_lift
            assert np.array_equal(find(*told), _rate_limits(*told))
