from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.policy.index import INDICES, Index
from thresher.policy.index.base import USER_CODE
from thresher.policy.index.dispatch import NO_USER_INDEX, index_of
from thresher.policy.index.registry import pointer_of, register

BUILT_IN = [index for index in INDICES.values() if not index.is_user_defined]


def test_codes_are_different_numbers() -> None:
    assert len({index.code for index in BUILT_IN}) == len(BUILT_IN)
    assert USER_CODE not in {index.code for index in BUILT_IN}


@pytest.mark.parametrize("index", BUILT_IN, ids=lambda index: index.name)
@given(
    count=st.integers(1, 10**6).map(float),
    evidence=st.floats(1e-6, 1e6),
    cost=st.floats(1e-3, 1e3),
    parameter=st.floats(0.01, 3.0),
)
def test_each_code_is_the_formula_of_its_index(
    index: Index, count: float, evidence: float, cost: float, parameter: float
) -> None:
    # Bit for bit: campaigns and kernels go by the code, users read the formula.
    assert index_of(index.code, NO_USER_INDEX, count, evidence, cost, parameter) == index(
        count, evidence, cost, parameter
    )


def own(count: float, evidence: float, cost: float, weight: float = 2.0) -> float:
    """Return an index unlike all others."""
    return weight * evidence + 3.0 * count / cost


@pytest.fixture
def mine() -> Any:
    """Give an index of the user's own, and forget it afterwards."""
    yield register("test-dispatch", own, "a test")
    del INDICES["test-dispatch"]


def test_the_code_of_a_users_own_calls_what_it_points_to(mine: Index) -> None:
    # 0.5 * 4 + 3 * 5 / 2
    assert index_of(USER_CODE, pointer_of(mine), 5.0, 4.0, 2.0, 0.5) == 9.5
