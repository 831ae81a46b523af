"""The numbers of all theory are checked once, and a wrong one is named."""

import math

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.research.theory.arms import ArmRates, checked_budget


def test_costs_left_out_are_one_and_a_scalar_stands_for_all_arms() -> None:
    arms = ArmRates.of([0.5, 0.0], costs=3.0)
    np.testing.assert_array_equal(arms.costs, [3.0, 3.0])
    np.testing.assert_array_equal(arms.pull_costs, [1.0, 1.0])
    np.testing.assert_array_equal(arms.judged, [True, False])


@pytest.mark.parametrize(
    ("rates", "costs", "pull_costs", "said"),
    [
        ([], None, None, "shape"),
        ([[1.0]], None, None, "shape"),
        ([1.0, -1.0], None, None, "gap or divergence is -1"),
        ([1.0, math.nan], None, None, "gap or divergence is nan"),
        ([1e-61], None, None, "gap or divergence is 1e-61"),
        ([1.0], [0.0], None, "mistake cost is 0"),
        ([1.0], [math.inf], None, "mistake cost is inf"),
        ([1.0], None, [-2.0], "pull cost is -2"),
        ([1.0, 2.0], [1.0, 1.0, 1.0], None, "shape of costs is"),
        ([1.0, 2.0], None, [1.0], "shape of pull_costs is"),
    ],
)
def test_a_wrong_number_is_named(
    rates: list[float], costs: list[float] | None, pull_costs: list[float] | None, said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        ArmRates.of(rates, costs, pull_costs)


@pytest.mark.parametrize("budget", [-1.0, math.inf, math.nan])
def test_a_budget_is_a_finite_number_from_zero(budget: float) -> None:
    with pytest.raises(InvalidInputError, match="budget"):
        checked_budget(budget)
    assert checked_budget(0) == 0.0
