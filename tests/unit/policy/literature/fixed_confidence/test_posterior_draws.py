"""Draws from posteriors against their distributions, and the arms that Murphy sampling chooses by them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.jit import kernel
from thresher.policy.literature.fixed_confidence.murphy import beta_above, murphy_choose, normal_above
from thresher.policy.literature.fixed_confidence.posterior_draws import (
    TAIL,
    MeanPosterior,
    draw,
    draw_above,
    draw_tail,
)
from thresher.policy.rule import RuleSetup, State, Turn, new_state, nothing_known
from thresher.streams import arm_key
from thresher.types import Floats, Ints, Words

DRAWS = 20_000
FALSE_ALARM = 1e-6  # of each test that looks at random numbers; the seeds are fixed


def words(count: int) -> Words:
    return np.array([arm_key(np.uint64(11), k) for k in range(count)], dtype=np.uint64)


def posterior(is_beta: bool, pulls: int, gap: float) -> MeanPosterior:
    """Return the statistics of an arm with bar and σ ½ after this many pulls; the sum of 0/1 outcomes is rounded."""
    if not is_beta:
        return MeanPosterior(False, float(pulls), gap, 0.5, 0.5, normal_above(gap, float(pulls), 0.5))
    ones = float(round(pulls * (gap + 0.5)))
    return MeanPosterior(True, float(pulls), ones / pulls - 0.5, 0.5, 0.5, beta_above(ones, float(pulls), 0.5))


def distribution(known: MeanPosterior) -> stats.rv_continuous:
    """Return the posterior of the mean, counted from the bar."""
    if known.is_beta:
        ones = round(known.pulls * (known.gap + known.bar))
        return stats.beta(1.0 + ones, 1.0 + known.pulls - ones, loc=-known.bar)
    return stats.norm(known.gap, known.sigma / np.sqrt(known.pulls))


CASES = [(is_beta, pulls, gap) for is_beta in (False, True) for pulls, gap in ((4, 0.25), (10, -0.1), (60, -0.2))]


@pytest.mark.parametrize(("is_beta", "pulls", "gap"), CASES)
def test_draws_have_the_posterior(is_beta: bool, pulls: int, gap: float) -> None:
    known = posterior(is_beta, pulls, gap)
    drawn = [draw(known, word) for word in words(5000)]
    assert stats.kstest(drawn, distribution(known).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("is_beta", "pulls", "gap"), CASES)
def test_draws_above_the_bar_have_the_posterior_above_it(is_beta: bool, pulls: int, gap: float) -> None:
    known = posterior(is_beta, pulls, gap)
    below = distribution(known).cdf(0.0)
    assert known.above == pytest.approx(1.0 - below, rel=1e-8)
    drawn = np.array([draw_above(known, word) for word in words(5000)])
    assert (drawn > 0.0).all()
    # The tail of the last case has less than a hundredth of the posterior.
    found = stats.kstest(distribution(known).sf(drawn) / known.above, stats.uniform.cdf)
    assert found.pvalue > FALSE_ALARM


@pytest.mark.parametrize("is_beta", [False, True])
def test_a_tail_is_drawn_without_waiting_for_a_rare_draw(is_beta: bool) -> None:
    # Both are so far below the bar that one draw in more than a million is above it.
    known = posterior(is_beta, 400, -0.2)
    assert known.above < 1e-6
    tried = np.array([draw_tail(known, word) for word in words(5000)])
    assert (tried > 0.0).mean() > 0.4  # "about every other time or more often"
    assert all(draw_above(known, word) > 0.0 for word in words(100))
    found = stats.kstest(distribution(known).sf(tried[tried > 0.0]) / known.above, stats.uniform.cdf)
    assert found.pvalue > FALSE_ALARM


@given(pulls=st.integers(1, 300), gap=st.floats(-0.5, 0.5), is_beta=st.booleans(), place=st.integers(0, 2**62))
def test_a_draw_above_the_bar_is_above_it_and_within_the_range(
    pulls: int, gap: float, is_beta: bool, place: int
) -> None:
    known = posterior(is_beta, pulls, gap)
    if known.above > 1e-290:
        value = draw_above(known, np.uint64(arm_key(np.uint64(7), place)))
        assert value > 0.0
        assert value <= 0.5 or not is_beta


def test_a_tail_is_at_most_a_quarter() -> None:
    # From there on every fourth draw of the whole posterior is above: it is not worth more than plain rejection.
    assert TAIL == 0.25
    assert posterior(False, 1, -0.337).above == pytest.approx(TAIL, abs=1e-3)


# The arms that Murphy sampling chooses by them


def seen(is_beta: bool, counts: list[int], totals: list[float], above: Floats) -> tuple[RuleSetup, State]:
    """Return what Murphy sampling is told and has seen: its keys are the chances that the arms are above the bar."""
    halves, state = np.full(len(counts), 0.5), new_state(len(counts), 4, len(counts))
    state.counts[:], state.totals[:], state.keys[:] = counts, totals, above
    return nothing_known()._replace(is_binary=is_beta, thresholds=halves, sigma=halves, alpha=0.05), state


@kernel
def chosen(known: RuleSetup, state: State, words: Words) -> Ints:
    """Return the arm that is chosen in each of many runs."""
    arms, pulls = np.empty(words.size, np.int64), int(state.counts.sum())
    for i in range(words.size):
        arms[i] = murphy_choose(known, state, Turn(pulls, pulls, 0, False, words[i], 0))
    return arms


@pytest.mark.parametrize("is_beta", [False, True])
@pytest.mark.parametrize(
    ("counts", "totals"),
    [
        ([9, 5, 10], [-2.5, -1.5, -3.0]),
        ([9, 5, 10], [0.5, 0.5, -3.0]),
        ([41, 60, 50], [-5.5, -6.0, -5.0]),  # all of them tails
    ],
)
def test_arms_are_drawn_as_by_rejection(is_beta: bool, counts: list[int], totals: list[float]) -> None:
    rng, n, ones = np.random.default_rng(3), np.array(counts), np.array(totals) + 0.5 * np.array(counts)
    if is_beta:
        chances = [beta_above(s, float(k), 0.5) for s, k in zip(ones, counts, strict=True)]
        means = rng.beta(1.0 + ones, 1.0 + n - ones, (40 * DRAWS, 3)) - 0.5
    else:
        chances = [normal_above(s / k, float(k), 0.5) for s, k in zip(totals, counts, strict=True)]
        means = rng.normal(np.array(totals) / n, 0.5 / np.sqrt(n), (40 * DRAWS, 3))
    above = means[means.max(axis=1) > 0.0]
    shares = np.bincount(above.argmax(axis=1), minlength=3) / len(above)
    known, state = seen(is_beta, counts, totals, np.array(chances))
    drawn = np.bincount(chosen(known, state, words(DRAWS)), minlength=3)
    expected = shares * DRAWS
    # The test of goodness of fit with two degrees of freedom; the noise of the rejection sampling, from at least half
    # as many draws, is allowed for by a factor of 3. False alarm below 1e-6 for each case.
    assert len(above) > DRAWS // 2
    assert ((drawn - expected) ** 2 / expected).sum() < 3.0 * stats.chi2.ppf(1.0 - FALSE_ALARM, 2)


def test_where_all_chances_underflow_the_least_clear_arm_is_pulled() -> None:
    known, state = seen(False, [10_000] * 3, [-5e3, -4e3, -5e3], np.zeros(3))
    turn = Turn(30_000, 30_000, 0, False, np.uint64(5), 0)
    assert murphy_choose(known, state, turn) == 1
    state.totals[:] = [-5e3, -4e3, -3e3]
    state.counts[:] = [10_000, 10_000, 1_000]  # a third of the pulls would do: reach is gap · √n / σ
    assert murphy_choose(known, state, turn) == int(np.argmax(state.totals / np.sqrt(state.counts)))
