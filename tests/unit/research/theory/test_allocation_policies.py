import numpy as np
import pytest

from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.engine.reference import play
from thresher.research.simulation.job import Job
from thresher.research.theory.rounding import whole_oracle, whole_static_optimum

PROBLEM = Problem.gaussian([0.1, -0.5, 1.5], costs=[1.0, 3.0, 1.0], pull_costs=[1.0, 0.5, 2.0])


@pytest.mark.parametrize(("name", "allocate"), [("oracle", whole_oracle), ("static-optimum", whole_static_optimum)])
def test_every_budget_is_pulled_as_its_allocation_says(name: str, allocate: type[object]) -> None:
    budgets = (20.0, 300.0)
    counted = Job(PROBLEM, find_policy(name), SimulationOptions(budgets), seed=0).run(0, 7)
    for b, budget in enumerate(budgets):
        pulls = np.asarray(allocate(PROBLEM.gaps, PROBLEM.costs, PROBLEM.pull_costs, budget=budget))  # type: ignore[call-arg]
        assert counted.pulls[b].tolist() == (7 * pulls).tolist()
        assert counted.spent[:, b].tolist() == [round(float(pulls @ PROBLEM.pull_costs) * 1e6)] * 7
        assert pulls @ PROBLEM.pull_costs <= budget


def test_arms_come_one_after_the_other_and_then_it_stops() -> None:
    rule = find_policy("oracle").bind(PROBLEM, Stop(60.0))
    played = play(rule, PROBLEM, budget=60.0, seed=1, run=0)
    assert played.order == sorted(played.order)
    assert played.state.counts.tolist() == rule.known.parameters.tolist()
    assert played.stopped


def test_an_allocation_that_a_pool_cannot_pay_ends_with_the_pool() -> None:
    problem = Problem.replay({"a": [0, 1, 1], "b": [1, 1, 0, 1]}, 0.5)
    played = play(find_policy("oracle").bind(problem, Stop(40.0)), problem, budget=40.0, seed=1, run=0)
    assert played.state.counts.tolist() == [3, 4]


def test_it_is_told_the_truth_and_needs_fixed_means() -> None:
    policy = find_policy("static-optimum")
    assert policy.traits.needs == "the truth and the horizon"
    assert policy.why_not(Problem.named("gaussian-population:K=2")) == (
        "it needs the true means, and here every run draws its own"
    )
