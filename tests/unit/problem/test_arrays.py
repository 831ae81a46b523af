from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem.arrays import demand_inside, demand_positive, finite, means_of, numbers_of, per_arm


def test_one_number_is_that_of_every_arm_and_none_can_be_changed() -> None:
    given = np.array([1.0, 2.0])
    for found in (per_arm("costs", 3, 2), per_arm("costs", given, 2), means_of(given)):
        assert found.shape == (2,)
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 9
    given[0] = 5  # still the caller's own
    assert per_arm("costs", 3, 2).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (["1", 2], r"costs\[0\] is '1'; must be a number"),
        ([1, True], r"costs\[1\] is True"),
        (np.array([False]), r"costs\[0\] is False"),
        ("three", "costs is 'three'"),
        ([1, None], r"costs\[1\] is nan; must be a finite number"),
        ([[1], [2, 3]], "must hold numbers only"),
        ([1, np.inf], r"costs\[1\] is inf; must be a finite number"),
        ([10**400], "must hold numbers only"),
    ],
)
def test_what_is_no_finite_number_is_refused_by_its_arm(wrong: Any, sentence: str) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        numbers_of("costs", wrong)


@pytest.mark.parametrize("wrong", ["1", True, None, np.nan, 10**400])
def test_a_limit_must_be_a_finite_number(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"low is .*; must be a finite number"):
        finite("low", wrong)
    assert finite("low", np.float32(0.5)) == 0.5


def test_the_first_arm_out_of_range_is_named() -> None:
    numbers = np.array([0.5, 0.0, 1.0])
    demand_inside("means", numbers, 0.0, 1.0, closed=True, arms="abc")
    with pytest.raises(InvalidInputError, match=r"mean of arm 'b' is 0; must be between 0 and 1 \(exclusive\)"):
        demand_inside("means", numbers, 0.0, 1.0, closed=False, arms="abc")
    with pytest.raises(InvalidInputError, match="cost of arm 'b' is 0; must be positive"):
        demand_positive("costs", numbers, "abc")
