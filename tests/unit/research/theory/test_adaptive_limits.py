"""The adaptive limit: reference figures, brute force, and a dynamic programme over every policy of two arms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.adaptive_limits import adaptive_limit, bernoulli_limit, family_limit
from thresher.research.theory.bernoulli import divergence, opposite_mean
from thresher.research.theory.lower_bounds import lower_bound
from thresher.research.theory.oracle_allocation import oracle
from thresher.research.theory.static_allocation import static_optimum
from thresher.types import Floats

LINEAR = np.arange(1, 51) / 50 / math.sqrt(2)
SQUARE = (np.arange(1, 51) / 50) ** 2 / math.sqrt(2)

numbers = st.floats(1e-3, 1e3)
problems = st.lists(st.tuples(st.one_of(st.just(0.0), st.floats(1e-3, 1e1)), numbers, numbers), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("gaps", "budgets", "limits"),
    [
        (LINEAR, (100, 200, 500, 1000, 2000, 5000), (9.470, 6.477, 3.383, 1.849, 0.900, 0.240)),
        (SQUARE, (100, 200, 500, 1000, 2000, 5000), (13.533, 11.305, 8.641, 6.936, 5.514, 4.028)),
        (np.full(50, 0.3 / math.sqrt(2)), (200, 500, 1000, 2000), (10.903, 4.843, 1.127, 0.0369)),
        (np.full(100, 1 / math.sqrt(2)), (150, 200, 300, 400), (3.755, 1.582, 0.240, 0.033)),
    ],
    ids=["linear", "square", "constant", "paper"],
)
def test_reference_values(gaps: list[float], budgets: tuple[int, ...], limits: tuple[float, ...]) -> None:
    # They are good to three digits; `test_brute_force_finds_the_same` has the rest.
    found = [adaptive_limit(gaps, budget=budget).loss for budget in budgets]
    np.testing.assert_allclose(found, limits, rtol=2e-4, atol=5e-4)


def test_equal_gaps_by_hand() -> None:
    # T/K = 4 samples each, 4Δ² = 0.18: b tanh(b/2) = 0.72
    found = adaptive_limit(np.full(50, 0.3 / math.sqrt(2)), budget=200)
    odds = 50 / found.loss - 1
    assert math.log(odds) * (odds - 1) / (odds + 1) == pytest.approx(0.72, rel=1e-12)
    np.testing.assert_allclose(found.counts, 4.0)
    np.testing.assert_allclose(found.errors, found.loss / 50)


def test_brute_force_finds_the_same() -> None:
    gaps, costs, prices = np.array([0.05, 0.3, 0.9]), np.array([5.0, 1.0, 2.0]), np.array([1.0, 0.5, 3.0])
    bounds = np.linspace(0, 12, 60_001)
    errors, samples = 1 / (1 + np.exp(bounds)), bounds * np.tanh(bounds / 2)

    def dual(multiplier: float) -> float:
        values = costs[:, None] * errors + multiplier * prices[:, None] * samples / (4 * gaps[:, None] ** 2)
        return float(values.min(axis=1).sum() - multiplier * 20.0)

    found = adaptive_limit(gaps, costs, prices, budget=20.0)
    assert dual(math.exp(found.log_price)) == pytest.approx(found.loss, rel=1e-7)
    assert max(dual(price) for price in np.geomspace(1e-4, 1, 400)) <= found.loss * (1 + 1e-7)


@given(problem=problems, budget=st.floats(0.0, 1e4), scale=st.floats(1e-5, 1e5), data=st.data())
def test_what_must_hold_on_every_problem(
    problem: list[tuple[float, float, float]], budget: float, scale: float, data: st.DataObject
) -> None:
    gaps, costs, prices = np.array(problem).T
    found = adaptive_limit(gaps, costs, prices, budget=budget)
    assert prices @ found.counts == pytest.approx(budget if gaps.any() else 0.0, rel=1e-8)
    assert lower_bound(gaps, costs, prices, budget=budget) <= found.loss * (1 + 1e-9)
    assert found.loss <= static_optimum(gaps, costs, prices, budget=budget).loss * (1 + 1e-9)
    assert found.loss <= oracle(gaps, costs, prices, budget=budget).loss * (1 + 1e-9)
    dearer = adaptive_limit(gaps, costs * scale, prices, budget=budget)
    assert dearer.loss == pytest.approx(scale * found.loss, rel=1e-6)
    richer = adaptive_limit(gaps, costs, prices * scale, budget=budget * scale)
    assert richer.loss == pytest.approx(found.loss, rel=1e-6)
    finer = adaptive_limit(gaps * 10, costs, prices * 100, budget=budget)
    assert finer.loss == pytest.approx(found.loss, rel=1e-6)
    order = data.draw(st.permutations(range(gaps.size)))
    shuffled = adaptive_limit(gaps[order], costs[order], prices[order], budget=budget)
    np.testing.assert_allclose(shuffled.counts, found.counts[order], rtol=1e-6)


@given(problem=problems, budget=st.floats(0.1, 1e4))
def test_the_form_for_any_family_agrees_on_gaussian_arms(
    problem: list[tuple[float, float, float]], budget: float
) -> None:
    gaps, costs, prices = np.array(problem).T
    twin = family_limit(4 * gaps**2, 4 * gaps**2, costs, prices, budget=budget)
    assert twin.loss == pytest.approx(adaptive_limit(gaps, costs, prices, budget=budget).loss, rel=1e-8)


def test_brute_force_finds_the_same_for_unequal_divergences() -> None:
    forward, reverse, costs, prices = np.array([[0.05, 0.4], [0.3, 0.1], [5.0, 1.0], [1.0, 0.5]])
    alpha = 1 / (1 + np.exp(np.linspace(0, 10, 1201)))[:, None]
    beta = alpha.T
    samples = alpha * np.log(alpha / (1 - beta)) + (1 - alpha) * np.log((1 - alpha) / beta)
    found = family_limit(forward, reverse, costs, prices, budget=20.0)
    multiplier, value = math.exp(found.log_price), 0.0
    for arm in range(2):
        charged = samples / forward[arm] + samples.T / reverse[arm]
        value += float(np.min(costs[arm] * (alpha + beta) / 2 + multiplier * prices[arm] * charged / 2))
    assert found.loss == pytest.approx(value - multiplier * 20.0, rel=1e-4)
    assert prices @ found.counts == pytest.approx(20.0)


def best_policy(means: Floats, others: Floats, costs: Floats, budget: int) -> float:
    """Return the least loss over all adaptive policies for two Bernoulli arms that have one of two means each.

    After n pulls with s ones the state of an arm is (n, s); ``values[n]`` is the loss to come, over the s of both
    arms, when arm 0 has had n of the pulls so far.
    """
    states = [_one_arm(mean, other, budget) for mean, other in zip(means, others, strict=True)]
    (wrong, next_one), (wrong_too, next_one_too) = states
    values = [costs[0] * wrong[n][:, None] + costs[1] * wrong_too[budget - n] for n in range(budget + 1)]
    for pulls in range(budget - 1, -1, -1):
        values = [
            np.minimum(
                next_one[n][:, None] * values[n + 1][1:] + (1 - next_one[n][:, None]) * values[n + 1][:-1],
                next_one_too[pulls - n] * values[n][:, 1:] + (1 - next_one_too[pulls - n]) * values[n][:, :-1],
            )
            for n in range(pulls + 1)
        ]
    return float(values[0][0, 0])


def _one_arm(mean: float, other: float, budget: int) -> tuple[list[Floats], list[Floats]]:
    """Return, for each number of pulls, the posterior error and the chance of a one, over the number of ones."""
    wrong, next_one = [], []
    for pulls in range(budget + 1):
        ones = np.arange(pulls + 1.0)
        ratio = ones * math.log(other / mean) + (pulls - ones) * math.log((1 - other) / (1 - mean))
        chance = 1 / (1 + np.exp(-ratio))
        wrong.append(np.minimum(chance, 1 - chance))
        next_one.append(chance * other + (1 - chance) * mean)
    return wrong, next_one


@pytest.mark.parametrize(
    ("means", "threshold", "costs"),
    [
        ([0.8, 0.8], 0.5, [1.0, 1.0]),
        ([0.6, 0.8], 0.5, [1.0, 1.0]),
        ([0.6, 0.8], 0.5, [3.0, 1.0]),
        ([0.95, 0.7], 0.8, [1.0, 2.0]),
        ([0.4, 0.25], 0.3, [1.0, 1.0]),
    ],
)
def test_no_policy_of_two_arms_beats_the_limit(means: list[float], threshold: float, costs: list[float]) -> None:
    others = opposite_mean(means, threshold)
    ratios = []
    for budget in range(1, 21):
        limit = bernoulli_limit(means, threshold, costs, budget=budget).loss
        ratios.append(best_policy(np.array(means), others, np.array(costs), budget) / limit)
    assert min(ratios) >= 1 - 1e-12
    # Some budget of at most five pulls is spent almost as well as the limit says; with twenty pulls of two arms chance
    # no longer averages out and the limit is far away.
    assert min(ratios[:5]) < 1.06


def test_one_pull_of_each_of_two_equal_coins_attains_the_limit() -> None:
    best = best_policy(np.array([0.8, 0.8]), np.array([0.2, 0.2]), np.ones(2), 2)
    assert best == pytest.approx(0.4, rel=1e-12)
    assert bernoulli_limit([0.8, 0.8], 0.5, budget=2).loss == pytest.approx(best, rel=1e-9)


def test_a_coin_near_the_bar_is_nearly_gaussian() -> None:
    # With means 0.5 ± 0.01 the divergences are 4Δ² with σ = 1/2, to a part in a thousand.
    means = np.full(20, 0.51)
    twin = adaptive_limit(np.full(20, 0.01 * math.sqrt(2)), budget=20_000).loss
    assert bernoulli_limit(means, 0.5, budget=20_000).loss == pytest.approx(twin, rel=2e-3)


def test_arms_at_the_bar_and_arms_that_one_sample_settles_cost_nothing() -> None:
    found = bernoulli_limit([0.5, 0.0, 0.7], 0.5, budget=10)
    alone = bernoulli_limit([0.7], 0.5, budget=10)
    assert found.loss == pytest.approx(alone.loss, rel=1e-12)
    np.testing.assert_array_equal(found.counts[:2], 0.0)
    # One direction may be infinite: 0.9 against a bar of 0.3 has no opposite as far, so it is 0, and a single one
    # rules it out.
    one_sided = bernoulli_limit([0.9, 0.35], 0.3, budget=50)
    assert divergence(0.9, opposite_mean(0.9, 0.3)) == math.inf
    assert 0.0 < one_sided.loss < 1.0


def test_divergences_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="0 for the same arms"):
        family_limit([1.0, 0.0], [1.0, 1.0], budget=3)
    with pytest.raises(InvalidInputError, match="0 for the same arms"):
        family_limit([1.0, 1.0], [1.0], budget=3)
    with pytest.raises(InvalidInputError, match="divergence is nan"):
        family_limit([1.0, 1.0], [1.0, math.nan], budget=3)


@pytest.mark.parametrize("budget", [0, 1e-9, 1.0, 1e9, 1e60])
def test_extreme_numbers_give_finite_answers(budget: float) -> None:
    gaps = np.array([0.0, 1e-60, 1e-8, 1.0, 1e8, 1e60])
    costs, prices = np.geomspace(1e-5, 1e5, 6), np.geomspace(1e5, 1e-5, 6)
    found = adaptive_limit(gaps, costs, prices, budget=budget)
    assert np.all(np.isfinite(found.counts))
    assert 0.0 <= found.loss <= 0.5 * costs.sum()
    rates = np.array([0.0, 1e-60, 1e-8, 1.0, 1e8, 1e60])
    family = family_limit(rates, np.minimum(2 * rates, 1e60), costs, prices, budget=budget)
    assert 0.0 <= family.loss <= 0.5 * costs.sum()
