import math
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.jit import kernel
from thresher.policy import ArmStatistics, OwnPolicy, Stop, find_index_policy, find_policy, per_arm
from thresher.policy.index import INDICES, register_index
from thresher.policy.rule import judge_by_mean
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.simulation.job import Job, refusal
from thresher.streams import arm_key, normal, run_key, uniform, word_at
from thresher.types import Floats

TWO = Problem.gaussian([0.5, -0.5])


def job(problem: Problem = TWO, policy: Any = "lsa", seed: int = 0, **asked: Any) -> Job:
    """Return a job with two arms and a budget of ten unless told otherwise."""
    return Job(problem, find_policy(policy), SimulationOptions(**({"budgets": (10.0,)} | asked)), seed)


# What can be asked


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"budgets": ()}, "budget is missing; at least one is needed"),
        ({"budgets": (20.0, 10.0)}, "budgets is (20.0, 10.0); must increase"),
        ({"budgets": (10.0, 10.0)}, "budgets is (10.0, 10.0); must increase"),
        ({"budgets": (1.0,)}, "budget for 2 arms is 1; must be at least 2: every arm is pulled first"),
        ({"budgets": (-5.0,)}, "positive finite number"),
        ({"budgets": (math.nan,)}, "positive finite number"),
        ({"budgets": (math.inf,)}, "positive finite number"),
        ({"budgets": (1e13,)}, "budget is 1e+13; must be at most 1,000,000,000,000"),
        ({"tolerance": -0.1}, "tolerance is -0.1; must be 0 or a positive number"),
        ({"tolerance": math.nan}, "tolerance is nan"),
        ({"stop_price": -1.0}, "stop_price is -1"),
        ({"stop_price": math.inf}, "stop_price is inf"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the sentence is compared below
        job(**asked)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"recommend": "peek"}, "unknown recommendation 'peek'; did you mean 'peak'"),
        ({"loss": "cost"}, "unknown loss 'cost'; did you mean 'costs'"),
    ],
)
def test_an_unknown_word_suggests_the_nearest(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UnknownNameError, match=sentence):
        job(**asked)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_fits_sixty_three_bits(seed: int) -> None:
    with pytest.raises(InvalidInputError, match="seed"):
        job(seed=seed)


def test_the_budget_pays_at_least_for_the_first_pulls() -> None:
    assert job(budgets=(2.0,)).run(0, 3).pulls.tolist() == [[3, 3]]
    unknown = Problem.gaussian_unknown_variance([0.5, -0.5])
    with pytest.raises(InvalidInputError, match="must be at least 6"):
        job(unknown, budgets=(5.0,))
    assert job(unknown, budgets=(6.0,)).run(0, 3).pulls.tolist() == [[9, 9]]
    dear = Problem.gaussian([0.5, -0.5], pull_costs=[0.1, 0.2])
    assert job(dear, budgets=(0.1 + 0.2,)).run(0, 1).pulls.tolist() == [[1, 1]]


POPULATION = Problem.named("gaussian-population:K=2")


@pytest.mark.parametrize(
    ("policy", "problem", "asked", "sentence"),
    [
        ("sprt", POPULATION, {}, "it needs the true means; use it on a problem with fixed means"),
        ("uniform-iid", TWO, {"stop_price": 0.1}, "it has no price; use a stop price with an index policy"),
        ("csar", TWO, {"in_flight": 2}, "it cannot choose while pulls are in flight; use a policy that can"),
        ("oracle", TWO, {"in_flight": 2}, "it cannot choose while pulls are in flight; use a policy that can"),
        ("kg", TWO, {"recommend": "peak"}, "it has no peak: its indices move without a pull; use recommend='final'"),
        ("hdoc", TWO, {}, "it stops at an error rate, whatever the budget; give an error rate: alpha=0.05"),
        ("stopping", TWO, {"alpha": 0.1}, "it spends a budget and keeps no error rate; give budgets"),
    ],
)
def test_what_a_policy_cannot_do_is_refused(
    policy: str, problem: Problem, asked: dict[str, Any], sentence: str
) -> None:
    found = refusal(find_policy(policy), problem, SimulationOptions((10.0,), **asked))
    assert found is not None
    assert "; ".join(found).startswith(sentence)
    with pytest.raises(InvalidInputError) as caught:
        job(problem, policy, **asked)
    assert str(caught.value) == "; ".join([f"policy is {policy!r}", *found])


@pytest.mark.parametrize(
    ("policy", "problem", "asked"),
    [
        ("sprt", TWO, {"recommend": "peak"}),
        ("stopping", POPULATION, {"stop_price": 0.1}),
        ("stopping", TWO, {"in_flight": 2}),
        ("evt-pf", TWO, {"in_flight": 2}),
        ("uniform-iid", TWO, {"recommend": "peak"}),
        ("csar", TWO, {}),
        ("hdoc", POPULATION, {"alpha": 0.1}),
    ],
)
def test_what_a_policy_can_do_is_not(policy: str, problem: Problem, asked: dict[str, Any]) -> None:
    assert refusal(find_policy(policy), problem, SimulationOptions((10.0,), **asked)) is None
    assert job(problem, policy, **asked).run(0, 2).losses.shape == (2, 1)


def test_the_largest_budget_runs() -> None:
    # One pull costs nearly all: the count of millionths must not overflow on the way.
    problem = Problem.gaussian([0.5], pull_costs=9e11)
    counted = job(problem, budgets=(1e12,)).run(0, 1)
    assert counted.pulls.tolist() == [[1]]
    assert counted.spent.tolist() == [[9 * 10**17]]


# Runs


def test_runs_are_the_same_however_they_are_cut() -> None:
    whole = job(budgets=(10.0, 30.0)).run(0, 20)
    parts = [job(budgets=(10.0, 30.0)).run(first, runs) for first, runs in ((0, 3), (3, 1), (4, 16))]
    np.testing.assert_array_equal(whole.losses, np.concatenate([part.losses for part in parts]))
    np.testing.assert_array_equal(whole.pulls, sum(part.pulls for part in parts))


def test_ties_go_to_the_lowest_arm() -> None:
    # Round robin: after one pull each, all indices are equal.
    three = Problem.gaussian([0.5, -0.5, 0.1])
    counted = job(three, policy="uniform", budgets=(3.0, 4.0, 5.0, 6.0, 7.0)).run(0, 1)
    assert counted.pulls.tolist() == [[1, 1, 1], [2, 1, 1], [2, 2, 1], [2, 2, 2], [3, 2, 2]]


@kernel
def draws_of(run: int, pulls: int) -> tuple[Floats, Floats]:
    """Return the normal and the uniform numbers of the first arm's pulls in a run of seed 0."""
    key = arm_key(run_key(0, run), 0)
    words = [word_at(key, place) for place in range(pulls)]
    return np.array([normal(word) for word in words]), np.array([uniform(word) for word in words])


@pytest.mark.parametrize(
    ("problem", "budget"), [(Problem.gaussian([0.2]), 8), (Problem.bernoulli([0.4]), 4)], ids=["gaussian", "bernoulli"]
)
def test_the_peak_is_the_last_time_at_which_the_least_index_was_largest(problem: Problem, budget: int) -> None:
    # One arm: its index is the least. APT's is n (mean - threshold)^2 up to a factor; the verdict is that of the mean
    # at the last maximum. Of 0/1 outcomes at the bar 1/2, the index is the same after 1 and after 1, 0, 0, 0.
    counts = np.arange(1, budget + 1)
    wrong: dict[str, list[float]] = {"final": [], "peak": []}
    for run in range(300):
        normals, uniforms = draws_of(run, budget)
        outcomes = 0.2 + normals if problem.family == "gaussian" else (uniforms < 0.4).astype(float)
        gaps = np.cumsum(outcomes) / counts - problem.thresholds[0]
        last = budget - 1 - int(np.argmax((counts * gaps * gaps)[::-1]))
        for recommend, place in (("final", budget - 1), ("peak", last)):
            wrong[recommend].append(float((gaps[place] > 0) != problem.is_above[0]))
    for recommend, expected in wrong.items():
        counted = job(problem, policy="apt", budgets=(float(budget),), recommend=recommend).run(0, 300)
        assert counted.losses[:, 0].tolist() == expected
    assert wrong["final"] != wrong["peak"]


@pytest.mark.parametrize("policy", ["lsa:structure=none", "stopping:structure=none", "uniform", "uniform-iid"])
def test_a_replay_without_replacement_ends_when_its_samples_do(policy: str) -> None:
    samples = {"x": [0.0, 1.0, 1.0], "y": [0.0, 0.0], "z": [1.0]}
    once = job(Problem.replay(samples, 0.5), policy=policy, budgets=(6.0, 100.0)).run(0, 20)
    assert once.pulls[1].tolist() == [60, 40, 20]
    assert (once.spent[:, 1] == 6 * 10**6).all()
    # Who has seen all samples of a replay knows its truth.
    assert (once.losses[:, 1] == 0.0).all()
    again = job(Problem.replay(samples, 0.5, replacement=True), policy=policy, budgets=(6.0, 100.0)).run(0, 20)
    assert (again.spent[:, 1] == 100 * 10**6).all()
    assert again.pulls[1].sum() == 2000


def test_pieces_of_work_depend_on_the_budget_alone() -> None:
    assert job(budgets=(1000.0,)).chunk_size() == 5000
    assert job(budgets=(1e9,)).chunk_size() == 1
    cheap = Problem.gaussian([0.5, -0.5], pull_costs=0.1)
    assert job(cheap, budgets=(100.0,)).chunk_size() == 5000


def test_a_stop_price_ends_a_run_early_and_no_price_never() -> None:
    # lsa's price is exp(-F): it falls below 1e-3 long before 2,000 pulls of two easy arms.
    easy = Problem.gaussian([3.0, -3.0])
    stopped = job(easy, budgets=(2000.0,), stop_price=1e-3).run(0, 20)
    assert (stopped.spent < 100 * 10**6).all()
    assert (job(easy, budgets=(2000.0,)).run(0, 20).spent == 2000 * 10**6).all()


@pytest.mark.parametrize("name", ["uniform-iid", "oracle", "static-optimum"])
def test_policies_that_do_not_look_at_outcomes_are_judged_by_the_sign_of_the_mean(name: str) -> None:
    rule = find_policy(name).bind(TWO, Stop(10.0))
    assert rule.conclude is judge_by_mean
    for one, other in zip(rule.known.ranking, find_index_policy("uniform").rank(TWO), strict=True):
        np.testing.assert_array_equal(one, other)


# With an error rate


def test_a_run_that_stops_by_itself_says_so_and_one_that_is_ended_does_not() -> None:
    ended, stopped = (job(policy="hdoc", budgets=(most,), alpha=0.05).run(0, 10) for most in (3.0, 10_000.0))
    assert (ended.stopped == 0).all()
    assert (ended.spent == 3 * 10**6).all()
    assert (stopped.stopped == 1).all()
    assert (stopped.spent < 1000 * 10**6).all()
    assert stopped.losses.sum() == 0.0
    assert stopped.outputs.shape == (10, 2)
    assert (stopped.outputs[:, 0] > 0).all()
    assert (stopped.outputs[:, 1] == 0).all()
    assert job().run(0, 10).outputs.shape == (10, 0)


def test_a_piece_of_work_with_an_error_rate_does_not_wait_for_the_most_pulls() -> None:
    # A run takes about a thousand pulls of every arm, and never more than the most.
    assert job(policy="hdoc", budgets=(1e6,), alpha=0.1).chunk_size() == 2500
    assert job(policy="hdoc", budgets=(100.0,), alpha=0.1).chunk_size() == 50_000


# The name of what was done


def test_a_policy_that_its_name_describes_is_kept_under_its_name() -> None:
    for name in ("lsa", "lsa:alpha=1.35", "uniform-iid", "stopping:prior_mean=0,prior_sd=1"):
        assert job(policy=name).key == name


class First:
    """A policy of the user's own."""

    place = 0

    def __init__(self, arm: int = 0) -> None:
        self.arm = arm

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
        return self.arm + self.place


class Last(First):
    """The same but for one number."""

    place = 1


def test_policies_that_share_a_name_and_differ_are_kept_apart() -> None:
    keys = {
        job(policy=per_arm(["lsa", "fwt"])).key,
        job(policy=per_arm(["fwt", "lsa"])).key,
        job(policy=per_arm(["lsa:alpha=2", "fwt"])).key,
        job(policy=per_arm(["lsa", "lsa"], name="lsa")).key,
        job(policy="lsa").key,
        job(policy=OwnPolicy("lsa", First)).key,
        job(policy=OwnPolicy("lsa", Last)).key,
        job(policy=OwnPolicy("lsa", First())).key,
        job(policy=OwnPolicy("lsa", First(arm=1))).key,
        job(policy=OwnPolicy("lsa", First, (("arm", 1),))).key,
    }
    assert len(keys) == 10
    assert job(policy=OwnPolicy("lsa", First(arm=1))).key == job(policy=OwnPolicy("lsa", First(arm=1))).key
    assert job(policy=per_arm(["lsa", "fwt"])).key == job(policy=per_arm(["lsa", "fwt"])).key


def test_a_users_index_is_kept_under_its_formula() -> None:
    def one(count: float, evidence: float, cost: float) -> float:
        return evidence + math.log(count)

    def other(count: float, evidence: float, cost: float) -> float:
        return evidence + 2.0 * math.log(count)

    keys = []
    try:
        for formula in (one, other, one):
            register_index("test-key")(formula)
            keys.append(job(policy="test-key").key)
    finally:
        del INDICES["test-key"]
    assert keys[0] == keys[2] != keys[1]


def test_a_fitted_population_of_0_and_1_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="and not bernoulli; use another policy"):
        Job(Problem.bernoulli([0.4, 0.6]), find_policy("stopping-fitted"), SimulationOptions((10.0,)), seed=0)
