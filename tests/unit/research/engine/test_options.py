"""The options of a simulation: the numbers that are checked; what they do is tested with jobs and engines."""

from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.research.engine.options import error_rate, non_negative_number


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "1", None])
def test_what_is_no_number_from_zero_is_refused(value: Any) -> None:
    assert non_negative_number("tolerance", np.float32(0.25)) == 0.25
    with pytest.raises(InvalidInputError, match=r"tolerance is .*; must be 0 or a positive number"):
        non_negative_number("tolerance", value)


@pytest.mark.parametrize("value", [0.0, 1.0, 2, -0.1, float("nan"), "0.05", None, [0.05]])
def test_what_is_no_error_rate_is_refused(value: Any) -> None:
    assert error_rate(np.float32(0.25)) == 0.25
    with pytest.raises(
        InvalidInputError, match=r"alpha is .*; must be an error rate between 0 and 1 \(exclusive\); alpha="
    ):
        error_rate(value)
