"""Print what a pull takes in MABWiser, in nanoseconds; runs in an environment of its own.

MABWiser takes no policy of one's own, so this is its UCB1 on the same arms: predict, draw, partial_fit.
"""

import time

import numpy as np
from mabwiser.mab import MAB, LearningPolicy

K, PULLS, REPEATS = 50, 300, 5
MEANS = [(-1) ** k * k / K for k in range(1, K + 1)]


def seconds() -> float:
    """Return how long `PULLS` pulls take."""
    random = np.random.default_rng(1)
    bandit = MAB(arms=list(range(K)), learning_policy=LearningPolicy.UCB1(alpha=1.25), seed=1)
    bandit.fit(list(range(K)), [mean + random.standard_normal() for mean in MEANS])
    start = time.perf_counter()
    for _ in range(PULLS):
        k = bandit.predict()
        bandit.partial_fit([k], [MEANS[k] + random.standard_normal()])
    return time.perf_counter() - start


print(1e9 * min(seconds() for _ in range(REPEATS)) / PULLS)
