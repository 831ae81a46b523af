"""The fitted population: weights by hand, the fit by another way, and what follows from what the others show."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.literature.fixed_budget.fitted import (
    CELLS,
    FIRST_FIT,
    FIRST_STEPS,
    GRID,
    Fit,
    Trust,
    log_price_ratio,
    weigh_by_population,
)
from thresher.types import Floats


def price(n: float, y: float, masses: Floats) -> float:
    """Return the price under a population, without any care for overflow."""
    right, wrong = np.exp(-0.5 * n * (GRID - y) ** 2), np.exp(-0.5 * n * (GRID + y) ** 2)
    mean = (masses * right * GRID).sum() / (masses * right).sum()
    return float((masses * wrong * (mean + GRID) ** 2).sum() / (masses * (right + wrong)).sum())


def new_fit(n_arms: int) -> Fit:
    """Return room for a fit."""
    size = GRID.size
    return Fit(np.empty(size), np.empty(size), np.empty((n_arms, size)), np.full(1, FIRST_FIT * n_arms))


def fitted(sizes: Floats, gaps: Floats, arms: float) -> tuple[Floats, Floats, Floats]:
    """Return masses, flat prior and weights after the first fit, by weigh_by_population."""
    fit, logs = new_fit(sizes.size), np.zeros(sizes.size)
    counts, evidences = sizes.astype(np.int64), sizes * gaps**2 / 2.0
    weigh_by_population(sizes, evidences, counts, -1, Trust(arms, 1.0), fit, logs)
    return fit.masses, fit.flat, logs


def test_under_the_flat_prior_itself_nothing_changes() -> None:
    flat = CELLS / CELLS.sum()
    assert log_price_ratio(7.0, 0.4, flat, flat) == 0.0


def test_a_weight_by_hand() -> None:
    # Two gaps alone: the fit says far, the other prior says near, in equal parts each of their own.
    masses, flat = np.zeros(GRID.size), np.zeros(GRID.size)
    masses[40], flat[30] = 1.0, 1.0
    n, y = 3.0, 0.8
    expected = [
        math.log(math.exp(-0.5 * n * (m + y) ** 2) * (2.0 * m) ** 2)
        - math.log(math.exp(-0.5 * n * (m - y) ** 2) + math.exp(-0.5 * n * (m + y) ** 2))
        for m in (GRID[40], GRID[30])
    ]
    assert log_price_ratio(n, y, masses, flat) == pytest.approx(expected[0] - expected[1])


@given(n=st.floats(1.0, 40.0), y=st.floats(0.0, 2.0), seed=st.integers(0, 2**32))
def test_a_weight_is_a_ratio_of_prices(n: float, y: float, seed: int) -> None:
    masses, flat = np.random.default_rng(seed).dirichlet(np.ones(GRID.size)), CELLS / CELLS.sum()
    expected = math.log(price(n, y, masses) / price(n, y, flat))
    assert log_price_ratio(n, y, masses, flat) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_fit_is_that_of_the_em_algorithm() -> None:
    sizes, gaps, arms = np.array([4.0, 6.0, 9.0, 5.0]), np.array([1.0, 1.1, 0.2, 0.9]), 3.0
    masses, flat, logs = fitted(sizes, gaps, arms)
    likelihoods = np.exp(-0.5 * sizes[:, None] * (GRID - gaps[:, None]) ** 2)
    likelihoods += np.exp(-0.5 * sizes[:, None] * (GRID + gaps[:, None]) ** 2)
    expected = flat.copy()
    for _ in range(FIRST_STEPS):
        share = expected * likelihoods / (expected * likelihoods).sum(axis=1, keepdims=True)
        expected = (arms * flat + share.sum(axis=0)) / (arms + sizes.size)
    np.testing.assert_allclose(masses, expected, rtol=1e-9)
    ratios = [math.log(price(n, y, masses) / price(n, y, flat)) for n, y in zip(sizes, gaps, strict=True)]
    np.testing.assert_allclose(logs, ratios, rtol=1e-7)


def test_before_there_is_anything_to_fit_all_weights_are_one() -> None:
    fit, logs = new_fit(3), np.full(3, 7.0)
    weigh_by_population(np.ones(3), np.ones(3), np.ones(3, np.int64), -1, Trust(5.0, 1.0), fit, logs)
    assert logs.tolist() == [0.0, 0.0, 0.0]


def test_clear_others_make_a_clear_arm_cheap() -> None:
    sizes, gaps = np.full(30, 4.0), np.full(30, 1.5)
    few, many = (fitted(sizes, gaps, arms)[2][0] for arms in (2.0, 1000.0))
    assert few < -0.5
    assert abs(many) < abs(few) / 4.0
