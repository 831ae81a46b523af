"""The bounds of the papers before, and the headline factors."""

import math

import numpy as np
import pytest

from thresher.research.theory.upper_bound import (
    apt_any_mistake,
    far_exponent,
    fwt_large_budget,
    improvement,
    locatelli,
    lsa,
    tao,
)

LINEAR, QUADRATIC = np.arange(1, 51) / 50, (np.arange(1, 51) / 50) ** 2


def test_locatellis_bound_in_its_own_units() -> None:
    # Theorem 2 of that paper with R = 1/2, raw gaps 0.1 and 0.3, no tolerance: gaps here are d / sqrt(2 R^2).
    raw = np.array([0.1, 0.3])
    own = math.exp(-1e5 / (64.0 * 0.25 * (raw**-2.0).sum()) + 2.0 * math.log((math.log(1e5) + 1.0) * 2.0))
    bound = locatelli(raw / math.sqrt(0.5), budget=1e5)
    assert bound.value == pytest.approx(own)
    assert bound.applies
    assert not bound.is_vacuous


def test_locatellis_bound_needs_two_pulls_for_each_arm() -> None:
    assert not locatelli([1.0, 1.0], budget=3).applies
    assert locatelli([1.0, 1.0], budget=4).applies


def test_a_tolerance_widens_the_gaps() -> None:
    assert locatelli([1.0, 1.5], budget=900, tolerance=0.5).log_value == locatelli([1.5, 2.0], budget=900).log_value


@pytest.mark.parametrize("gaps", [LINEAR, QUADRATIC, np.array([1.0])], ids=["linear", "quadratic", "one arm"])
def test_the_headline_factors_come_out_as_8_and_4005(gaps: np.ndarray) -> None:
    assert improvement(apt_any_mistake, locatelli, gaps) == pytest.approx(8.0, rel=1e-6)
    assert improvement(lsa, tao, gaps) == pytest.approx(4005.0, rel=1e-6)
    assert far_exponent(fwt_large_budget, gaps) == pytest.approx(0.25, rel=1e-6)


def test_taos_exponential_is_no_bound_by_itself() -> None:
    # Beyond the budgets of figures 2 and 4 it still says nothing.
    bound = tao(LINEAR, budget=3e5)
    assert bound.number is None
    assert 50.0 * bound.value > 49.0
