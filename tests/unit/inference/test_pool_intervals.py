"""Intervals and e-values for finite pools: their error rates, computed exactly for 0/1 outcomes."""

import math
from typing import Any

import numpy as np
import pytest

from thresher.inference.e_values import e_values, log_e_above
from thresher.inference.intervals import intervals
from thresher.martingales.pools import log_tail
from thresher.problem import Question, Structure
from thresher.problem.statistics import Statistics
from thresher.types import Floats

ALPHA = 0.05


def question_of(family: str, bar: float, size: int, k: int, **given: Any) -> Question:
    return Question.of(family, thresholds=np.full(k, bar), structure=Structure(np.full(k, size)), **given)


def states_of(size: int, bar: float) -> tuple[Question, Statistics, dict[tuple[int, int], int]]:
    """Return every number of outcomes and of ones among them, as arms, and their places."""
    states = [(n, s) for n in range(size + 1) for s in range(n + 1)]
    counts, ones = (np.array(column, dtype=np.float64) for column in zip(*states, strict=True))
    squares = ones * (1.0 - bar) ** 2 + (counts - ones) * bar**2
    places = {state: i for i, state in enumerate(states)}
    return question_of("bernoulli", bar, size, len(states)), Statistics(counts, ones, squares), places


@pytest.mark.parametrize("bar", [0.5, 0.9, 0.02])
@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_the_chance_that_an_interval_of_0_and_1_ever_leaves_its_mean_out_is_at_most_alpha(
    size: int, bar: float
) -> None:
    question, seen, places = states_of(size, bar)
    low, high = intervals(question, seen, alpha=ALPHA)
    for ones in range(size + 1):
        kept, missed = {0: 1.0}, 0.0  # exact probabilities of the paths that never left the mean out
        for n in range(size):
            after: dict[int, float] = {}
            for s, chance in kept.items():
                for more, left in ((1, ones - s), (0, size - ones - (n - s))):
                    after[s + more] = after.get(s + more, 0.0) + chance * left / (size - n)
            out = {s for s in after if not low[places[n + 1, s]] <= ones / size <= high[places[n + 1, s]]}
            missed += sum(after[s] for s in out)
            kept = {s: chance for s, chance in after.items() if s not in out and chance > 0.0}
        assert missed <= ALPHA + 1e-12
        assert kept.keys() == {ones}


@pytest.mark.parametrize("bar", [0.5, 0.9, 0.02])
@pytest.mark.parametrize("size", [1, 2, 7, 25])
def test_an_e_process_of_0_and_1_grows_by_chance_only_under_a_mean_on_the_refuted_side(size: int, bar: float) -> None:
    question, seen, places = states_of(size, bar)
    found = np.exp(log_e_above(question, seen, question.thresholds, 6.0))
    for ones in range(math.floor(size * bar) + 1):
        for n in range(size):
            for s in range(max(0, n - (size - ones)), min(n, ones) + 1):
                now, up = found[places[n, s]], (ones - s) / (size - n)
                later = sum(
                    chance * found[places[n + 1, s + more]] for more, chance in ((1, up), (0, 1.0 - up)) if chance > 0.0
                )
                assert later <= now * (1.0 + 1e-9) + 1e-12
    assert found[places[0, 0]] == 1.0
    assert found[places[size, size]] == math.inf


def misses(question: Question, paths: Floats, means: Floats, bar: float) -> float:
    """Return the share of runs in which an interval ever leaves the mean of its pool out."""
    missed = np.zeros(paths.shape[0], np.bool_)
    for n in range(1, paths.shape[1] + 1):
        part = paths[:, :n]
        seen = Statistics(np.full(paths.shape[0], float(n)), part.sum(axis=1), ((part - bar) ** 2).sum(axis=1))
        low, high = intervals(question, seen, alpha=ALPHA)
        missed |= (low > means + 1e-9) | (high < means - 1e-9)
    np.testing.assert_allclose(low, means)  # with every item known
    np.testing.assert_allclose(high, means)
    return float(missed.mean())


RUNS, SIZE = 2000, 60
# Each case fails with a probability below 1e-6 if the chance of a miss is 0.05: 125 misses or more beyond 100 of 2,000
# have it, by the binomial distribution; the intervals miss less.
MOST = 150 / RUNS


@pytest.mark.parametrize("family", ["gaussian", "gaussian-unknown-variance", "bounded"])
def test_other_intervals_leave_their_mean_out_as_seldom_as_promised(family: str) -> None:
    rng = np.random.default_rng(5)
    draws = rng.normal(0.3, 1.0, (RUNS, SIZE)) if family != "bounded" else rng.beta(0.3, 0.5, (RUNS, SIZE))
    given = {"sigma": 1.0} if family == "gaussian" else {}
    question = question_of(family, 0.4, SIZE, RUNS, **given)
    assert misses(question, draws, draws.mean(axis=1), 0.4) <= MOST


@pytest.mark.parametrize("family", ["gaussian", "gaussian-unknown-variance", "bounded", "bernoulli"])
def test_an_e_value_is_at_most_1_on_average_at_the_bar_and_grows_beyond_it(family: str) -> None:
    rng = np.random.default_rng(6)
    draws = rng.normal(0.3, 1.0, (RUNS, SIZE)) if family.startswith("g") else rng.random((RUNS, SIZE))
    draws = (draws < 0.6).astype(np.float64) if family == "bernoulli" else draws
    given: dict[str, Any] = {"sigma": 1.0} if family == "gaussian" else {}
    structure = Structure(np.full(RUNS, SIZE))
    means, part = draws.mean(axis=1), draws[:, : SIZE // 2]
    inside = (means > 0.0) & (means < 1.0) if family == "bernoulli" else np.ones(RUNS, np.bool_)
    far = -0.6 if family.startswith("g") else -0.25
    for shift, is_null in ((0.0, True), (far, False)):
        bars = means + shift
        question = Question.of(family, thresholds=bars, structure=structure, **given)
        seen = Statistics(np.full(RUNS, SIZE / 2), part.sum(axis=1), ((part - bars[:, None]) ** 2).sum(axis=1))
        e = np.exp(np.minimum(e_values(question, seen, risk=ALPHA).above[inside], 50.0))
        # Under the null hypothesis P(e >= 20) <= 0.05: 150 of 2,000 have a probability below 1e-6.
        assert (e >= 20.0).mean() <= MOST if is_null else np.median(e) > 1.0


def test_a_side_is_certain_once_the_items_left_cannot_change_it() -> None:
    seen = Statistics(np.array([4.0, 4.0, 4.0, 0.0]), np.array([4.0, 0.0, 2.0, 0.0]), np.ones(4))
    question = question_of("bernoulli", 0.5, 7, 4)
    assert question.sampling.certain_sides(question, seen, question.thresholds).tolist() == [1, -1, 0, 0]
    limits = intervals(question, seen, alpha=ALPHA)
    assert limits.low[0] > 0.5
    assert limits.high[1] <= 0.5
    found = e_values(question, seen, risk=ALPHA)
    assert (found.above[0], found.below[1]) == (math.inf, math.inf)


def test_the_tail_of_a_beta_binomial_number_is_its_sum() -> None:
    from scipy.stats import betabinom

    for first in (0, 1, 7, 20, 21):
        exact = betabinom(20, 2.5, 1.5).sf(first - 1)
        assert math.exp(log_tail(20, 2.5, 1.5, first)) == pytest.approx(exact, abs=1e-12)
