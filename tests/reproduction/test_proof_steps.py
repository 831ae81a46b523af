"""The steps of the proofs, each held against a simulation with Gaussian, bounded and two-point noise.

Where a probability is at most `b`, a frequency over `runs` runs is above `ceiling(b, runs)` with probability at most
1e-6 (Bernstein); so that is the chance of a false alarm of each assertion below, unless it says otherwise.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import lambertw

from reproduction.proof_steps import (
    confusion,
    exploration_tail,
    exponential_sum_tail,
    four_models,
    largest_epsilon,
    mistake_tail,
    pulls_between,
    pulls_needed,
    reaching_tail,
    short_gap_tail,
    uniform_deviation,
)
from thresher.errors import InvalidInputError
from thresher.types import Bools, Floats, Ints

RUNS = 20_000

Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]

NOISES: dict[str, Noise] = {  # all 1-sub-Gaussian with mean 0
    "gaussian": lambda random, shape: random.standard_normal(shape),
    "bounded": lambda random, shape: random.uniform(-1.0, 1.0, shape),
    "two-point": lambda random, shape: 2.0 * random.integers(0, 2, shape).astype(np.float64) - 1.0,
}
noises = pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)


def ceiling(bound: float, runs: int = RUNS) -> float:
    return bound + math.sqrt(2.0 * bound * math.log(1e6) / runs) + math.log(1e6) / (3.0 * runs)


def paths(noise: Noise, gap: float, shape: tuple[int, ...], seed: int = 7) -> Floats:
    """Return the sums of the first 1, 2, … samples of an arm with mean gap * sqrt 2, along the last axis."""
    return np.cumsum(noise(np.random.default_rng(seed), shape) + gap * math.sqrt(2.0), axis=-1)


def lsa_index(sums: Floats) -> Floats:
    counts = np.arange(1, sums.shape[-1] + 1)
    values: Floats = sums**2 / (2.0 * counts) + np.log(counts)
    return values


def lsa_time(level: float, gap: float) -> float:
    return float(lambertw(gap**2 * math.exp(level)).real) / gap**2


def reached(index: Floats, level: float) -> Ints:
    """Return the number of pulls after which an index is first at a level, one more than the samples if never."""
    is_there = index >= level
    pulls: Ints = np.where(is_there.any(axis=-1), is_there.argmax(axis=-1) + 1, index.shape[-1] + 1)
    return pulls


@noises
@pytest.mark.parametrize("seen", [0.0, 0.4, 0.5, 0.8])
def test_a_gap_seldom_looks_smaller_than_it_is(noise: Noise, seen: float) -> None:
    count, gap = 12, 1.0
    shown = np.abs(paths(noise, gap, (RUNS, count))[:, -1]) / count / math.sqrt(2.0)
    assert np.mean(shown < seen) <= ceiling(short_gap_tail(count=count, gap=gap, seen=seen))


def test_without_the_square_the_printed_bound_is_violated() -> None:
    # Erratum 11: exp(-n (gap - seen)) instead of exp(-n (gap - seen)^2).
    count, gap, seen = 30, 0.25, 0.0625
    shown = np.abs(paths(NOISES["gaussian"], gap, (RUNS, count))[:, -1]) / count / math.sqrt(2.0)
    assert np.mean(shown < seen) > ceiling(math.exp(-count * (gap - seen)))


@noises
@pytest.mark.parametrize("gap", [0.3, 1.0])
@pytest.mark.parametrize("level", [2.5, 5.0])
def test_an_index_is_seldom_late(noise: Noise, gap: float, level: float) -> None:
    pulls = reached(lsa_index(paths(noise, gap, (RUNS, 200))), level)
    late = np.sqrt(pulls - 1.0) - math.sqrt(lsa_time(level, gap))
    for excess in (0.0, 0.5 / gap, 1.0 / gap, 1.5 / gap, 2.0 / gap):
        assert np.mean(late > excess) <= ceiling(reaching_tail(excess, gap=gap))


def test_for_whole_pulls_the_printed_tail_is_violated() -> None:
    # Erratum 12: an arm of gap 10 needs one pull, its time is t = 0.01, and exp(-100 * 0.8^2) does not bound certainty.
    gap, level = 10.0, 1.0
    pulls = reached(paths(NOISES["gaussian"], gap, (RUNS, 3)) ** 2 / (2.0 * np.arange(1, 4)), level)
    assert np.mean(np.sqrt(pulls) > math.sqrt(level) / gap + 0.8) == 1.0
    assert reaching_tail(0.8, gap=gap) < 1e-20


@noises
def test_the_arms_together_seldom_need_more_than_the_budget(noise: Noise) -> None:
    gaps, level = [0.4, 0.5, 0.8, 1.2], 3.0
    pulls = sum(reached(lsa_index(paths(noise, gap, (RUNS, 250), seed)), level) for seed, gap in enumerate(gaps))
    times = [lsa_time(level, gap) for gap in gaps]
    for budget in (60, 100, 160):
        root, half = (exploration_tail(times, gaps, budget=budget, form=form) for form in ("root", "half"))
        assert np.mean(pulls > budget) <= ceiling(root)
        assert root <= half


def test_for_whole_pulls_the_printed_sum_is_violated() -> None:
    # Erratum 12 with a pull for each arm, T = K = 100: most runs have an arm that needs two, the printed bound is e^-1.
    gap, level, n_arms, runs = math.sqrt(8.0), 2.0, 100, 400
    sums = paths(NOISES["gaussian"], gap, (runs, n_arms, 1))
    late = np.mean((sums[..., 0] ** 2 / 2.0 < level).any(axis=1))
    printed = exploration_tail(
        np.full(n_arms, level / gap**2), np.full(n_arms, gap), budget=100, form="half", whole_pulls=False
    )
    assert printed == pytest.approx(math.exp(-1.0))
    # The chance of an arm that needs two is 1 - Phi(2)^100 = 0.90; below 0.6 in 400 runs with probability under 1e-60.
    assert late > 0.6
    assert exploration_tail(np.full(n_arms, level / gap**2), np.full(n_arms, gap), budget=100) > 1.0


def test_sums_of_exponentials_obey_their_tail() -> None:
    rates = np.array([0.5, 1.0, 4.0])
    sums = (np.random.default_rng(3).standard_exponential((RUNS, 3)) / rates).sum(axis=1)
    for total in (3.25, 6.5, 13.0, 20.0):
        assert np.mean(sums >= total) <= ceiling(exponential_sum_tail(total, rates=rates))
    # By hand: sum of 1 / a = 3.25, so that 6.5 is twice it: e^(1 - 2).
    assert exponential_sum_tail(6.5, rates=rates) == pytest.approx(math.exp(-1.0))


@noises
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_mean_seldom_strays_at_any_of_the_first_pulls(noise: Noise, sign: float) -> None:
    budget = 60
    sums = sign * paths(noise, 0.0, (RUNS, budget))
    for chance in (0.3, 0.05):
        limit = uniform_deviation(budget=budget, chance=chance)
        strays = (sums / np.sqrt(2.0 * np.arange(1, budget + 1)) > limit).any(axis=1)
        assert np.mean(strays) <= ceiling(chance)


def test_without_the_division_the_printed_deviation_is_violated() -> None:
    # Erratum 13: with sigma = 3 the mean strays by more than sqrt(log(T / delta)) almost always.
    sums = 3.0 * paths(NOISES["gaussian"], 0.0, (RUNS, 60))
    strays = (sums / np.sqrt(np.arange(1, 61)) > uniform_deviation(budget=60, chance=0.05)).any(axis=1)
    assert np.mean(strays) > ceiling(0.05)


@noises
@pytest.mark.parametrize("level", [3.0, 5.0, 7.0])
def test_an_arm_with_a_large_index_is_seldom_on_the_wrong_side(noise: Noise, level: float) -> None:
    gap, budget = 0.25, 150
    sums = paths(noise, gap, (RUNS, budget))
    wrong = ((sums <= 0.0) & (lsa_index(sums) >= level)).any(axis=1)
    assert np.mean(wrong) <= ceiling(mistake_tail(lsa_time(level, gap), gap=gap, budget=budget))


def test_without_the_factor_of_the_budget_the_tail_of_mistakes_would_be_violated() -> None:
    # APT's index, F = x, near the threshold: there are many times at which to be wrong, and exp(-C) is for one of them.
    gap, level, budget, runs = 0.005, 5.0, 2000, 4000
    sums = paths(NOISES["gaussian"], gap, (runs, budget))
    wrong = np.mean(((sums <= 0.0) & (sums**2 / (2.0 * np.arange(1, budget + 1)) >= level)).any(axis=1))
    assert wrong > ceiling(math.exp(-level), runs)
    assert wrong <= mistake_tail(level / gap**2, gap=gap, budget=budget)


def runs_of(means: Floats, budget: int, runs: int, seed: int) -> tuple[Ints, Bools]:
    """Return counts and verdicts of LSA on Gaussian arms with variance 1 and threshold 0, shape (runs, n_arms)."""
    random = np.random.default_rng(seed)
    sums = means + random.standard_normal((runs, means.size))
    counts, every = np.ones(sums.shape, dtype=np.int64), np.arange(runs)
    for _ in range(means.size, budget):
        arm = np.argmin(sums**2 / (2.0 * counts) + np.log(counts), axis=1)
        sums[every, arm] += means[arm] + random.standard_normal(runs)
        counts[every, arm] += 1
    return counts, sums > 0.0


def test_the_four_models_of_a_worked_case() -> None:
    models = four_models([1.0, 2.0], n_near=2, epsilon=0.1)
    assert models.near_above.tolist() == [0.1, 0.1, 1.0, 2.0]
    assert models.near_below.tolist() == [-0.1, -0.1, 1.0, 2.0]
    assert models.far_above.tolist() == [1.0, 1.0, 1.0, 2.0]
    assert models.far_below.tolist() == [-1.0, -1.0, 1.0, 2.0]


@pytest.mark.parametrize(("means", "epsilon"), [([1.0, 0.5], 0.1), ([1.0, 2.0], 1.5), ([1.0], 0.0)])
def test_models_out_of_order_are_refused(means: list[float], epsilon: float) -> None:
    with pytest.raises(InvalidInputError):
        four_models(means, n_near=1, epsilon=epsilon)


def test_a_policy_confuses_the_near_models_and_must_pull_their_arms() -> None:
    budget, n_near, runs = 60, 3, 4000
    epsilon = largest_epsilon(budget=budget)
    models = four_models([1.0, 1.5], n_near=n_near, epsilon=epsilon)
    near_counts, above = runs_of(models.near_above, budget, runs, 1)
    _, below = runs_of(models.near_below, budget, runs, 2)
    far_counts, far = runs_of(models.far_above, budget, runs, 3)
    slack = math.sqrt(math.log(1e6) / (2 * runs))  # each frequency is that close, but for a probability of 1e-6
    # Most of the near arms called below where they are above, or not called so where they are.
    chance = float(np.mean((~above[:, :n_near]).sum(axis=1) > n_near / 2))
    other = float(np.mean((~below[:, :n_near]).sum(axis=1) <= n_near / 2))
    pulls = float(near_counts[:, :n_near].sum(axis=1).mean())
    assert chance + other >= confusion(near_pulls=pulls, epsilon=epsilon) - 2 * slack
    assert confusion(near_pulls=budget, epsilon=epsilon) == pytest.approx(0.25)
    assert max(chance, other) >= 1 / 8 - slack
    # Far from the threshold the same event is rare; what tells the models apart is pulls of those arms.
    # (sqrt p + sqrt(2 log(1e6) / runs))^2 is below the truth with probability at most 1e-6 (Chernoff).
    rare = float(np.mean((~far[:, :n_near]).sum(axis=1) > n_near / 2))
    far_chance = (math.sqrt(rare) + math.sqrt(2.0 * math.log(1e6) / runs)) ** 2
    distance = 1.0 - epsilon
    assert far_counts.sum() == budget * runs
    assert pulls >= pulls_between(chance - slack, far_chance, distance=distance)
    assert pulls_between(chance - slack, far_chance, distance=distance) > 1.0


def test_the_explicit_number_of_pulls_follows_from_the_divergence() -> None:
    # 2 / d^2 ((1/8) log(K0 / 2L) - log 2) by hand: K0 = 4, L = 2 e^-40, d = 1/2: 8 (5 - log 2).
    assert pulls_needed(2.0 * math.exp(-40.0), n_near=4, distance=0.5) == pytest.approx(8.0 * (5.0 - math.log(2.0)))


@given(st.floats(1e-30, 0.2), st.integers(1, 20), st.floats(0.1, 3.0))
def test_the_explicit_number_is_never_above_the_divergence(loss: float, n_near: int, distance: float) -> None:
    chance = 2.0 * loss / n_near
    if chance < 1 / 8:
        exact = pulls_between(1 / 8, chance, distance=distance)
        assert pulls_needed(loss, n_near=n_near, distance=distance) <= exact + 1e-9


@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(-1.0, 8.0), st.integers(4, 60))
def test_all_indices_are_at_a_level_at_some_time_exactly_if_the_arms_need_no_more_than_the_budget(
    seed: int, n_arms: int, level: float, budget: int
) -> None:
    # Appendix C: F_C = {sum of tau_k(C) <= T}; and between the last best time and T one arm is pulled at most.
    tape = np.cumsum(np.random.default_rng(seed).standard_normal((n_arms, budget + 1)) + 0.3, axis=1)
    index = lsa_index(tape)
    counts = np.zeros(n_arms, dtype=np.int64)
    least, pulled = [], []
    for _ in range(budget):
        here = [index[k, n - 1] if n else -math.inf for k, n in enumerate(counts)]
        pulled.append(int(np.argmin(here)))
        counts[pulled[-1]] += 1
        least.append(min(index[k, n - 1] if n else -math.inf for k, n in enumerate(counts)))
    assert (max(least) >= level) == (int(reached(index, level).sum()) <= budget)
    peak = max(t for t, value in enumerate(least) if value == max(least))
    assert len(set(pulled[peak + 1 :])) <= 1


@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(4, 60))
def test_at_the_last_peak_every_arm_has_the_largest_index_that_it_ever_had(seed: int, n_arms: int, budget: int) -> None:
    # Erratum 10: what the paper's proof of Theorem 2 uses, and does not show.
    tape = np.cumsum(np.random.default_rng(seed).standard_normal((n_arms, budget + 1)) + 0.3, axis=1)
    index, counts = lsa_index(tape), np.ones(n_arms, dtype=np.int64)
    seen = [index[np.arange(n_arms), counts - 1]]
    for _ in range(n_arms, budget):
        counts[seen[-1].argmin()] += 1
        seen.append(index[np.arange(n_arms), counts - 1])
    least = [values.min() for values in seen]
    peak = max(t for t, value in enumerate(least) if value == max(least))
    np.testing.assert_array_equal(seen[peak], np.max(seen, axis=0))
