"""The fast engine against the one that is written to be read, and against the paper's lemmas."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.contracts.strategies import budgets_for, policies_for, problems, seeds
from tests.support.plays import played
from thresher.policy import IndexPolicy, Stop, arm_index, find_index_policy, rule_of
from thresher.problem import Problem, named, ticks_of
from thresher.research.engine import LOSSES, Loss, RunCounts, arms_of
from thresher.research.engine.counted import join_budgets
from thresher.research.engine.draws import outcome_at, supply_of
from thresher.research.engine.losses import judge
from thresher.research.engine.options import one_pass
from thresher.research.engine.reference import drawn_arms
from thresher.research.engine.runs import run_index_policy
from thresher.research.engine.schedule import Schedule
from thresher.research.engine.sweep import PILOT_ARMS, PILOT_PART


def schedule(
    budgets: list[float], *, at_peak: bool = False, loss: str = "costs", ceiling: float = math.inf
) -> Schedule:
    return Schedule(np.array([ticks_of(b) for b in budgets], np.int64), at_peak, ceiling, Loss.named(loss).code)


def fast(policy: IndexPolicy, problem: Problem, asked: Schedule, *, seed: int, run: int, runs: int = 1) -> RunCounts:
    passes = [asked._replace(budgets=np.array(part)) for part in one_pass(problem, asked.budgets.tolist())]
    ranking, arms = policy.rank(problem), arms_of(problem)
    return join_budgets([run_index_policy(ranking, arms, one, seed, run, runs) for one in passes])


def assert_alike(policy: IndexPolicy, problem: Problem, asked: Schedule, *, price: float, seed: int, run: int) -> None:
    """Compare a run with that of the reference engine, budget by budget, bit for bit."""
    found, arms = fast(policy, problem, asked, seed=seed, run=run), arms_of(problem)
    for b, ticks in enumerate(asked.budgets):
        slow = played(policy, problem, budget=ticks * 1e-6, price=price, at_peak=asked.at_peak, seed=seed, run=run)
        np.testing.assert_array_equal(found.pulls[b], slow.state.counts)
        assert found.spent[0, b] == ticks - slow.left == np.bincount(slow.order, minlength=problem.n_arms) @ arms.ticks
        assert found.stopped[0, b] == slow.stopped
        expected = judge(arms, slow.means, slow.state.verdicts, asked.loss)
        assert (found.losses[0, b], found.any_mistakes[0, b]) == expected


@given(
    data=st.data(), problem=problems(), seed=seeds, run=st.integers(0, 1000), at_peak=st.booleans(),
    loss=st.sampled_from([*LOSSES, "more-than:m=1"]), price=st.sampled_from([0.0, 0.0, 0.05]),
)  # fmt: skip
def test_the_fast_engine_gives_what_the_readable_one_gives(
    data: st.DataObject, problem: Problem, seed: int, run: int, at_peak: bool, loss: str, price: float
) -> None:
    policy, budgets = data.draw(policies_for(problem)), data.draw(budgets_for(problem))
    ceiling = policy.bind(problem, Stop(budgets[-1], price)).known.ceiling
    asked = schedule(budgets, at_peak=at_peak, loss=loss, ceiling=ceiling)
    assert_alike(policy, problem, asked, price=price, seed=seed, run=run)


@pytest.mark.parametrize("run", [0, *(pytest.param(run, marks=pytest.mark.nightly) for run in (1, 2))])
@pytest.mark.parametrize("at_peak", [False, True])
@pytest.mark.parametrize("name", ["apt", "lsa", "fwt", "fwt-sqrt", "stopping", "uniform"])
def test_long_runs_agree_too(name: str, at_peak: bool, run: int) -> None:
    # Long enough for many levels, levels that are taken back, and arms that stay near the bar.
    problem = Problem.gaussian([0.0, 0.02, -0.3, 1.0, -0.05])
    asked = schedule([50.0, 1000.0, 1010.0, 6000.0], at_peak=at_peak)
    assert_alike(find_index_policy(name), problem, asked, price=0.0, seed=3, run=run)


def index_paths(policy: IndexPolicy, problem: Problem, *, seed: int, run: int, length: int) -> list[list[float]]:
    """Return the index of every arm after 1, 2, … pulls of its own."""
    arms, ranking, paths = arms_of(problem), policy.rank(problem), []
    for k, arm in enumerate(drawn_arms(arms, seed, run)):
        rule, total, squares = rule_of(ranking, k), 0.0, 0.0
        path = []
        for place in range(length):
            outcome = outcome_at(arm, arms.pool, place)
            total, squares = total + outcome, squares + (outcome - problem.thresholds[k]) ** 2
            path.append(arm_index(rule, place + 1.0, total, squares) if place + 1 < supply_of(arm) else math.inf)
        paths.append(path)
    return paths


@given(seed=seeds, name=st.sampled_from(["apt", "lsa", "fwt", "fwt-sqrt", "stopping"]), share=st.floats(0.0, 1.0))
def test_all_indices_reach_a_level_if_and_only_if_the_first_passages_can_be_paid(
    seed: int, name: str, share: float
) -> None:
    """The paper's appendix C: F_C = {Σ τ_k(C) ≤ T}."""
    problem, budget = named("linear:K=4"), 60
    paths = index_paths(find_index_policy(name), problem, seed=seed, run=0, length=budget)
    level = float(np.quantile([value for path in paths for value in path if value > -math.inf], share))
    passages = [next((n + 1 for n, value in enumerate(path) if value >= level), budget + 1) for path in paths]
    peak = played(name, problem, budget=budget, at_peak=True, seed=seed).state
    highest = min(path[count - 1] for path, count in zip(paths, peak.counts, strict=True))
    assert (sum(passages) <= budget) == (highest >= level)


@given(data=st.data(), problem=problems(), seed=seeds)
def test_at_most_one_arm_is_pulled_after_the_peak(data: st.DataObject, problem: Problem, seed: int) -> None:
    """The paper's appendix C, last lemma."""
    policy = data.draw(policies_for(problem))
    budget = data.draw(budgets_for(problem))[0]
    found = fast(policy, problem, schedule([budget]), seed=seed, run=0).pulls[0]
    peak = fast(policy, problem, schedule([budget], at_peak=True), seed=seed, run=0).pulls[0]
    # With pull costs the rest of the budget may go to several cheaper arms.
    assert (found != peak).sum() <= 1 or len(set(problem.ticks)) > 1
    assert (found >= peak).all()


@given(data=st.data(), problem=problems(), seed=seeds)
def test_other_budgets_change_nothing(data: st.DataObject, problem: Problem, seed: int) -> None:
    policy, budgets = data.draw(policies_for(problem)), data.draw(budgets_for(problem))
    together = fast(policy, problem, schedule(budgets), seed=seed, run=2)
    for b, budget in enumerate(budgets):
        alone = fast(policy, problem, schedule([budget]), seed=seed, run=2)
        assert alone.losses[0, 0] == together.losses[0, b]
        np.testing.assert_array_equal(alone.pulls[0], together.pulls[b])


@pytest.mark.parametrize("name", ["apt", "lsa", "stopping"])
def test_a_peak_before_an_earlier_budget_is_still_the_peak(name: str) -> None:
    # One arm on its bar leads for most of the time, so that many budgets end in one lead; it is cheap, so that the end
    # of each budget has many pulls.
    problem, policy = Problem.gaussian([0.0, 1.0, -1.0], pull_costs=[0.1, 4.0, 4.0]), find_index_policy(name)
    budgets = [float(budget) for budget in range(20, 80, 3)]
    for run in range(40):
        together = fast(policy, problem, schedule(budgets, at_peak=True), seed=8, run=run)
        for b, budget in enumerate(budgets):
            alone = fast(policy, problem, schedule([budget], at_peak=True), seed=8, run=run)
            np.testing.assert_array_equal(alone.pulls[0], together.pulls[b])


@given(data=st.data(), problem=problems(), seed=seeds, at_peak=st.booleans(), ceiling=st.sampled_from([math.inf, 6.0]))
def test_many_runs_together_are_the_same_runs_alone(
    data: st.DataObject, problem: Problem, seed: int, at_peak: bool, ceiling: float
) -> None:
    # Together they come to use boundary tables, and know from each other at which level to start.
    policy, budgets, runs = data.draw(policies_for(problem)), data.draw(budgets_for(problem, most_pulls=400.0)), 80
    asked = schedule(budgets, at_peak=at_peak, ceiling=ceiling)
    together = fast(policy, problem, asked, seed=seed, run=0, runs=runs)
    alone = [fast(policy, problem, asked, seed=seed, run=run) for run in range(runs)]
    np.testing.assert_array_equal(together.losses, np.concatenate([one.losses for one in alone]))
    np.testing.assert_array_equal(together.spent, np.concatenate([one.spent for one in alone]))
    np.testing.assert_array_equal(together.pulls_squared, sum(one.pulls_squared for one in alone))


@pytest.mark.parametrize("name", ["apt", "fwt", "stopping"])
@pytest.mark.parametrize(
    "problem",
    [Problem.gaussian(1e6 + np.array([0.02, -0.3, 1.0]), 1e6), Problem.bernoulli([0.88, 0.6, 0.99], 0.9)],
    ids=["far from zero", "zeros and ones"],
)
def test_many_long_runs_agree_with_the_readable_engine(name: str, problem: Problem) -> None:
    budget, runs, policy = 4000.0, 6, find_index_policy(name)
    found = fast(policy, problem, schedule([budget]), seed=7, run=0, runs=runs)
    slow = [played(policy, problem, budget=budget, seed=7, run=run).state.counts for run in range(runs)]
    np.testing.assert_array_equal(found.pulls[0], np.sum(slow, axis=0))
    np.testing.assert_array_equal(found.pulls_squared[0], np.sum(np.square(slow), axis=0))


@pytest.mark.parametrize("name", ["lsa", "stopping"])
def test_with_many_arms_a_pilot_goes_first(name: str) -> None:
    problem, budget = named(f"linear:K={PILOT_ARMS * PILOT_PART}"), 5.0 * PILOT_ARMS * PILOT_PART
    policy = find_index_policy(name)
    found = fast(policy, problem, schedule([budget]), seed=6, run=0)
    slow = played(policy, problem, budget=budget, seed=6, run=0)
    np.testing.assert_array_equal(found.pulls[0], slow.state.counts)


def test_ten_pulls_of_a_tenth_fit_into_one() -> None:
    problem = Problem.gaussian([1.0], pull_costs=0.1)
    found = fast(find_index_policy("uniform"), problem, schedule([1.0]), seed=1, run=0)
    assert found.pulls[0, 0] == 10


@pytest.mark.parametrize("at_peak", [False, True])
@pytest.mark.parametrize("price", [0.0, 0.02])
@pytest.mark.parametrize("name", ["apt", "lsa", "stopping", "uniform"])
def test_the_rest_of_a_budget_goes_to_the_arms_that_it_can_pay(name: str, price: float, at_peak: bool) -> None:
    problem = Problem.gaussian([0.1, -0.2, 0.0, 1.0], costs=[1.0, 30.0, 1.0, 5.0], pull_costs=[0.1, 50.0, 1.5, 7.0])
    policy = find_index_policy(name)
    ceiling = policy.bind(problem, Stop(100.0, price)).known.ceiling
    asked = schedule([60.0, 107.9, 149.0, 400.0], at_peak=at_peak, ceiling=ceiling)
    for run in range(6):
        assert_alike(policy, problem, asked, price=price, seed=3, run=run)


def test_a_run_ends_when_every_pool_is_dry() -> None:
    problem = Problem.replay({"a": [0, 1, 1], "b": [1]}, 0.5)
    found = fast(find_index_policy("lsa"), problem, schedule([100.0]), seed=1, run=0)
    assert found.pulls[0].tolist() == [3, 1]
    assert found.spent[0, 0] == ticks_of(4.0)


def test_a_ceiling_stops_at_the_first_time_when_all_indices_are_there() -> None:
    problem, policy = named("linear:K=4"), find_index_policy("stopping")
    found = fast(policy, problem, schedule([500.0], ceiling=4.0), seed=5, run=0)
    paths = index_paths(policy, problem, seed=5, run=0, length=500)
    passages = [next(n + 1 for n, value in enumerate(path) if value >= 4.0) for path in paths]
    assert found.pulls[0].tolist() == passages
    assert sum(passages) < 500
    assert found.stopped.tolist() == [[1]]


@pytest.mark.parametrize("n_arms", [1, 2, 3000])
def test_any_number_of_arms(n_arms: int) -> None:
    problem = named(f"linear:K={n_arms}")
    found = fast(find_index_policy("lsa"), problem, schedule([3.0 * n_arms]), seed=1, run=0)
    assert found.pulls[0].sum() == 3 * n_arms
    assert found.pulls[0].min() >= 1
