from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem.budget import budget_of


@pytest.mark.parametrize("value", [30, 30.0, np.int64(30), np.float32(30)])
def test_a_number_is_a_budget(value: Any) -> None:
    assert budget_of(value) == 30.0
    assert type(budget_of(value)) is float


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0, -5, "30", True, None, [30], 10**400])
def test_anything_else_is_none(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="must be a positive finite number"):
        budget_of(value)


def test_the_sentence_shows_what_was_given() -> None:
    with pytest.raises(InvalidInputError, match=r"^budget is nan; must"):
        budget_of(float("nan"))
    with pytest.raises(InvalidInputError, match=r"^budget is 'x'; must"):
        budget_of("x")
