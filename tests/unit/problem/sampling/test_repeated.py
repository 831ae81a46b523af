"""Items that are asked several times: effective samples by hand, and limits that hold at all times."""

import numpy as np
import pytest

from thresher.inference.answers import answers_of
from thresher.inference.intervals import intervals
from thresher.problem import Question, Statistics, Structure
from thresher.types import Floats


def question(n_arms: int, n_items: int, *, target: str = "items", repeats: int = 3, bar: float = 0.5) -> Question:
    structure = Structure(np.full(n_arms, n_items), target=target, repeats=repeats)
    return Question.of("bernoulli", thresholds=[bar] * n_arms, structure=structure)


def test_effective_samples_and_means_by_hand() -> None:
    # One arm, N = 4 items, of which two are answered: the first with 1 and 0, the second with 1.
    table = np.full((2, 1, 4), np.nan)
    table[0, 0, :2], table[1, 0, 0] = 1.0, 0.0
    for target, between in (("items", (1 - 2 / 4) / 2), ("population", 1 / 2)):
        found = answers_of(question(1, 4, target=target), table)
        assert found.means[0] == pytest.approx((0.5 + 1.0) / 2), "the mean over items of the items' means"
        assert found.seen.means[0] == pytest.approx(2 / 3)
        told = found.told
        assert (told.outcomes[0], told.items[0], told.inverses[0]) == (3.0, 2.0, 1.5)
        assert told.rho == (0.0 if target == "items" else 1.0), "one degree of freedom is too few to learn it"
        for rho in (0.0, 0.4, 1.0):
            scale = question(1, 4, target=target).sampling.samples_per_outcome(told._replace(rho=rho), np.ones(1))
            # 1/ν = ρ (1 - m/N)/m + (1 - ρ) Σ(1/n_i)/m², and for a population ρ/m in place of its first part
            assert 1.0 / (3.0 * scale[0]) == pytest.approx(rho * between + (1 - rho) * 1.5 / 4)


def test_complete_layers_have_the_limits_of_independent_draws_at_half_the_level() -> None:
    layer = Statistics(np.array([10.0]), np.array([7.0]), np.array([2.5]))
    seen = Statistics(2 * layer.counts, 2 * layer.totals, 2 * layer.squares, layers=(layer, layer))
    asked = question(1, 10, repeats=2)
    found = intervals(asked, seen, alpha=0.1)
    draws = Question.of("bernoulli", thresholds=[0.5])
    expected = intervals(draws, Statistics(seen.counts, seen.totals, seen.squares), alpha=0.05)
    once = intervals(draws, layer, alpha=0.05)
    assert found.low[0] == max(expected.low[0], once.low[0])
    assert found.high[0] == min(expected.high[0], once.high[0])


def test_a_population_has_the_limits_of_the_first_outcomes() -> None:
    first, second = (Statistics(np.array([8.0]), np.array([total]), np.array([2.0])) for total in (6.0, 1.0))
    seen = Statistics(np.array([16.0]), np.array([7.0]), np.array([4.0]), layers=(first, second))
    found = intervals(question(1, 10, target="population"), seen, alpha=0.1)
    expected = intervals(Question.of("bernoulli", thresholds=[0.5]), first, alpha=0.1)
    assert (found.low[0], found.high[0]) == (expected.low[0], expected.high[0])


def missed(rates: Floats, repeats: int, *, alpha: float, runs: int, seed: int) -> tuple[float, float]:
    """Return the share of runs in which limits miss the mean of the rates at some time: with repeats, and of a pool."""
    n, rng = rates.size, np.random.default_rng(seed)
    tables = (rng.random((runs, repeats, n)) < rates).astype(np.float64)
    orders = np.array([rng.permutation(n) for _ in range(runs)])
    outcomes = np.take_along_axis(tables, orders[:, None, :], axis=2)
    pool = Question.of("bernoulli", thresholds=[0.5] * runs, structure=Structure(np.full(runs, n)))
    ever, by_pool = np.zeros(runs, np.bool_), np.zeros(runs, np.bool_)
    for r in range(repeats):
        for m in range(1, n + 1):
            sizes = [n] * r + [m]
            layers = tuple(
                Statistics(np.full(runs, float(size)), outcomes[:, i, :size].sum(axis=1), np.full(runs, 0.25 * size))
                for i, size in enumerate(sizes)
            )
            sums = (sum(getattr(layer, key) for layer in layers) for key in ("counts", "totals", "squares"))
            limits = intervals(question(runs, n, repeats=repeats), Statistics(*sums, layers=layers), alpha=alpha)
            ever |= (limits.low > rates.mean()) | (limits.high < rates.mean())
            if r == 0:
                of_pool = intervals(pool, layers[0], alpha=alpha)
                by_pool |= (of_pool.low > rates.mean()) | (of_pool.high < rates.mean())
    return float(ever.mean()), float(by_pool.mean())


@pytest.mark.parametrize("spread", [0.0, 0.35, 0.5])
def test_limits_hold_at_all_times_where_those_of_a_pool_do_not(spread: float) -> None:
    # Items of two kinds, with rates 0.5 ± spread: ρ is 0, about 0.5 and 1. With a miss rate of α = 0.2 or less, 400
    # runs exceed 0.26 with a chance below 0.002.
    rates = np.where(np.arange(16) % 2, 0.5 - spread, 0.5 + spread)
    found, of_pool = missed(rates, 3, alpha=0.2, runs=400, seed=5)
    assert found <= 0.26
    if spread < 0.5:
        assert of_pool > 0.5, "an outcome is not the truth of its item"
