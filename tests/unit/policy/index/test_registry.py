import importlib
import math
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit

from thresher.errors import InvalidIndexError, UnknownNameError
from thresher.policy import IndexPolicy, find_policy
from thresher.policy.index import INDICES, find_index, register_index
from thresher.policy.index.base import USER_CODE
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.simulation.job import Job


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Forget the indices that a test has registered."""
    known = set(INDICES)
    yield
    for name in set(INDICES) - known:
        del INDICES[name]


def my_lsa(count: float, evidence: float, cost: float, alpha: float = 1.0) -> float:
    """Return what lsa returns."""
    return alpha * evidence + math.log(count / cost)


def my_uniform(count: float, evidence: float, cost: float) -> float:
    """Return what uniform returns."""
    return count


def policy(text: str) -> IndexPolicy:
    """Return an index policy by its name."""
    found = find_policy(text)
    assert isinstance(found, IndexPolicy)
    return found


# Good ones


def test_a_registered_function_stays_itself_and_is_known_by_its_name() -> None:
    decorated = register_index("my-lsa", source="a test")(my_lsa)
    assert decorated is my_lsa
    index = find_index("my-lsa")
    assert (index.code, index.source, index.parameter, index.default) == (USER_CODE, "a test", "alpha", 1.0)
    assert index.is_user_defined
    assert index.summary == "Return what lsa returns."
    assert index(6.0, 0.5, 2.0) == pytest.approx(0.5 + math.log(3.0))
    assert index(6.0, 0.5, 2.0, 4.0) == pytest.approx(2.0 + math.log(3.0))


PROBLEMS = [
    Problem.named("linear:K=12"),
    Problem.gaussian([0.3, -0.1, 0.5], sigma=[1.0, 2.0, 0.5], costs=[1.0, 5.0, 0.2], pull_costs=[1.0, 0.3, 2.0]),
    Problem.bernoulli([0.4, 0.6, 0.45], thresholds=0.5),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=["linear", "costs", "bernoulli"])
@pytest.mark.parametrize(("mine", "theirs"), [("my-lsa", "lsa"), ("my-lsa:alpha=1.35", "lsa:alpha=1.35")])
def test_a_users_lsa_runs_as_lsa_bit_for_bit(problem: Problem, mine: str, theirs: str) -> None:
    register_index("my-lsa")(my_lsa)
    asked = SimulationOptions((problem.least_budget * 4, problem.least_budget * 40), recommend="peak")
    one, other = (Job(problem, policy(text), asked, seed=3).run(0, 50) for text in (mine, theirs))
    for ours, built_in in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, built_in)


def test_an_index_without_parameter_runs_as_the_one_it_copies() -> None:
    register_index("my-uniform")(my_uniform)
    one, other = (
        Job(PROBLEMS[0], policy(text), SimulationOptions((40.0,)), seed=3).run(0, 20)
        for text in ("my-uniform", "uniform")
    )
    np.testing.assert_array_equal(one.losses, other.losses)
    np.testing.assert_array_equal(one.pulls, other.pulls)


def test_a_function_that_is_compiled_already_will_do() -> None:
    compiled = njit(my_lsa)
    assert register_index("my-compiled")(compiled) is compiled
    assert find_index("my-compiled")(6.0, 0.5, 2.0) == pytest.approx(0.5 + math.log(3.0))


def test_the_same_name_can_be_given_to_a_better_function() -> None:
    register_index("mine")(my_uniform)
    register_index("mine")(my_lsa)
    assert find_index("mine")(6.0, 0.5, 2.0) == pytest.approx(0.5 + math.log(3.0))
    asked = SimulationOptions((40.0,))
    one, other = (Job(PROBLEMS[0], policy(text), asked, seed=3).run(0, 20) for text in ("mine", "lsa"))
    np.testing.assert_array_equal(one.pulls, other.pulls)


def test_an_index_that_travelled_is_registered_there_and_compiled_once() -> None:
    register_index("my-lsa")(my_lsa)
    travelling = pickle.dumps(find_index("my-lsa"))
    assert pickle.loads(travelling) is find_index("my-lsa")
    del INDICES["my-lsa"]  # as in another process
    back = pickle.loads(travelling)
    assert find_index("my-lsa") is back
    assert back(6.0, 0.5, 2.0) == pytest.approx(0.5 + math.log(3.0))


def test_a_function_that_travelled_by_value_is_compiled_again_only_when_it_has_changed() -> None:
    cloudpickle: Any = importlib.import_module("cloudpickle")  # as Dask sends what no worker can import

    def travelling(weight: float) -> bytes:
        register_index("my-local")(lambda count, evidence, cost: weight * evidence + count / cost)
        return bytes(cloudpickle.dumps(find_index("my-local")))

    one, other = travelling(2.0), travelling(3.0)
    first = pickle.loads(one)
    assert pickle.loads(one) is first
    assert first(1.0, 5.0, 1.0) == 11.0
    second = pickle.loads(other)
    assert second(1.0, 5.0, 1.0) == 16.0
    assert find_index("my-local") is second


# Bad ones


def test_a_formula_that_breaks_assumption_1_is_refused_with_a_counter_example() -> None:
    with pytest.raises(InvalidIndexError) as caught:

        @register_index("impatient")
        def impatient(count: float, evidence: float, cost: float) -> float:
            return evidence - math.log(count)

    assert str(caught.value) == (
        "index 'impatient' breaks Assumption 1 of the paper: "
        "it decreases from F(1, 0; 0.001) = 0 to F(2, 0; 0.001) = -0.693147"
    )
    assert "impatient" not in INDICES


def test_a_bounded_formula_is_refused() -> None:
    with pytest.raises(InvalidIndexError, match="it stays bounded"):

        @register_index("bounded")
        def bounded(count: float, evidence: float, cost: float) -> float:
            return 1.0 - 1.0 / (count + evidence)


def test_a_formula_that_divides_by_nothing_is_refused_with_the_place() -> None:
    with pytest.raises(InvalidIndexError, match=r"F\(1, 0; 0.001\) fails with (float )?division by zero"):

        @register_index("divides")
        def divides(count: float, evidence: float, cost: float) -> float:
            return evidence + count / (count - 1.0)


@pytest.mark.parametrize("name", ["lsa", "stopping", "uniform"])
def test_the_name_of_a_built_in_index_is_taken(name: str) -> None:
    before = find_index(name)
    with pytest.raises(InvalidIndexError, match="the name belongs to a built-in index"):
        register_index(name)(my_lsa)
    assert find_index(name) is before


@pytest.mark.parametrize("name", ["", "my lsa", "my:lsa", "a,b", "a=b"])
def test_a_name_that_could_not_be_typed_is_refused(name: str) -> None:
    with pytest.raises(InvalidIndexError, match="a name has no spaces, colons, commas or equals signs"):
        register_index(name)(my_lsa)


def test_another_signature_is_refused() -> None:
    def too_few(count: float, evidence: float) -> float:
        return count + evidence

    def too_many(count: float, evidence: float, cost: float, one: float = 1.0, two: float = 2.0) -> float:
        return count + one + two

    def without_default(count: float, evidence: float, cost: float, weight: float) -> float:
        return count + weight

    def with_a_word(count: float, evidence: float, cost: float, weight: str = "much") -> float:
        return count

    def other_names(n: float, x: float, a: float) -> float:
        return n + x

    def other_order(evidence: float, count: float, cost: float) -> float:
        return count + evidence

    for function in (too_few, too_many, without_default, with_a_word, other_names, other_order):
        with pytest.raises(
            InvalidIndexError,
            match=r"it takes \(.*\); name its arguments \(count, evidence, cost\) and at most one parameter, with a",
        ):
            register_index("other")(function)
    assert "other" not in INDICES


def test_arguments_of_other_names_are_named() -> None:
    with pytest.raises(InvalidIndexError) as caught:
        register_index("other")(lambda n, x, a=1.0: n + x)
    assert str(caught.value) == (
        "index 'other' cannot be registered: it takes (n, x, a=1.0); "
        "name its arguments (count, evidence, cost) and at most one parameter, with a number as default"
    )


def returns_nothing(count: float, evidence: float, cost: float) -> None:
    """Forget the return."""
    count + evidence + cost


def returns_nothing_late(count: float, evidence: float, cost: float) -> float | None:
    """Return None where the grid of Assumption 1 does not look."""
    return None if count == 12_345_678.0 else count + evidence


def returns_two(count: float, evidence: float, cost: float) -> tuple[float, float]:
    """Return two numbers."""
    return count, evidence


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (returns_nothing, "None"),
        (returns_nothing_late, "None for some arguments"),
        (returns_two, "UniTuple(float64 x 2)"),
    ],
)
def test_what_returns_no_number_is_refused(function: Any, what: str) -> None:
    with pytest.raises(InvalidIndexError) as caught:
        register_index("other")(function)
    assert str(caught.value) == (
        f"index 'other' cannot be registered: it returns {what}; return a number for every count, evidence and cost"
    )
    assert "other" not in INDICES


def test_whole_numbers_are_numbers() -> None:
    register_index("whole")(lambda count, evidence, cost: int(count) + int(evidence))
    assert find_index("whole")(3.0, 2.5, 1.0) == 5


def test_what_numba_cannot_compile_is_refused_in_one_sentence() -> None:
    def exotic(count: float, evidence: float, cost: float) -> float:
        return float(eval("count"))

    with pytest.raises(InvalidIndexError, match="Numba cannot compile it: ") as caught:
        register_index("exotic")(exotic)
    assert "\n" not in str(caught.value)
    assert "exotic" not in INDICES


def test_an_unknown_index_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown index 'fwt-sqr'; did you mean 'fwt-sqrt'"):
        find_index("fwt-sqr")
