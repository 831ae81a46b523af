"""The bounds hold over simulated runs, with Gaussian, bounded and two-point noise."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from thresher.research.theory.upper_bound import (
    Bound,
    apt,
    apt_any_mistake,
    apt_corollary_1,
    fwt,
    fwt_corollary_2,
    lsa,
    sum_of_gaps,
    theorem_2,
)
from thresher.types import Bools, Floats

Index = Callable[[Floats, Floats], Floats]
Noise = Callable[[np.random.Generator, int], Floats]

RUNS = 2000
SLACK = math.sqrt(math.log(1e6) / (2 * RUNS))  # Hoeffding: a mean of numbers in [0, 1] is further off with chance 1e-6

INDICES: dict[str, Index] = {
    "apt": lambda counts, evidence: evidence,
    "lsa": lambda counts, evidence: evidence + np.log(counts),
    "fwt": lambda counts, evidence: np.maximum(evidence, 1.0) - np.log(np.maximum(evidence, 1.0) / counts),
    "fwt-gaps": lambda counts, evidence: np.maximum(evidence, 1.5) - 1.5 * np.log(np.maximum(evidence, 1.5) / counts),
}
NOISES: dict[str, Noise] = {  # all 1-sub-Gaussian with mean 0
    "gaussian": lambda random, size: random.standard_normal(size),
    "bounded": lambda random, size: random.uniform(-1.0, 1.0, size),
    "two-point": lambda random, size: 2.0 * random.integers(0, 2, size).astype(np.float64) - 1.0,
}
noises = pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)

GAPS = np.array([0.6, 0.8, 1.2])
MEANS = GAPS * math.sqrt(2.0) * np.array([1.0, -1.0, 1.0])


def mistakes(index: Index, noise: Noise, budget: int, seed: int = 5) -> Bools:
    """Return which arms are misjudged at the time when the least index was largest, shape (RUNS, n_arms)."""
    random, every = np.random.default_rng(seed), np.arange(RUNS)
    sums = np.stack([mean + noise(random, RUNS) for mean in MEANS], axis=1)
    counts = np.ones(sums.shape)
    highest, verdicts = np.full(RUNS, -np.inf), sums > 0.0
    for _ in range(MEANS.size, budget + 1):
        values = index(counts, sums**2 / (2.0 * counts))
        is_peak = values.min(axis=1) >= highest
        highest = np.where(is_peak, values.min(axis=1), highest)
        verdicts = np.where(is_peak[:, None], sums > 0.0, verdicts)
        arm = np.argmin(values, axis=1)
        sums[every, arm] += MEANS[arm] + noise(random, RUNS)
        counts[every, arm] += 1.0
    wrong: Bools = verdicts != (MEANS > 0.0)
    return wrong


@noises
@pytest.mark.parametrize("budget", [60, 150])
@pytest.mark.parametrize(
    ("name", "bounds"), [("apt", [apt, apt_corollary_1]), ("lsa", [lsa]), ("fwt", [fwt, fwt_corollary_2])]
)
def test_the_mean_loss_is_below_every_bound(
    name: str, bounds: list[Callable[..., Bound]], noise: Noise, budget: int
) -> None:
    costs = np.array([1.0, 0.5, 2.0]) if name == "apt" else np.ones(3)  # APT itself knows no costs
    loss = float((mistakes(INDICES[name], noise, budget) @ costs).mean())
    for bound in bounds:
        assert loss <= bound(GAPS, costs, budget=budget).value + costs.sum() * SLACK


@noises
def test_theorem_2_bounds_each_arm_by_itself_where_it_says_something(noise: Noise) -> None:
    bound = theorem_2(INDICES["lsa"], GAPS, budget=150, whole_pulls=True)
    assert not bound.is_vacuous
    wrong = mistakes(INDICES["lsa"], noise, 150).mean(axis=0)
    assert np.all(wrong <= np.exp(bound.log_shares) + SLACK)


@noises
def test_the_probability_of_any_mistake_and_the_sum_of_gaps_are_bounded_too(noise: Noise) -> None:
    chance = mistakes(INDICES["apt"], noise, 150).any(axis=1).mean()
    assert chance <= apt_any_mistake(GAPS, budget=150).value + SLACK
    loss = (mistakes(INDICES["fwt-gaps"], noise, 150) @ GAPS).mean()
    assert loss <= sum_of_gaps(GAPS, budget=150).value + GAPS.sum() * SLACK


def test_the_bounds_compared_here_are_not_vacuous_and_the_policies_do_err() -> None:
    assert all(not bound(GAPS, budget=150).is_vacuous for bound in (apt, apt_corollary_1, lsa, fwt, fwt_corollary_2))
    assert mistakes(INDICES["lsa"], NOISES["gaussian"], 8).mean() > 0.02
