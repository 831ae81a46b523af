import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.problem import pool_of

samples_by_arm = st.dictionaries(
    st.text(min_size=1, max_size=3),
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
)


def test_a_worked_case() -> None:
    pool = pool_of({"x": [1.0, 3.0], "y": [5.0], "z": [0.0, 0.0, 6.0]}, replacement=False)
    assert pool.values.tolist() == [1.0, 3.0, 5.0, 0.0, 0.0, 6.0]
    assert pool.sizes.tolist() == [2, 1, 3]
    assert pool.starts.tolist() == [0, 2, 3]
    assert pool.means.tolist() == [2.0, 5.0, 2.0]
    # (1 + 1)/2 and (4 + 4 + 16)/3
    assert pool.deviations == pytest.approx([1.0, 0.0, np.sqrt(8.0)])


@given(samples_by_arm)
def test_a_pool_holds_what_went_in_arm_by_arm(samples: dict[str, list[float]]) -> None:
    pool = pool_of(samples, replacement=True)
    for k, values in enumerate(samples.values()):
        start = pool.starts[k]
        assert pool.values[start : start + pool.sizes[k]].tolist() == values
        assert pool.means[k] == pytest.approx(np.mean(values), abs=1e-9)
        assert pool.deviations[k] == pytest.approx(np.std(values), abs=1e-9)


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        ({}, "samples is {}; must have at least one arm"),
        ({"x": [1.0], "y": []}, "samples of arm 'y'"),
        ({"x": [1.0, float("nan")]}, "samples of arm 'x'.*finite numbers only"),
        ({"x": [[1.0]]}, "arm 'x'"),
        ({"x": ["one"]}, "arm 'x'"),
    ],
)
def test_a_pool_without_samples_or_with_one_that_is_no_number_is_refused(
    samples: dict[str, list[float]], sentence: str
) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        pool_of(samples, replacement=False)
