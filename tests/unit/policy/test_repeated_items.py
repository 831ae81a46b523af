"""How much of the variance lies between items, and how much the outcomes of an arm on its items are worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.repeated_samples import (
    Answered,
    Variance,
    answered,
    effective_samples,
    fit_rho,
    repeated_in_flight,
)
from thresher.problem.sampling.repeats import turn_at
from thresher.types import Floats


def rho_of(outcomes: Floats, cautious: float = 0.0) -> float:
    """Return the share between items of outcomes of shape (K, N, repeats), NaN where there is none."""
    counts = (~np.isnan(outcomes)).sum(axis=2).astype(float)
    sums, squares = np.nansum(outcomes, axis=2), np.nansum(outcomes**2, axis=2)
    return float(fit_rho(sums.ravel(), squares.ravel(), counts.ravel(), outcomes.shape[0], cautious))


def test_the_share_between_items_by_hand() -> None:
    outcomes = np.array([[[1.0, 1.0]] * 6 + [[0.0, 1.0]] * 2 + [[0.0, 0.0]] * 4])
    variance = (14.0 - 14.0**2 / 24.0) / 23.0  # of 24 outcomes, 14 of them 1
    within, degrees = 2 * 0.5, 12
    assert rho_of(outcomes) == pytest.approx(1.0 - (within + 2.0 * variance) / ((degrees + 2.0) * variance))
    assert rho_of(outcomes, 1.0) == pytest.approx(1.0 - within / ((degrees + 2.0) * variance))


def test_with_fewer_than_ten_repeats_it_is_the_cautious_value() -> None:
    outcomes = np.array([[[1.0, 1.0]] * 5 + [[0.0, 0.0]] * 4])
    assert (rho_of(outcomes), rho_of(outcomes, 1.0)) == (0.0, 1.0)
    same = np.ones((2, 20, 2))  # and without any variance
    assert (rho_of(same), rho_of(same, 1.0)) == (0.0, 1.0)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7, 1.0])
def test_it_is_found_from_many_repeats(rho: float) -> None:
    """4,000 pairs of outcomes: the standard error is below 0.02, and 0.1 is more than five of them."""
    random = np.random.default_rng(3)
    shape = max(1.0 / rho - 1.0, 1e-9) if rho else 0.0
    rates = random.beta(0.5 * shape, 0.5 * shape, (20, 200)) if rho else np.full((20, 200), 0.5)
    outcomes = (random.random((20, 200, 2)) < rates[:, :, None]).astype(float)
    assert rho_of(outcomes) == pytest.approx(rho, abs=0.1)


@given(
    size=st.integers(1, 80), repeats=st.integers(1, 5), rho=st.floats(0.0, 0.99), share=st.floats(0.2, 1.0),
    for_population=st.booleans(),
)  # fmt: skip
def test_effective_samples_are_those_of_the_items_that_were_asked(
    size: int, repeats: int, rho: float, share: float, for_population: bool
) -> None:
    variance, counts = Variance(rho, share, for_population), dict[int, int]()
    for place in range(size * repeats):
        rank, _ = turn_at(place, size, repeats)
        counts[rank] = counts.get(rank, 0) + 1
        told = answered(place + 1, size, repeats)
        assert told.items == len(counts)
        assert told.inverses == pytest.approx(sum(1.0 / n for n in counts.values()))
        m = len(counts)
        inverse = share * rho * (1.0 - m / size) / m + (1.0 - rho) * told.inverses / m**2
        inverse += rho / size if for_population else 0.0
        assert effective_samples(told, size, variance) == pytest.approx(1.0 / max(inverse, 1e-12))


def test_independent_outcomes_are_worth_their_number() -> None:
    for rho in (0.0, 0.5, 1.0):
        told = Answered(7.0, 7.0)
        assert effective_samples(told, 50.0, Variance(rho, 1.0, for_population=True)) == pytest.approx(7.0)


def test_an_early_repeat_is_worth_something_even_if_outcomes_of_an_item_agree() -> None:
    """Otherwise an arm whose next measurement is one would never be measured again."""
    for count in range(1, 60):
        known = repeated_in_flight(count, count + 1.0, 0.3, 0, 100, 2, Variance(1.0, 1.0, for_population=True))
        assert known.gain > 0.4
