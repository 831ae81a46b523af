"""Gaps, costs and budget, checked once."""

import math

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.research.theory.upper_bound.setting import BoundSetting


def test_the_derived_quantities_of_a_worked_case() -> None:
    # Gaps 1/2 and 2: squares 1/4 and 4, H = 4 + 1/4; weights 3/4 and 12.
    setting = BoundSetting.of([0.5, 2.0], 3.0, budget=10)
    assert setting.squares.tolist() == [0.25, 4.0]
    assert setting.inverse_squares.tolist() == [4.0, 0.25]
    assert setting.complexity == 4.25
    np.testing.assert_allclose(setting.shares, [16 / 17, 1 / 17])
    np.testing.assert_allclose(setting.log_weights, np.log([0.75, 12.0]))
    assert setting.worst == 6.0


def test_an_arm_at_its_threshold_has_nothing_at_stake() -> None:
    setting = BoundSetting.of([0.0, 1.0], [5.0, 2.0], budget=10)
    assert setting.worst == 2.0
    assert setting.log_stakes.tolist() == [-math.inf, math.log(2.0)]
    assert setting.complexity == math.inf


@pytest.mark.parametrize(
    ("gaps", "costs", "budget"),
    [
        ([], None, 5),
        ([-1.0], None, 5),
        ([math.nan], None, 5),
        ([1.0], 0.0, 5),
        ([1.0], [1.0, 1.0], 5),
        ([1.0], None, 0.5),
    ],
)
def test_numbers_out_of_range_are_refused(gaps: list[float], costs: list[float] | float | None, budget: float) -> None:
    with pytest.raises(InvalidInputError):
        BoundSetting.of(gaps, costs, budget=budget)
