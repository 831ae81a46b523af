"""Pulls in flight, as they are asked for in a simulation."""

import numpy as np
import pytest

from thresher.engine import arms_of, run_in_flight
from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.experiment import simulate
from thresher.experiment.job import Asked
from thresher.policy import IndexPolicy, find_policy
from thresher.problem import named


@pytest.mark.parametrize("delays", ["batch", "random"])
def test_a_simulation_gives_what_the_kernel_gives(delays: str) -> None:
    problem, policy = named("linear:K=6"), find_policy("stopping")
    assert isinstance(policy, IndexPolicy)
    result = simulate(problem, "stopping", budgets=[30, 90], runs=20, seed=4, in_flight=5, delays=delays)
    asked = Asked((30.0, 90.0), in_flight=5, delays=delays).question()
    counted = run_in_flight(policy.rank(problem), arms_of(problem), asked, 5, delays == "random", 4, 0, 20)
    np.testing.assert_array_equal(result.losses("stopping"), counted.losses)
    np.testing.assert_array_equal(result.counted["stopping"].spent, counted.spent)


def test_one_in_flight_is_one_at_a_time() -> None:
    alone = simulate("linear:K=6", "lsa", budgets=[60], runs=30, seed=2)
    one = simulate("linear:K=6", "lsa", budgets=[60], runs=30, seed=2, in_flight=1)
    np.testing.assert_array_equal(alone.losses("lsa"), one.losses("lsa"))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"in_flight": -1}, "whole number, at least 0"),
        ({"in_flight": 2, "recommend": "peak"}, "final"),
        ({"in_flight": 2, "stop_price": 0.1}, "one of the two"),
    ],
)
def test_what_does_not_go_together_is_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidProblemError, match=says):
        Asked((10.0,), **wrong)  # type: ignore[arg-type]


def test_other_delays_are_not_known() -> None:
    with pytest.raises(UnknownNameError, match="random"):
        Asked((10.0,), in_flight=2, delays="randm")


def test_a_policy_without_an_index_cannot_wait() -> None:
    with pytest.raises(InvalidProblemError, match="index policy"):
        simulate("linear:K=6", "oracle", budgets=[60], runs=2, in_flight=3)
