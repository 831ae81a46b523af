"""The fast engine against the one that is written to be read, and against the paper's lemmas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thresher.engine import LOSSES, Counted, Question, arms_of, reference, run_index_policy, ticks_of
from thresher.engine.draws import arm_of, has_sample, mean_of, outcome_at
from thresher.engine.judge import judge
from thresher.policy import IndexPolicy, find_policy, rule_of, urgency_of
from thresher.problem import Problem, named
from thresher.streams import arm_key, run_key
from thresher.testing.strategies import budgets_for, policies_for, problems, seeds
from thresher.types import Floats


def index_policy(name: str) -> IndexPolicy:
    found = find_policy(name)
    assert isinstance(found, IndexPolicy)
    return found


def question(budgets: list[float], *, at_peak: bool = False, loss: str = "costs") -> Question:
    return Question(np.array([ticks_of(b) for b in budgets], np.int64), at_peak, LOSSES[loss], 0.0, math.inf)


def fast(policy: IndexPolicy, problem: Problem, asked: Question, *, seed: int, run: int) -> Counted:
    return run_index_policy(policy.rank(problem), arms_of(problem), asked, seed, run, 1)


def true_means(problem: Problem, *, seed: int, run: int) -> Floats:
    arms, key = arms_of(problem), np.uint64(run_key(seed, run))
    return np.array([mean_of(arms, k, np.uint64(arm_key(key, k))) for k in range(problem.n_arms)])


@settings(max_examples=150)
@given(data=st.data(), problem=problems(), seed=seeds, run=st.integers(0, 1000), loss=st.sampled_from(sorted(LOSSES)))
def test_the_fast_engine_gives_what_the_readable_one_gives(
    data: st.DataObject, problem: Problem, seed: int, run: int, loss: str
) -> None:
    policy, budgets = data.draw(policies_for(problem)), data.draw(budgets_for(problem))
    arms, ranking = arms_of(problem), policy.rank(problem)
    final = fast(policy, problem, question(budgets, loss=loss), seed=seed, run=run)
    peak = fast(policy, problem, question(budgets, at_peak=True, loss=loss), seed=seed, run=run)
    means = true_means(problem, seed=seed, run=run)
    for b, budget in enumerate(budgets):
        slow = reference.spend(policy, problem, budget=budget, seed=seed, run=run)
        np.testing.assert_array_equal(final.pulls[b], slow.counts)
        np.testing.assert_array_equal(peak.pulls[b], slow.peak_counts)
        assert final.spent[0, b] == slow.counts @ arms.ticks <= ticks_of(budget)
        expected = judge(ranking, arms, means, slow.counts, slow.totals, LOSSES[loss], 0.0)
        assert (final.losses[0, b], final.any_mistakes[0, b]) == expected
        expected = judge(ranking, arms, means, slow.peak_counts, slow.peak_totals, LOSSES[loss], 0.0)
        assert (peak.losses[0, b], peak.any_mistakes[0, b]) == expected


@pytest.mark.parametrize("name", ["apt", "lsa", "fwt", "fwt-sqrt", "stopping", "uniform"])
def test_long_runs_agree_too(name: str) -> None:
    # Long enough for many levels, levels that are taken back, and arms that stay near the bar.
    problem = Problem.gaussian([0.0, 0.02, -0.3, 1.0, -0.05])
    budgets = [50.0, 1000.0, 1010.0, 6000.0]
    for run in range(3):
        found = fast(index_policy(name), problem, question(budgets, at_peak=True), seed=3, run=run)
        for b, budget in enumerate(budgets):
            slow = reference.spend(index_policy(name), problem, budget=budget, seed=3, run=run)
            np.testing.assert_array_equal(found.pulls[b], slow.peak_counts)


def index_paths(policy: IndexPolicy, problem: Problem, *, seed: int, run: int, length: int) -> list[list[float]]:
    """Return the index of every arm after 1, 2, … pulls of its own."""
    arms, ranking, key = arms_of(problem), policy.rank(problem), np.uint64(run_key(seed, run))
    paths = []
    for k in range(problem.n_arms):
        own = np.uint64(arm_key(key, k))
        arm, rule = arm_of(arms, k, mean_of(arms, k, own), own)._replace(key=own), rule_of(ranking, k)
        total = squares = 0.0
        path = []
        for place in range(length):
            outcome = outcome_at(arm, arms.pool, place)
            total, squares = total + outcome, squares + (outcome - problem.thresholds[k]) ** 2
            path.append(urgency_of(rule, place + 1.0, total, squares) if has_sample(arm, place + 1) else math.inf)
        paths.append(path)
    return paths


@given(seed=seeds, name=st.sampled_from(["apt", "lsa", "fwt", "fwt-sqrt", "stopping"]), share=st.floats(0.0, 1.0))
def test_all_indices_reach_a_level_if_and_only_if_the_first_passages_can_be_paid(
    seed: int, name: str, share: float
) -> None:
    """The paper's appendix C: F_C = {Σ τ_k(C) ≤ T}."""
    problem, budget = named("linear:K=4"), 60
    paths = index_paths(index_policy(name), problem, seed=seed, run=0, length=budget)
    level = float(np.quantile([value for path in paths for value in path if value > -math.inf], share))
    passages = [next((n + 1 for n, value in enumerate(path) if value >= level), budget + 1) for path in paths]
    slow = reference.spend(index_policy(name), problem, budget=budget, seed=seed, run=0)
    highest = min(path[count - 1] for path, count in zip(paths, slow.peak_counts, strict=True))
    assert (sum(passages) <= budget) == (highest >= level)


@given(data=st.data(), problem=problems(), seed=seeds)
def test_at_most_one_arm_is_pulled_after_the_peak(data: st.DataObject, problem: Problem, seed: int) -> None:
    """The paper's appendix C, last lemma."""
    policy = data.draw(policies_for(problem))
    budget = data.draw(budgets_for(problem))[0]
    found = fast(policy, problem, question([budget]), seed=seed, run=0).pulls[0]
    peak = fast(policy, problem, question([budget], at_peak=True), seed=seed, run=0).pulls[0]
    assert (found != peak).sum() <= 1
    assert (found >= peak).all()


@given(data=st.data(), problem=problems(), seed=seeds)
def test_other_budgets_beside_it_change_nothing(data: st.DataObject, problem: Problem, seed: int) -> None:
    policy, budgets = data.draw(policies_for(problem)), data.draw(budgets_for(problem))
    together = fast(policy, problem, question(budgets), seed=seed, run=2)
    for b, budget in enumerate(budgets):
        alone = fast(policy, problem, question([budget]), seed=seed, run=2)
        assert alone.losses[0, 0] == together.losses[0, b]
        np.testing.assert_array_equal(alone.pulls[0], together.pulls[b])


@pytest.mark.parametrize("name", ["apt", "lsa", "stopping"])
def test_a_peak_before_an_earlier_budget_is_still_the_peak(name: str) -> None:
    # One arm on its bar leads for most of the time, so that many budgets end in one lead; it is cheap, so that the end
    # of each budget has many pulls.
    problem, policy = Problem.gaussian([0.0, 1.0, -1.0], pull_costs=[0.1, 4.0, 4.0]), index_policy(name)
    budgets = [float(budget) for budget in range(20, 80, 3)]
    for run in range(40):
        together = fast(policy, problem, question(budgets, at_peak=True), seed=8, run=run)
        for b, budget in enumerate(budgets):
            alone = fast(policy, problem, question([budget], at_peak=True), seed=8, run=run)
            np.testing.assert_array_equal(alone.pulls[0], together.pulls[b])


def test_ten_pulls_of_a_tenth_fit_into_one() -> None:
    problem = Problem.gaussian([1.0], pull_costs=0.1)
    found = fast(index_policy("uniform"), problem, question([1.0]), seed=1, run=0)
    assert found.pulls[0, 0] == 10


def test_a_run_ends_when_every_pool_is_dry() -> None:
    problem = Problem.replay({"a": [0, 1, 1], "b": [1]}, 0.5)
    found = fast(index_policy("lsa"), problem, question([100.0]), seed=1, run=0)
    assert found.pulls[0].tolist() == [3, 1]
    assert found.spent[0, 0] == ticks_of(4.0)


def test_a_ceiling_stops_at_the_first_time_when_all_indices_are_there() -> None:
    problem, policy = named("linear:K=4"), index_policy("stopping")
    asked = question([500.0])._replace(ceiling=4.0)
    found = fast(policy, problem, asked, seed=5, run=0)
    paths = index_paths(policy, problem, seed=5, run=0, length=500)
    passages = [next(n + 1 for n, value in enumerate(path) if value >= 4.0) for path in paths]
    assert found.pulls[0].tolist() == passages
    assert sum(passages) < 500


@pytest.mark.parametrize("n_arms", [1, 2, 3000])
def test_any_number_of_arms(n_arms: int) -> None:
    problem = named(f"linear:K={n_arms}")
    found = fast(index_policy("lsa"), problem, question([3.0 * n_arms]), seed=1, run=0)
    assert found.pulls[0].sum() == 3 * n_arms
    assert found.pulls[0].min() >= 1
