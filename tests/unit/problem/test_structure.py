"""The structure of a question."""

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem import Problem, Question, Structure
from thresher.problem.sampling import sampling_of


def test_what_kind_it_is() -> None:
    assert Structure(np.array([3, 5])).kind == "pool"
    assert Structure(np.array([1, 2]), np.array([[True, False], [True, True]])).kind == "items"


def test_a_replay_without_replacement_is_a_pool_and_one_with_replacement_is_not() -> None:
    samples = {"a": [0, 1, 1], "b": [1]}
    pool = Problem.replay(samples, 0.5).structure
    assert pool is not None
    assert (pool.kind, pool.sizes.tolist()) == ("pool", [3, 1])
    assert Problem.replay(samples, 0.5, replacement=True).structure is None
    assert Problem.bernoulli([0.5]).structure is None


def test_sizes_are_infinite_without_a_structure() -> None:
    assert sampling_of(None).sizes(2).tolist() == [np.inf, np.inf]
    assert sampling_of(Structure(np.array([3, 5]))).sizes(2).tolist() == [3.0, 5.0]


def test_what_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least one item"):
        Structure(np.array([3, 0]))
    with pytest.raises(InvalidInputError, match="must be the number of items of each arm"):
        Structure(np.array([1]), np.array([[True, True]]))
    with pytest.raises(InvalidInputError, match="number of pool sizes is 2; must be 1"):
        Question.of("bernoulli", thresholds=[0.5], structure=Structure(np.array([3, 5])))
