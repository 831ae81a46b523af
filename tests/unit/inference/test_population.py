import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from thresher.inference import population as module
from thresher.inference.chance_of_error import doubt_by, expected_means, posterior_under
from thresher.inference.population import ENOUGH, FittedPopulation, fit_population
from thresher.problem import Question
from thresher.problem.statistics import Statistics
from thresher.types import Floats

FAMILIES = ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"]


def gaussian(n_arms: int) -> Question:
    """Return the question about Gaussian arms with σ = 1 at the bar 0."""
    return Question.of("gaussian", thresholds=np.zeros(n_arms))


def gaussian_seen(means: Floats, counts: Floats, rng: np.random.Generator) -> Statistics:
    """Return what is seen of Gaussian arms with σ = 1 at the bar 0."""
    totals = counts * means + np.sqrt(counts) * rng.normal(size=means.size)
    return Statistics(counts, totals, totals**2 / counts + np.maximum(counts - 1.0, 0.0))


def p_above(question: Question, seen: Statistics) -> Floats:
    """Return how likely each mean is above its bar under the population fitted to these arms."""
    return posterior_under(question, seen, fit_population(question, seen)).above(0.0)


def log_likelihood(question: Question, seen: Statistics, population: FittedPopulation) -> float:
    """Return the log likelihood per arm."""
    return float(np.log(question.kind.likelihood(question, seen).at(population.centres) @ population.weights).mean())


def test_the_tilt_of_a_gaussian_population_is_twice_its_mean_over_its_variance() -> None:
    rng = np.random.default_rng(2)
    means = rng.normal(0.4, 0.5, 3000)
    found = fit_population(gaussian(means.size), gaussian_seen(means, np.full(3000, 10.0), rng))
    # 2 · 0.4 / 0.25 = 3.2; the standard error of the tilt of 3,000 arms is about 0.15, a miss by six of them 2e-9.
    assert found.tilt == pytest.approx(3.2, abs=0.9)


def test_a_gaussian_population_gives_the_answers_of_its_own_prior() -> None:
    rng = np.random.default_rng(3)
    means = rng.normal(0.3, 0.5, 2000)
    seen = gaussian_seen(means, np.full(2000, 4.0), rng)
    likely = p_above(gaussian(means.size), seen)
    # N(0.3, 1/4) is worth four samples at 0.3.
    exact = ndtr((seen.totals + 4.0 * 0.3) / np.sqrt(8.0))
    # The mean error was 0.015 in each of 20 other seeds, never above 0.03.
    assert np.abs(likely - exact).mean() < 0.045


@pytest.mark.parametrize(("budget", "seed"), [(3.0, 4), (20.0, 5)])
def test_as_many_arms_are_wrong_as_is_said(budget: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    means = rng.normal(0.0, 0.5, 4000)
    seen = gaussian_seen(means, np.full(4000, budget), rng)
    likely = p_above(gaussian(means.size), seen)
    wrong = (seen.totals > 0.0) != (means > 0.0)
    said = np.where(seen.totals > 0.0, 1.0 - likely, likely).sum()
    # 400 to 1,200 are wrong, give or take 30, and what is said varies by 5 %: four standard deviations of both.
    assert said == pytest.approx(wrong.sum(), rel=0.3)


def test_means_of_plus_and_minus_one_size_make_verdicts_far_surer_than_a_flat_prior_says() -> None:
    rng = np.random.default_rng(6)
    means = np.tile([-0.3, 0.3], 100)
    seen = gaussian_seen(means, np.full(200, 40.0), rng)
    likely = p_above(gaussian(means.size), seen)
    flat = ndtr(-np.abs(seen.totals) / np.sqrt(40.0)).sum()
    said = np.minimum(likely, 1.0 - likely).sum()
    exact = (1.0 / (1.0 + np.exp(2.0 * 0.3 * np.abs(seen.totals)))).sum()
    assert flat > 1.5 * exact
    assert said == pytest.approx(exact, rel=0.5)


def test_a_single_arm_may_be_near_the_bar_or_far_from_it() -> None:
    # Twice its standard error off: a flat prior says 0.023, one with more mass near the bar says more.
    seen = Statistics(np.array([25.0]), np.array([10.0]), np.array([30.0]))
    grid = np.linspace(-1.2, 1.2, 200_001)
    posterior = np.exp(-12.5 * (grid - 0.4) ** 2) / (np.abs(grid) + 0.2 * module.NEAR)  # a standard error is 0.2
    exact = float(posterior[grid > 0.0].sum() / posterior.sum())
    assert ndtr(2.0) - exact > 0.02
    assert p_above(gaussian(1), seen)[0] == pytest.approx(exact, abs=0.025)  # cells are half a standard error wide
    even = fit_population(gaussian(1), seen).unfitted()
    alone = posterior_under(gaussian(1), seen, even).above(0.0)
    np.testing.assert_allclose(alone, p_above(gaussian(1), seen), atol=1e-3)
    # On these cells it is exact: the mass of the prior in each, and the likelihood at its middle.
    masses = [math.log((high + 0.2 * module.NEAR) / (low + 0.2 * module.NEAR)) for low, high in pairwise(even.edges)]
    middles = 0.5 * (even.edges[1:] + even.edges[:-1])
    above, below = (float(np.dot(masses, np.exp(-12.5 * (sign * middles - 0.4) ** 2))) for sign in (1.0, -1.0))
    assert alone[0] == pytest.approx(above / (above + below), rel=1e-9)


def test_the_tolerance_takes_the_means_next_to_the_bar_from_both_sides() -> None:
    # 3,000 arms from N(0, 1/4), n = 4: the posterior is N(x/2, 1/8); what is beyond 0.2 on either side.
    rng = np.random.default_rng(15)
    means = rng.normal(0.0, 0.5, 3000)
    question, seen = gaussian(means.size), gaussian_seen(means, np.full(3000, 4.0), rng)
    posterior = posterior_under(question, seen, fit_population(question, seen))
    below, above = posterior.below(-0.2), posterior.above(0.2)
    middle = seen.means / 2.0
    # The mean error was 0.015 to 0.02 in ten other seeds.
    assert np.abs(above - ndtr((middle - 0.2) * np.sqrt(8.0))).mean() < 0.05
    assert np.abs(below - ndtr((-0.2 - middle) * np.sqrt(8.0))).mean() < 0.05


@pytest.mark.parametrize("family", FAMILIES)
def test_a_larger_tolerance_never_makes_an_arm_more_doubtful(family: str) -> None:
    rng = np.random.default_rng(16)
    counts = rng.integers(3, 60, 40).astype(float)
    shares = np.round(counts * rng.uniform(0.1, 0.9, 40)) / counts
    question = Question.of(family, thresholds=np.full(40, 0.5))
    seen = Statistics(counts, counts * shares, counts * ((shares - 0.5) ** 2 + 0.02))
    posterior = posterior_under(question, seen, fit_population(question, seen))
    found = [doubt_by(posterior, tolerance) for tolerance in (0.0, 1e-9, 0.1, 0.2)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    for less, more in pairwise(found):
        assert (more.below <= less.below + 1e-9).all()
        assert (more.above <= less.above + 1e-9).all()


def test_an_arm_does_not_vouch_for_itself() -> None:
    # Ninety-nine arms far off and one near the bar, of which only its own outcomes speak.
    counts = np.append(np.full(99, 50.0), 100.0)
    effects = np.append(np.where(np.arange(99) % 2, 3.0, -3.0), 0.1)
    seen = Statistics(counts, counts * effects, counts * (effects**2 + 1.0))
    question = gaussian(effects.size)
    alone = posterior_under(question, seen, fit_population(question, seen).unfitted()).above(0.0)
    assert p_above(question, seen)[-1] == pytest.approx(alone[-1], abs=0.05)
    assert 0.6 < alone[-1] < ndtr(1.0)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_fit_is_as_likely_as_it_says_and_no_other_is_much_likelier(family: str) -> None:
    rng = np.random.default_rng(7)
    means = rng.uniform(0.2, 0.9, 300)
    question = Question.of(family, thresholds=np.full(means.size, 0.5))
    noise = means + 0.1 * rng.normal(size=(40, 300))
    drawn = rng.binomial(1, means, (40, 300)).astype(np.float64) if family == "bernoulli" else noise
    outcomes = np.clip(drawn, 0.0, 1.0)
    seen = Statistics(np.full(300, 40.0), outcomes.sum(axis=0), ((outcomes - 0.5) ** 2).sum(axis=0))
    found = fit_population(question, seen)
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.shortfall < 0.02
    here = log_likelihood(question, seen, found)
    masses = found.weights + found.weights[::-1]
    above = np.divide(found.weights, masses, out=np.full(masses.size, 0.5), where=masses > 0.0)
    for _ in range(50):
        other = rng.dirichlet(np.full(masses.size // 2, 0.2))
        weights = np.concatenate([other[::-1], other]) * above
        other_fit = FittedPopulation(found.edges, weights, found.lean, found.tilt, 300, 0, 0.0)
        assert log_likelihood(question, seen, other_fit) <= here + found.shortfall + 1e-9


def test_more_steps_bring_the_fit_arbitrarily_close(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    means = rng.normal(0.0, 1.0, 100)
    question, seen = gaussian(means.size), gaussian_seen(means, np.full(100, 9.0), rng)
    short = fit_population(question, seen)
    monkeypatch.setattr(module, "ITERATIONS", 20_000)
    long = fit_population(question, seen)
    assert long.shortfall < ENOUGH
    assert log_likelihood(question, seen, short) <= log_likelihood(question, seen, long) + 1e-6
    assert log_likelihood(question, seen, long) - log_likelihood(question, seen, short) < short.shortfall + 5e-3


def test_lean_and_tilt_balance_the_sides_of_the_arms_against_their_priors() -> None:
    # Ten arms whose far ones are all below: without its prior the tilt would have no maximum.
    counts, effects = np.full(10, 50.0), np.array([-0.5, -0.45, -0.4, -0.5, -0.42, 0.05, -0.05, 0.1, 0.02, -0.1])
    question, seen = gaussian(10), Statistics(counts, counts * effects, counts * (effects**2 + 1.0))
    found = fit_population(question, seen)
    radii, half = 0.5 * (found.edges[1:] + found.edges[:-1]), found.edges.size - 1
    low, high = 10.0 * found.weights[:half][::-1], 10.0 * found.weights[half:]
    own = np.exp(-25.0 * (found.centres - effects[:, None]) ** 2) * found.weights
    own /= own.sum(axis=1, keepdims=True)
    ups, downs = own[:, half:].sum(axis=0), own[:, :half][:, ::-1].sum(axis=0)
    unit, more = math.sqrt(((low + high) * radii**2).sum() / 10.0), 1.0 + module.ON_BOTH_SIDES / 10.0
    above = 1.0 / (1.0 + np.exp(-found.lean - found.tilt * radii))
    # Arms above, with the mass on both sides, less those expected: it is what each prior pulls back.
    misses = 0.5 * (ups - downs + more * (ups + downs)) - more * (ups + downs) * above
    assert misses.sum() == pytest.approx(found.lean / module.LEANING**2, abs=0.02)
    assert (misses * radii / unit).sum() == pytest.approx(found.tilt * unit / module.TILTING**2, abs=0.02)
    assert -2.0 < found.tilt * unit < -0.5


def test_the_order_of_the_arms_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    means, counts = rng.normal(size=40), rng.integers(1, 60, 40).astype(float)
    seen = gaussian_seen(means, counts, rng)
    order = rng.permutation(40)
    np.testing.assert_allclose(
        p_above(gaussian(order.size), seen.part(order)),
        p_above(gaussian(means.size), seen)[order],
        atol=1e-9,
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_mirrored_outcomes_have_mirrored_answers(family: str) -> None:
    rng = np.random.default_rng(10)
    counts = rng.integers(3, 60, 40).astype(float)
    shares = np.round(counts * rng.uniform(0.1, 0.9, 40)) / counts
    squares = counts * ((shares - 0.5) ** 2 + 0.02)
    question = Question.of(family, thresholds=np.full(40, 0.5))
    one = p_above(question, Statistics(counts, counts * shares, squares))
    other = p_above(question, Statistics(counts, counts * (1.0 - shares), squares))
    np.testing.assert_allclose(one, 1.0 - other, atol=1e-6)


@given(
    arms=st.lists(st.tuples(st.integers(0, 3000), st.floats(0.0, 1.0)), min_size=1, max_size=12),
    bars=st.floats(0.01, 0.99),
    family=st.sampled_from(FAMILIES),
)
def test_whatever_was_seen_the_answers_are_probabilities(
    arms: list[tuple[int, float]], bars: float, family: str
) -> None:
    counts = np.array([float(count) for count, _ in arms])
    totals = np.array([float(round(count * share)) for count, share in arms])
    question = Question.of(family, thresholds=np.full(counts.size, bars))
    likely = p_above(question, Statistics(counts, totals, totals * (1.0 - bars) ** 2 + (counts - totals) * bars**2))
    assert ((likely >= 0.0) & (likely <= 1.0)).all()


def test_arms_may_have_thresholds_of_their_own() -> None:
    rng = np.random.default_rng(11)
    thresholds = np.tile([0.02, 0.5, 0.9], 40)
    means = np.clip(thresholds + rng.normal(0.0, 0.05, 120), 0.001, 0.999)
    totals = rng.binomial(200, means).astype(float)
    question = Question.of("bernoulli", thresholds=thresholds)
    likely = p_above(question, Statistics(np.full(120, 200.0), totals, np.zeros(120)))
    wrong = (totals / 200.0 > thresholds) != (means > thresholds)
    said = np.where(totals / 200.0 > thresholds, 1.0 - likely, likely)
    # About 15 are wrong, give or take 4.
    assert said.sum() == pytest.approx(wrong.sum(), abs=12.0)
    assert said[wrong].mean() > 2.0 * said[~wrong].mean()


def test_without_any_outcome_every_arm_is_an_even_bet() -> None:
    for family in FAMILIES:
        question = Question.of(family, thresholds=np.full(3, 0.5))
        np.testing.assert_allclose(p_above(question, Statistics(np.zeros(3), np.zeros(3), np.zeros(3))), 0.5, atol=1e-9)


def test_an_arm_without_outcomes_is_judged_by_the_others() -> None:
    rng = np.random.default_rng(12)
    counts = np.append(np.full(200, 100.0), 0.0)
    means = np.append(rng.normal(1.0, 0.3, 200), 0.0)
    totals = np.where(counts > 0.0, counts * means, 0.0)
    assert p_above(gaussian(means.size), Statistics(counts, totals, np.where(counts > 0.0, 400.0, 0.0)))[-1] > 0.9


def test_a_sample_of_very_many_arms_serves_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(13)
    means = rng.normal(0.2, 0.5, 3000)
    question, seen = gaussian(means.size), gaussian_seen(means, np.full(3000, 5.0), rng)
    whole = p_above(question, seen)
    monkeypatch.setattr(module, "MOST_ARMS", 1000)
    assert np.abs(p_above(question, seen) - whole).mean() < 0.03
    assert fit_population(question, seen).n_arms == 3000


def test_cells_are_finer_than_the_errors_of_the_arms_there() -> None:
    counts = np.append(np.full(50, 4.0), 10_000.0)
    effects = np.append(np.linspace(-2.0, 2.0, 50), 0.05)
    found = fit_population(gaussian(effects.size), Statistics(counts, counts * effects, counts * 5.0))
    here = np.searchsorted(found.edges, 0.05)
    assert found.edges[0] == 0.0
    assert (np.diff(found.edges)[here - 2 : here + 2] < 0.01).all()
    assert found.weights.size <= 2 * module.MOST_CELLS
    np.testing.assert_allclose(found.alone(np.array([0.0, 4.0])).sum(axis=1), 1.0)


def test_expected_means_are_those_of_the_prior_of_a_gaussian_population() -> None:
    rng = np.random.default_rng(14)
    means = rng.normal(0.3, 0.5, 2000)
    question, seen = gaussian(means.size), gaussian_seen(means, np.full(2000, 4.0), rng)
    found, variances = expected_means(question, seen, fit_population(question, seen))
    # N(0.3, 1/4) is worth four samples at 0.3; the mean errors were 0.03 and 0.04 in other seeds.
    assert np.abs(found - (seen.totals + 4.0 * 0.3) / 8.0).mean() < 0.08
    assert variances.mean() == pytest.approx(0.125, abs=0.04)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_arm_with_many_outcomes_is_expected_where_it_is(family: str) -> None:
    question = Question.of(family, thresholds=[0.3, 0.3, 0.6])
    counts, means = np.full(3, 1e4), np.array([0.2, 0.5, 0.9])
    spread = means * (1.0 - means) if family == "bernoulli" else 0.05
    seen = Statistics(counts, counts * means, counts * ((means - question.thresholds) ** 2 + spread))
    found, variances = expected_means(question, seen, fit_population(question, seen))
    np.testing.assert_allclose(found, means, atol=0.02)
    assert (np.sqrt(variances) < 0.03).all()
