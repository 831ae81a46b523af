import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import cauchy, t

from thresher.martingales.student import (
    FEWEST,
    PRECISIONS,
    SCALES,
    SHARES,
    WEIGHTS,
    log_mixture,
    log_side,
    radius_per_deviation,
)
from thresher.types import Floats


def likelihood_ratio(outcomes: Floats, effect: float) -> float:
    """Return L(δ)/L(0) of the outcomes up to their unit: with σ integrated by 1/σ, at the effect δ and at 0."""
    n, total, squares = outcomes.size, outcomes.sum(), float((outcomes**2).sum())

    def density(v: float, effect: float) -> float:  # v = sqrt(squares) / σ
        return float(
            v ** (n - 1) * math.exp(-0.5 * v * v + v * effect * total / math.sqrt(squares) - 0.5 * n * effect**2)
        )

    return float(quad(density, 0, 60, args=(effect,))[0] / quad(density, 0, 60, args=(0.0,))[0])


def prior(effect: float) -> float:
    """Return the density of effects: a mixture of Cauchy distributions."""
    return float(sum(share * cauchy.pdf(effect, scale=scale) for scale, share in zip(SCALES, SHARES, strict=True)))


def integral(outcomes: Floats, low: float) -> float:
    """Return the integral of prior times likelihood ratio over effects from a low one to 8, in parts about 0."""
    ends = [end for end in (-8.0, -0.1, -0.01, 0.0, 0.01, 0.1, 8.0) if end >= low]
    density = lambda effect: prior(effect) * likelihood_ratio(outcomes, effect)  # noqa: E731
    return float(sum(quad(density, *two, limit=200)[0] for two in itertools.pairwise(ends)))


def test_the_mixture_is_the_integral_over_a_cauchy_distribution_of_effects() -> None:
    outcomes = np.random.default_rng(1).normal(0.8, 1.0, 6)
    exact = integral(outcomes, -8.0)
    far = outcomes.mean() ** 2 / outcomes.var()
    # The values of ρ are a grid, and effects beyond 8 are left out of the integral.
    assert math.exp(log_mixture(np.array([6.0]), np.array([far]))[0]) == pytest.approx(exact, rel=0.03)


def test_a_side_is_the_integral_over_effects_of_that_sign() -> None:
    outcomes = np.random.default_rng(2).normal(0.5, 1.0, 5)
    exact = 2.0 * integral(outcomes, 0.0)
    effect = outcomes.mean() / outcomes.std()
    assert math.exp(log_side(np.array([5.0]), np.array([effect]))[0]) == pytest.approx(exact, rel=0.03)
    assert log_side(np.array([5.0]), np.array([-effect]))[0] == -math.inf


def test_the_two_sides_add_up_to_twice_the_mixture() -> None:
    counts, effects = np.array([3.0, 10.0, 500.0]), np.array([2.0, 0.4, 0.01])
    other = 2.0 * np.exp(log_mixture(counts, effects**2)) - np.exp(log_side(counts, effects))
    assert (other > 0.0).all()
    assert (other < 1.0).all()  # the side that the outcomes speak against


def test_weights_are_a_distribution_of_squared_normals() -> None:
    assert WEIGHTS.sum() == pytest.approx(1.0)
    assert sum(SHARES) == pytest.approx(1.0)
    # Below the median of Z²/s², 0.455/s², lies half of the first distribution, and little of those of small effects.
    below = float(WEIGHTS[PRECISIONS * SCALES[0] ** 2 <= 0.455].sum())
    assert 0.4 * SHARES[0] <= below <= 0.5 * SHARES[0] + 0.1


@pytest.mark.parametrize("alpha", [0.05, 1e-3, 1e-9])
def test_at_the_radius_the_mixture_reaches_one_over_alpha(alpha: float) -> None:
    counts = np.array([4.0, 10.0, 1e5])
    radius = radius_per_deviation(counts, alpha)
    np.testing.assert_allclose(log_mixture(counts, radius**2), math.log(1 / alpha), rtol=1e-6)


def test_intervals_exist_from_three_outcomes_on_and_are_finite_early() -> None:
    radius = radius_per_deviation(np.array([0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 50.0]), 0.05)
    assert np.isnan(radius[:FEWEST]).all()
    np.testing.assert_allclose(radius[FEWEST:], [28.6, 3.85, 1.481, 0.495], rtol=0.01)
    # Wider than the interval for a single look, by less than a factor of 2 from ten outcomes on.
    single = t.ppf(0.975, 9) / math.sqrt(9)
    assert single < radius[5] < 2.0 * single


def test_equal_outcomes_have_infinite_effects_and_a_finite_e() -> None:
    with np.errstate(all="raise"):
        found = log_side(np.array([3.0, 3.0]), np.array([math.inf, -math.inf]))
    assert 10.0 < found[0] < math.inf
    assert found[1] == -math.inf
