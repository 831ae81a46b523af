"""Pulls in flight, as they are asked for in a simulation."""

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import find_policy
from thresher.problem import named
from thresher.research.engine import SimulationOptions, run_policy
from thresher.research.simulation import simulate


@pytest.mark.parametrize("delays", ["batch", "random"])
def test_a_simulation_gives_what_the_engine_gives(delays: str) -> None:
    problem, policy = named("linear:K=6"), find_policy("stopping")
    result = simulate(problem, "stopping", budgets=[30, 90], runs=20, seed=4, in_flight=5, delays=delays)
    options = SimulationOptions((30.0, 90.0), in_flight=5, delays=delays)
    counted = run_policy(policy, problem, options, seed=4, runs=20)
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
        ({"in_flight": 2, "stop_price": 0.1}, "must be 0 with pulls in flight; leave one of the two out"),
    ],
)
def test_what_does_not_go_together_is_refused(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        SimulationOptions((10.0,), **wrong)  # type: ignore[arg-type]


def test_other_delays_are_not_known() -> None:
    with pytest.raises(UnknownNameError, match="random"):
        SimulationOptions((10.0,), in_flight=2, delays="randm")


@pytest.mark.parametrize("policy", ["oracle", "csar"])
def test_a_policy_that_cannot_wait_is_refused(policy: str) -> None:
    with pytest.raises(InvalidInputError, match=f"policy is '{policy}'; .* such as 'stopping' or 'evt-pf'"):
        simulate("linear:K=6", policy, budgets=[60], runs=2, in_flight=3)
