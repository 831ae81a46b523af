from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.choices import field_policy
from thresher.engine import Counted
from thresher.engine.field_reference import play
from thresher.errors import InvalidProblemError
from thresher.experiment.job import Asked, Job
from thresher.policy.fixed_budget import FIELD, FieldPolicy
from thresher.problem import Problem
from thresher.testing.strategies import problems, seeds


def in_order(problem: Problem) -> Problem:
    """Return a problem that `mtb` and `utb` can play: the same arms in the order of their means, with one bar."""
    if problem.pool is not None or problem.population is not None:
        return problem
    question = replace(problem.question, thresholds=np.full(problem.n_arms, problem.thresholds[0]))
    return replace(problem, question=question, truth=replace(problem.truth, means=np.sort(problem.means)))


def mistakes(problem: Problem, verdicts: np.ndarray) -> float:
    """Return the cost of verdicts on a problem with fixed means."""
    matters = problem.means != problem.thresholds
    wrong = np.where(verdicts == 0, 0.5, (verdicts > 0) != problem.is_above)
    return float((wrong * matters * problem.costs).sum())


def run(policy: FieldPolicy, problem: Problem, budgets: list[float], seed: int, run: int) -> Counted:
    return Job(problem, policy, Asked(tuple(budgets)), seed).run(run, 1)


@pytest.mark.parametrize("name", FIELD)
@settings(max_examples=15)
@given(problem=problems(), seed=seeds, shares=st.lists(st.floats(1.0, 12.0), min_size=1, max_size=3))
def test_the_compiled_loop_pulls_as_the_readable_one(
    name: str, problem: Problem, seed: int, shares: list[float]
) -> None:
    policy = field_policy(name)
    problem = in_order(problem) if name in ("mtb", "utb") else problem
    assume(policy.why_not(problem) is None)
    least = max(policy.least_pulls(problem) * float(problem.pull_costs.mean()), problem.least_budget)
    budgets = sorted({round(least * share + 0.01, 3) for share in shares})
    counted = run(policy, problem, budgets, seed, 3)
    for b, budget in enumerate(budgets):
        played = play(policy, problem, budget=budget, seed=seed, run=3)
        assert counted.pulls[b].tolist() == played.state.counts.tolist()
        assert counted.spent[0, b] == played.state.counts @ problem.ticks == round(budget * 1e6) - played.money
        if problem.population is None:
            assert counted.losses[0, b] == pytest.approx(mistakes(problem, played.verdicts))


@pytest.mark.parametrize("name", [name for name in FIELD if name not in ("kg", "opt-kg", "mtb", "utb")])
def test_a_row_does_not_change_when_other_budgets_stand_beside_it(name: str) -> None:
    problem, policy = Problem.gaussian([0.5, -0.2, 0.1, 1.0, -0.7]), field_policy(name)
    several = Job(problem, policy, Asked((20.0, 45.0, 90.0)), seed=5).run(0, 10)
    alone = Job(problem, policy, Asked((45.0,)), seed=5).run(0, 10)
    np.testing.assert_array_equal(several.losses[:, 1], alone.losses[:, 0])
    np.testing.assert_array_equal(several.pulls[1], alone.pulls[0])


def test_runs_can_be_cut_anywhere() -> None:
    problem = Problem.bernoulli([0.2, 0.45, 0.6])
    job = Job(problem, field_policy("tts"), Asked((30.0,)), seed=1)
    whole, first, rest = job.run(0, 9), job.run(0, 4), job.run(4, 5)
    np.testing.assert_array_equal(whole.losses, np.concatenate([first.losses, rest.losses]))
    np.testing.assert_array_equal(whole.pulls, first.pulls + rest.pulls)


def test_a_dry_pool_is_left_alone() -> None:
    problem = Problem.replay({"a": [1, 0, 1, 1], "b": [0, 0, 1], "c": [1]}, 0.5)
    for name in FIELD:
        policy = field_policy(name)
        if policy.why_not(problem) is None:
            counted = Job(problem, policy, Asked((100.0,)), seed=0).run(0, 2)
            assert (counted.pulls[0] <= 2 * np.array([4, 3, 1])).all()


@pytest.mark.parametrize(
    "asked", [Asked((20.0,), recommend="peak"), Asked((20.0,), stop_price=0.1), Asked((20.0,), in_flight=2)]
)
def test_what_only_an_index_can_do_is_refused(asked: Asked) -> None:
    with pytest.raises(InvalidProblemError, match="'csar'"):
        Job(Problem.gaussian([0.1, 0.2]), field_policy("csar"), asked, seed=0)
