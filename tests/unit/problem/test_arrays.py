from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidProblemError
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
        (["1", 2], "costs of arm 1 is '1'"),
        ([1, True], "costs of arm 2 is True"),
        (np.array([False]), "costs of arm 1 is False"),
        ("three", "costs is 'three'"),
        ([1, None], "NaN or an infinity"),
        ([[1], [2, 3]], "no number"),
        ([1, np.inf], "NaN or an infinity"),
        ([10**400], "no number"),
    ],
)
def test_what_is_no_finite_number_is_refused_by_its_arm(wrong: Any, sentence: str) -> None:
    with pytest.raises(InvalidProblemError, match=sentence):
        numbers_of("costs", wrong)


@pytest.mark.parametrize("wrong", ["1", True, None, np.nan, 10**400])
def test_a_limit_must_be_a_finite_number(wrong: Any) -> None:
    with pytest.raises(InvalidProblemError, match="no finite number"):
        finite(wrong)
    assert finite(np.float32(0.5)) == 0.5


def test_the_first_arm_out_of_range_is_named() -> None:
    numbers = np.array([0.5, 0.0, 1.0])
    demand_inside("means", numbers, 0.0, 1.0, closed=True)
    with pytest.raises(InvalidProblemError, match=r"means of arm 2 is 0; every one must lie in \(0, 1\)"):
        demand_inside("means", numbers, 0.0, 1.0, closed=False)
    with pytest.raises(InvalidProblemError, match="costs of arm 2 is 0"):
        demand_positive("costs", numbers)
