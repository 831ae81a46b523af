import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference import Posterior, PosteriorCells, average, posterior_of
from thresher.inference import posterior as module
from thresher.problem import Question, Statistics


def drawn(seed: int, n_arms: int = 5, n_cells: int = 12) -> Posterior:
    """Return a posterior of random cells, some of them points."""
    rng = np.random.default_rng(seed)
    widths = rng.exponential(size=(n_arms, n_cells)) * (rng.random((n_arms, n_cells)) < 0.8)
    edges = np.concatenate([np.zeros((n_arms, 1)), np.cumsum(widths, axis=1)], axis=1) - rng.uniform(0, 8, (n_arms, 1))
    masses = rng.dirichlet(np.ones(n_cells), n_arms)
    return Posterior(n_arms, lambda arms: [PosteriorCells(edges[arms], masses[arms])])


def test_a_worked_case() -> None:
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
    mixed = average([drawn(seed) for seed in seeds], weights.tolist())
    places = mixed.quantile(level)
    assert (mixed.below(places + 1e-9) >= level - 1e-9).all()
    assert (mixed.below(places - 1e-9) <= level + 1e-9).all()
    np.testing.assert_allclose(mixed.below(places) + mixed.above(places), 1.0, atol=1e-12)
    parts = [weight * drawn(seed).below(0.3) for seed, weight in zip(seeds, weights, strict=True)]
    np.testing.assert_allclose(mixed.below(0.3), sum(parts), atol=1e-12)


def test_compiled_quantiles_are_those_of_the_python_code(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = average([drawn(1), drawn(2), drawn(3)], [0.2, 0.3, 0.5])
    compiled = mixed.quantile(0.05)
    for name in ("_mass_below", "_quantiles"):
        monkeypatch.setattr(module, name, getattr(module, name).py_func)
    np.testing.assert_array_equal(mixed.quantile(0.05), compiled)


def test_more_arms_than_are_held_at_a_time_have_the_same_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    heads = rng.binomial(20, rng.beta(8, 2, 11)).astype(float)
    question = Question.of("bernoulli", thresholds=np.full(11, 0.8))
    seen = Statistics(np.full(11, 20.0), heads, heads * 0.04 + (20 - heads) * 0.64)
    whole = posterior_of(question, seen)
    expected = whole.below(0.0), whole.quantile(0.05)
    monkeypatch.setattr(module, "CHUNK", 4)
    part = posterior_of(question, seen)
    np.testing.assert_allclose((part.below(0.0), part.quantile(0.05)), expected, atol=1e-12)
