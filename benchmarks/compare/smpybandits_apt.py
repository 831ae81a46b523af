"""Print what a pull of APT takes in SMPyBandits, in nanoseconds; runs in an environment of its own.

SMPyBandits has no policy for thresholds, so APT is written as its documentation says: a child of `IndexPolicy` with
all indices in one NumPy expression, which is the quickest that the library knows.
"""

import contextlib
import sys
import time

import numpy as np

with contextlib.redirect_stdout(sys.stderr):  # it reports on itself
    from SMPyBandits.Arms import Gaussian
    from SMPyBandits.Policies.IndexPolicy import IndexPolicy

K, PULLS, REPEATS = 50, 5_000, 5


class APT(IndexPolicy):  # type: ignore[misc]
    """Pull the arm of least evidence."""

    def computeAllIndex(self) -> None:  # noqa: N802 - the library's name
        self.index = -(self.rewards**2) / (2.0 * np.maximum(self.pulls, 1))


def seconds() -> float:
    """Return how long `PULLS` pulls take."""
    arms = [Gaussian((-1) ** k * k / K, mini=-10.0, maxi=10.0) for k in range(1, K + 1)]
    policy = APT(K, lower=0.0, amplitude=1.0)
    policy.startGame()
    for k in range(K):
        policy.getReward(k, arms[k].draw())
    start = time.perf_counter()
    for t in range(PULLS):
        k = policy.choice()
        policy.getReward(k, arms[k].draw(t))
    return time.perf_counter() - start


print(1e9 * min(seconds() for _ in range(REPEATS)) / PULLS)
