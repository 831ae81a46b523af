import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference import (
    Doubt,
    Posterior,
    PosteriorCells,
    average,
    doubt,
    fit_population,
    posterior_of,
    posterior_under,
)
from thresher.inference import chance_of_error as module
from thresher.inference.bars import bar_of
from thresher.inference.chance_of_error import FEW_ARMS
from thresher.problem import Question, Statistics
from thresher.types import Floats


def coins(pulls: list[int], heads: list[int], bar: float = 0.5) -> tuple[Question, Statistics]:
    n, s = np.array(pulls, dtype=float), np.array(heads, dtype=float)
    return Question.of("bernoulli", thresholds=np.full(n.size, bar)), Statistics(
        n, s, s * (1 - bar) ** 2 + (n - s) * bar**2
    )


def test_a_worked_case() -> None:
    found = Doubt(above=np.array([0.1, 0.8, 0.3]), below=np.array([0.9, 0.2, 0.7]))
    # Above wrong with 0.1, below with 0.2, no verdict counts 1/2.
    np.testing.assert_allclose(found.of(np.array([1, -1, 0])), [0.1, 0.2, 0.5])
    # A sign that the population contradicts is too close to call.
    np.testing.assert_allclose(found.of(np.array([-1, 1, -1])), [0.5, 0.5, 0.5])
    # A false "above" four times as dear: it takes more than four to one.
    np.testing.assert_equal(found.cheaper_sides(4.0, 1.0), [1, -1, -1])


def by_fit_and_alone(question: Question, seen: Statistics) -> tuple[Floats, Floats]:
    """Return how likely each mean is at or below its bar, by the fitted population and by its own outcomes."""
    population = fit_population(question, seen)
    fitted, own = (posterior_under(question, seen, each) for each in (population, population.unfitted()))
    return fitted.below(0.0), own.below(0.0)


def test_the_own_posterior_has_a_weight_that_falls_with_the_number_of_informative_arms() -> None:
    question, seen = coins([10, 10], [10, 10], 0.8)
    fitted, own = by_fit_and_alone(question, seen)
    # Each arm is above with probability 1 - own by itself; by the fit it is, too, but counts one half of that.
    weight = (FEW_ARMS / (FEW_ARMS + 2.0 * (1.0 - 2.0 * own) ** 2)) ** 2
    assert (0.5 * (1.0 - 2.0 * fitted) ** 2 < (1.0 - 2.0 * own) ** 2).all()
    np.testing.assert_allclose(doubt(bar_of(question), seen).above, (1 - weight) * fitted + weight * own)
    np.testing.assert_allclose(doubt(bar_of(question), seen, is_stopping=True).above, own)


@given(
    arms=st.lists(st.tuples(st.integers(1, 60), st.floats(0.0, 1.0)), min_size=1, max_size=6), bar=st.floats(0.1, 0.9)
)
def test_the_chances_of_the_two_sides_add_up_to_one_and_the_own_outcomes_only_add_doubt(
    arms: list[tuple[int, float]], bar: float
) -> None:
    question, seen = coins([n for n, _ in arms], [round(n * share) for n, share in arms], bar)
    fitted, own = by_fit_and_alone(question, seen)
    for is_stopping in (False, True):
        found = doubt(bar_of(question), seen, is_stopping=is_stopping)
        np.testing.assert_allclose(found.above + found.below, 1.0)
        shown = np.where(own < 0.5, 1, -1)
        assert (found.of(shown) >= np.minimum(np.where(own < 0.5, fitted, 1.0 - fitted), 0.5) - 1e-9).all()


def test_two_arms_that_always_passed_are_not_a_population_of_arms_that_always_pass() -> None:
    # 10 of 10 at the bar 0.8: an arm by itself is below with 0.058, by the fit to both with 0.006.
    question, seen = coins([10, 10], [10, 10], 0.8)
    fitted, own = by_fit_and_alone(question, seen)
    assert (fitted < 0.01).all()
    assert (own > 0.05).all()
    assert (doubt(bar_of(question), seen).above > 0.02).all()
    # With 200 such arms it is one.
    question, seen = coins([10] * 200, [10] * 200, 0.8)
    assert (doubt(bar_of(question), seen).above < 0.005).all()


def test_many_tests_that_passed_ten_times_tell_of_each_other() -> None:
    # By itself a test that passed ten times may well be below 0.9. Fifty of them are not: the fit is trusted.
    question, seen = coins([10] * 50, [10] * 50, 0.9)
    assert (by_fit_and_alone(question, seen)[1] > 0.15).all()
    assert (doubt(bar_of(question), seen).above < 0.05).all()
    # With two outcomes each the fit says the same and is trusted less.
    question, seen = coins([2] * 50, [2] * 50, 0.9)
    assert (doubt(bar_of(question), seen).above > 0.03).all()


def test_one_failure_does_not_settle_a_single_arm() -> None:
    question, seen = coins([1], [0], 0.8)
    assert doubt(bar_of(question), seen, is_stopping=True).below[0] > 0.05


def test_four_arms_near_the_bar_are_wrong_as_often_as_is_said() -> None:
    # 250 campaigns of 4 arms with rates from N(0.1, 0.012²) and 5,000 outcomes each.
    rng = np.random.default_rng(5)
    claimed, wrong = [], []
    for _ in range(250):
        rates = rng.normal(0.1, 0.012, 4)
        heads = rng.binomial(5000, rates)
        question, seen = coins([5000] * 4, heads.tolist(), 0.1)
        sides = np.where(heads > 500, 1, -1)
        claimed.append(doubt(bar_of(question), seen).of(sides))
        wrong.append((sides > 0) != (rates > 0.1))
    p, is_wrong = np.concatenate(claimed), np.concatenate(wrong)
    sure = p <= 0.01
    # If 1 in 100 of some 300 were wrong, 12 or more would be with a probability below 1e-4; the fit alone had 5.2 %.
    assert sure.sum() > 250
    assert is_wrong[sure].sum() < 12
    # 90 are wrong in all, give or take 9, four of them.
    assert p.sum() == pytest.approx(is_wrong.sum(), rel=0.4)


def test_a_toy_arm_is_known_after_one_outcome_other_than_zero() -> None:
    seen = Statistics(np.array([4.0, 4.0, 4.0]), np.array([2.0, 0.0, -1.0]), np.array([4.0, 0.0, 1.0]))
    found = doubt(bar_of(Question.of("two-point", thresholds=np.zeros(3))), seen)
    np.testing.assert_equal(found.below, [1.0, 0.5, 0.0])
    np.testing.assert_equal(found.of(np.array([1, 0, -1])), [0.0, 0.5, 0.0])


@given(arms=st.lists(st.tuples(st.integers(0, 300), st.floats(0.0, 1.0)), min_size=1, max_size=6))
def test_a_chance_of_error_is_at_most_one_half_and_a_tolerance_lowers_it(arms: list[tuple[int, float]]) -> None:
    pulls = [n for n, _ in arms]
    question, seen = coins(pulls, [round(n * share) for n, share in arms])
    sides = np.sign(np.nan_to_num(seen.means - 0.5)).astype(np.int64)
    plain, tolerant = doubt(bar_of(question), seen).of(sides), doubt(bar_of(question), seen, tolerance=0.1).of(sides)
    assert ((plain >= 0.0) & (plain <= 0.5)).all()
    assert (tolerant <= plain + 1e-9).all()


def drawn_cells(seed: int, n_arms: int = 5, n_cells: int = 12) -> Posterior:
    """Return a posterior of random cells, some of them points."""
    rng = np.random.default_rng(seed)
    widths = rng.exponential(size=(n_arms, n_cells)) * (rng.random((n_arms, n_cells)) < 0.8)
    edges = np.concatenate([np.zeros((n_arms, 1)), np.cumsum(widths, axis=1)], axis=1) - rng.uniform(0, 8, (n_arms, 1))
    masses = rng.dirichlet(np.ones(n_cells), n_arms)
    return Posterior(n_arms, lambda arms: [PosteriorCells(edges[arms], masses[arms])])


def test_a_worked_case_of_cells() -> None:
    # Three cells: -2 to 0 with 0.2, 0 to 1 with 0.5, and the point 1 with 0.3.
    posterior = Posterior(1, lambda _: [PosteriorCells(np.array([[-2.0, 0.0, 1.0, 1.0]]), np.array([[0.2, 0.5, 0.3]]))])
    assert [float(posterior.below(x)[0]) for x in (-2.0, -1.0, 0.0, 0.5, 1.0)] == pytest.approx([0, 0.1, 0.2, 0.45, 1])
    assert [float(posterior.above(x)[0]) for x in (-1.0, 0.0, 1.0)] == pytest.approx([0.9, 0.8, 0.0])
    assert [float(posterior.quantile(p)[0]) for p in (0.1, 0.45, 0.7, 0.9)] == pytest.approx([-1.0, 0.5, 1.0, 1.0])
    # The first cell becomes -1 to 0, the second 0 to 1/2, the point 1 moves to 1/2.
    cut = posterior.cut(np.array([-1.0]), np.array([0.5]))
    assert [float(cut.quantile(p)[0]) for p in (0.05, 0.45, 0.9)] == pytest.approx([-0.75, 0.25, 0.5])
    above = posterior.cut(np.array([0.1]), np.array([9.0]))
    assert float(above.below(0.0)[0]) == 0.0
    assert float(above.below(0.1)[0]) == pytest.approx(0.2)


@given(seeds=st.lists(st.integers(0, 10**6), min_size=1, max_size=4), level=st.floats(0.001, 0.999))
def test_quantiles_of_a_mixture_are_where_its_mass_reaches_the_level(seeds: list[int], level: float) -> None:
    weights = np.random.default_rng(seeds[0]).dirichlet(np.ones(len(seeds)))
    mixed = average([drawn_cells(seed) for seed in seeds], weights.tolist())
    places = mixed.quantile(level)
    assert (mixed.below(places + 1e-9) >= level - 1e-9).all()
    assert (mixed.below(places - 1e-9) <= level + 1e-9).all()
    np.testing.assert_allclose(mixed.below(places) + mixed.above(places), 1.0, atol=1e-12)
    parts = [weight * drawn_cells(seed).below(0.3) for seed, weight in zip(seeds, weights, strict=True)]
    np.testing.assert_allclose(mixed.below(0.3), sum(parts), atol=1e-12)


def test_compiled_quantiles_are_those_of_the_python_code(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = average([drawn_cells(1), drawn_cells(2), drawn_cells(3)], [0.2, 0.3, 0.5])
    compiled = mixed.quantile(0.05)
    for name in ("_mass_below", "_quantiles"):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    np.testing.assert_array_equal(mixed.quantile(0.05), compiled)


def test_more_arms_than_are_held_at_a_time_have_the_same_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    heads = rng.binomial(20, rng.beta(8, 2, 11)).astype(float)
    question = Question.of("bernoulli", thresholds=np.full(11, 0.8))
    seen = Statistics(np.full(11, 20.0), heads, heads * 0.04 + (20 - heads) * 0.64)
    whole = posterior_of(bar_of(question), seen)
    expected = whole.below(0.0), whole.quantile(0.05)
    monkeypatch.setattr(module, "CHUNK", 4)
    part = posterior_of(bar_of(question), seen)
    np.testing.assert_allclose((part.below(0.0), part.quantile(0.05)), expected, atol=1e-12)
