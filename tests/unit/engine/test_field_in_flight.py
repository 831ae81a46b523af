"""Field policies with pulls outstanding: against the readable twin, one at a time, and by hand."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.choices import field_policy
from thresher.engine import Counted
from thresher.engine.field_reference import play_in_flight
from thresher.errors import InvalidProblemError
from thresher.experiment.job import Asked, Job
from thresher.policy.fixed_budget import FIELD
from thresher.policy.fixed_budget.evt import evt_formula
from thresher.problem import Problem
from thresher.testing.strategies import problems, seeds

WITHOUT_PHASES = [name for name, algorithm in FIELD.items() if not algorithm.has_phases]
DELAYS = {False: "batch", True: "random"}


def run(name: str, problem: Problem, budgets: list[float], in_flight: int, asynchronous: bool, seed: int) -> Counted:
    asked = Asked(tuple(budgets), in_flight=in_flight, delays=DELAYS[asynchronous])
    return Job(problem, field_policy(name), asked, seed).run(3, 1)


def budgets_of(name: str, problem: Problem, shares: list[float]) -> list[float]:
    policy = field_policy(name)
    assume(policy.why_not(problem) is None)
    least = max(policy.least_pulls(problem) * float(problem.pull_costs.mean()), problem.least_budget)
    return sorted({round(least * share + 0.01, 3) for share in shares})


shares = st.lists(st.floats(1.0, 9.0), min_size=1, max_size=2)


@pytest.mark.parametrize("name", WITHOUT_PHASES)
@settings(max_examples=15)
@given(problem=problems(), seed=seeds, shares=shares, in_flight=st.integers(1, 12), asynchronous=st.booleans())
def test_the_compiled_loop_asks_as_the_readable_one(
    name: str, problem: Problem, seed: int, shares: list[float], in_flight: int, asynchronous: bool
) -> None:
    budgets = budgets_of(name, problem, shares)
    counted = run(name, problem, budgets, in_flight, asynchronous, seed)
    for b, budget in enumerate(budgets):
        played = play_in_flight(
            field_policy(name), problem, budget=budget, in_flight=in_flight, asynchronous=asynchronous, seed=seed, run=3
        )
        assert counted.pulls[b].tolist() == played.state.counts.tolist()
        assert played.state.counts.tolist() == np.bincount(played.order, minlength=problem.n_arms).tolist()
        assert counted.spent[0, b] == played.state.counts @ problem.ticks == round(budget * 1e6) - played.money
        if problem.population is None:
            wrong = np.where(played.verdicts == 0, 0.5, (played.verdicts > 0) != problem.is_above)
            matters = problem.means != problem.thresholds
            assert counted.losses[0, b] == pytest.approx((wrong * matters * problem.costs).sum())


@pytest.mark.parametrize("name", WITHOUT_PHASES)
@settings(max_examples=10)
@given(problem=problems(), seed=seeds, shares=shares, asynchronous=st.booleans())
def test_one_pull_at_a_time_is_the_policy_itself(
    name: str, problem: Problem, seed: int, shares: list[float], asynchronous: bool
) -> None:
    budgets = budgets_of(name, problem, shares)
    one = run(name, problem, budgets, 1, asynchronous, seed)
    plain = Job(problem, field_policy(name), Asked(tuple(budgets)), seed).run(3, 1)
    for found, expected in zip(one, plain, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_evt_asks_for_the_least_index_of_what_has_come_back_by_hand() -> None:
    # Two pulls of each arm come first, 1, 1, 0, 1 and 0, 0 against a bar of ½: gaps ½, 0, ½ and variances 0, ¼, 0. With
    # n = 2 the indices are 1, 0 and 1. Nothing that is asked for changes them before it comes back: four times arm 1.
    problem = Problem.bernoulli([1.0, 0.5, 0.0])
    assert [evt_formula(0.5, 0.0, 2.0, 1.0), evt_formula(0.0, 0.25, 2.0, 1.0)] == [1.0, 0.0]
    how = {"budget": 14.0, "in_flight": 4, "asynchronous": False, "run": 0}
    seed = next(
        seed for seed in range(100)
        if play_in_flight(field_policy("evt"), problem, **how | {"budget": 6.0}, seed=seed).state.totals[1] == 1.0  # type: ignore[arg-type]
    )  # fmt: skip
    played = play_in_flight(field_policy("evt"), problem, **how, seed=seed)  # type: ignore[arg-type]
    assert played.order[:10] == [0, 0, 1, 1, 2, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("name", WITHOUT_PHASES)
def test_nothing_is_asked_for_beyond_a_pool_or_the_budget(name: str, asynchronous: bool) -> None:
    problem = Problem.replay({"a": [1, 0, 1, 1], "b": [0, 0, 1], "c": [1]}, 0.5)
    if field_policy(name).why_not(problem) is None:
        for in_flight in (1, 3, 50):
            counted = run(name, problem, [7.0, 100.0], in_flight, asynchronous, seed=1)
            assert counted.pulls[0].sum() == 7
            assert counted.pulls[1].tolist() == [4, 3, 1]


@pytest.mark.parametrize("name", ["csar", "augucb", "mtb", "utb"])
def test_a_policy_with_phases_is_refused(name: str) -> None:
    with pytest.raises(InvalidProblemError, match=f"'{name}' with pulls in flight.*'evt'"):
        Job(Problem.gaussian([-0.2, 0.1, 0.2, 0.3, 0.4]), field_policy(name), Asked((200.0,), in_flight=2), seed=0)
