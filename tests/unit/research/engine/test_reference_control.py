"""A control as the bar: the compiled rule against the one that is written to be read, bit for bit."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.contracts.strategies import seeds
from tests.support.plays import played
from thresher.policy import find_policy
from thresher.problem import Population, Problem, ticks_of
from thresher.research.engine import Loss, SimulationOptions, arms_of, run_policy
from thresher.research.engine.losses import judge

POLICIES = ("stopping", "lsa", "fwt", "fwt-sqrt", "uniform", "stopping:structure=none")
SOURCES = ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance", "replay", "population", "crossed")

DELAYS = ["batch", "random"]


def problem_of(source: str, n_arms: int, margin: float | str, *, seed: int, costs: bool) -> Problem:
    """Return a random problem with a control; its costs differ if they are to."""
    random = np.random.default_rng(seed)
    means, control = random.uniform(0.3, 0.7, n_arms), int(random.integers(n_arms))
    given: dict[str, Any] = {"control": control, "margin": margin}
    if costs:
        given |= {"costs": random.uniform(0.5, 2.0, n_arms), "pull_costs": random.uniform(0.5, 2.0, n_arms)}
    if source == "replay":
        samples = {f"arm {k}": (random.random(random.integers(1, 30)) < means[k]) * 1.0 for k in range(n_arms)}
        samples[f"arm {control}"] = np.array([0.0, 1.0] * 9)
        return Problem.replay(samples, **given)
    if source == "crossed":
        difficulty = random.normal(0.0, 0.3, 25)
        table = (random.random((n_arms, 25)) < means[:, None] + difficulty) * 1.0
        return Problem.crossed(table, **given)
    if source == "population":
        return Problem.gaussian(means, population=Population("gaussian", 0.5, 0.3), **given)
    sigma = random.uniform(0.5, 2.0, n_arms) if "gaussian" in source else None
    return Problem.of(source, means=means, sigma=sigma, **given)


@given(
    source=st.sampled_from(SOURCES), policy=st.sampled_from(POLICIES), n_arms=st.integers(2, 7), seed=seeds,
    margin=st.sampled_from([0.0, 0.0, 0.05, -0.1, "-2%", "10%"]), costs=st.booleans(),
    in_flight=st.sampled_from([0, 0, 1, 3, 9]), delays=st.sampled_from(DELAYS), price=st.sampled_from([0.0, 0.0, 0.01]),
    per_arm=st.lists(st.integers(4, 40), min_size=1, max_size=3, unique=True),
)  # fmt: skip
def test_the_compiled_rule_gives_what_the_readable_one_gives(
    source: str, policy: str, n_arms: int, seed: int, margin: float | str, costs: bool, in_flight: int,
    delays: str, price: float, per_arm: list[int],
) -> None:  # fmt: skip
    problem = problem_of(source, n_arms, margin, seed=seed % 1000, costs=costs)
    budgets = tuple(float(each * problem.pull_costs.sum()) for each in sorted(per_arm))
    budgets = tuple(round(budget, 6) for budget in budgets)
    stop = 0.0 if in_flight else price
    options = SimulationOptions(budgets, stop_price=stop, in_flight=in_flight, delays=delays)
    chosen, arms = find_policy(policy), arms_of(problem)
    found = run_policy(chosen, problem, options, seed=seed, first_run=2, runs=1)
    for b, budget in enumerate(budgets):
        slow = played(
            chosen, problem, budget=budget, seed=seed, run=2, price=stop, in_flight=max(in_flight, 1),
            asynchronous=delays == "random",
        )  # fmt: skip
        assert found.pulls[b].tolist() == slow.state.counts.tolist()
        assert found.spent[0, b] == ticks_of(budget) - slow.left
        assert found.stopped[0, b] == slow.stopped
        judged = judge(arms, slow.means, slow.state.verdicts, options.loss_of(chosen).code)
        assert (found.losses[0, b], found.any_mistakes[0, b]) == judged


def test_the_control_is_not_judged_and_ties_cost_nothing() -> None:
    arms = arms_of(Problem.gaussian([0.1, 0.12, 0.3, -0.3], control=0, margin=0.02, costs=[100.0, 10.0, 2.0, 1.0]))
    means = np.array([0.1, 0.12, 0.3, -0.3])
    # 0.1 + 0.02 is 0.12000000000000001: arm 2 is a tie all the same.
    for verdicts, lost in (([0, 1, 1, -1], 0.0), ([0, -1, 1, -1], 0.0), ([0, 1, -1, -1], 2.0), ([0, 0, 0, 1], 2.0)):
        assert judge(arms, means, np.array(verdicts), Loss().code).loss == pytest.approx(lost)


def test_a_run_ends_when_every_arm_is_certain() -> None:
    samples = {"today": [0.0] * 20, "good": [1.0] * 20, "bad": [0.0] * 20}
    samples["today"][0] = 1.0
    problem = Problem.replay(samples, control="today", margin=0.3)
    found = run_policy(find_policy("stopping"), problem, SimulationOptions((60.0,)), seed=3, runs=5)
    assert found.stopped.tolist() == [[1]] * 5
    assert (found.spent < ticks_of(60.0)).all()
    assert (found.losses == 0.0).all()
