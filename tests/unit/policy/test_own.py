"""Policies of the user's own: what is accepted, how it is played, and every refusal with its sentence."""

import copy
import pickle
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from thresher.errors import InvalidInputError, InvalidPolicyError, UnknownNameError
from thresher.policy import ArmStatistics, OwnPolicy, RuleSetup, State, Stop, Turn, find_policy, policy_names
from thresher.policy.index import register_index
from thresher.policy.listing import list_policies
from thresher.policy.own import register_policy
from thresher.policy.registry import ALGORITHMS
from thresher.problem import Problem
from thresher.research.engine import SimulationOptions
from thresher.research.engine.reference import play
from thresher.research.simulation import simulate
from thresher.research.simulation.job import Job

PROBLEM = Problem.gaussian([0.4, -0.2, 0.1, 1.0], sigma=[1.0, 0.5, 2.0, 1.0])


class LeastPulled:
    """Pull the arm with the fewest pulls."""

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> Any:
        """Return the arm with the fewest pulls."""
        return np.argmin(np.where(seen.is_open, seen.counts, np.iinfo(np.int64).max))


class Thompson:
    """Pull the arm whose draw from its posterior is nearest to the bar."""

    def __init__(self, scale: float = 1.0, rounds: int = 1, exact: bool = False, word: str = "near") -> None:
        self.scale, self.rounds, self.exact, self.word = scale, rounds, exact, word

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
        """Return the arm whose draw is nearest to the bar."""
        draws = seen.means + self.scale * rng.standard_normal(seen.means.size) / np.sqrt(seen.counts)
        return int(np.argmin(np.abs(draws - seen.thresholds)))


class Counting:
    """Count its choices; pull that arm modulo K."""

    calls = -1

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
        """Return how often it was called, modulo K."""
        self.calls += 1
        return self.calls % seen.counts.size


def least_pulled(seen: ArmStatistics, rng: np.random.Generator) -> Any:
    """Return the arm with the fewest pulls."""
    return np.argmin(seen.counts)


def least_pulled_step(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the open arm with the fewest pulls."""
    best = -1
    for k in range(state.counts.size):
        if state.is_open[k] and (best < 0 or state.counts[k] < state.counts[best]):
            best = k
    return best


STEP = njit(least_pulled_step)  # compiled once for all tests


def sure_arm(arm: Any) -> type:
    """Return a policy that always returns the same."""

    class Sure:
        def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> Any:
            return arm

    return Sure


# What is accepted


@pytest.mark.parametrize(
    "target",
    [LeastPulled, least_pulled, njit(least_pulled), STEP],
    ids=["class", "def", "njit", "step"],
)
@pytest.mark.parametrize("asked", [{}, {"in_flight": 3}, {"in_flight": 3, "delays": "random"}], ids=str)
def test_it_plays_on_the_same_random_numbers_as_others(target: Any, asked: dict[str, Any]) -> None:
    # Pulled alike, arms show the same outcomes: every run has the losses of `uniform`. In flight `uniform` counts
    # outstanding pulls, too, so that it is another policy.
    assert register_policy("mine")(target) is target
    result = simulate(PROBLEM, ["mine", "uniform"], budgets=[8, 41], runs=30, seed=7, **asked)
    if not asked:
        np.testing.assert_array_equal(result.losses("mine"), result.losses("uniform"))
        np.testing.assert_array_equal(result.pulls("mine"), result.pulls("uniform"))
    assert result.spent("mine").tolist() == [[8.0, 41.0]] * 30


@pytest.mark.parametrize("asked", [{"in_flight": 3}, {"in_flight": 3, "delays": "random"}], ids=str)
def test_a_step_plays_as_the_same_rule_in_python(asked: dict[str, Any]) -> None:
    register_policy("slow")(LeastPulled)
    register_policy("fast")(STEP)
    result = simulate(PROBLEM, ["slow", "fast"], budgets=[30], runs=20, seed=7, **asked)
    np.testing.assert_array_equal(result.losses("slow"), result.losses("fast"))


def test_which_engine_plays_it() -> None:
    register_policy("slow")(LeastPulled)
    register_policy("fast")(STEP)
    engines = {
        name: Job(PROBLEM, find_policy(name), SimulationOptions((9.0,)), seed=0).engine for name in ("slow", "fast")
    }
    assert engines == {"slow": "reference", "fast": "driver"}


def test_a_step_plays_samplers_of_the_users_own_too() -> None:
    register_policy("fast")(STEP)
    problem = Problem.custom(samplers=lambda rng: rng.normal(), thresholds=[0.0, 0.0], means=[0.0, 0.0])
    assert simulate(problem, "fast", budgets=[10], runs=3).pulls("fast").tolist() == [[5.0, 5.0]]


def test_parameters_follow_the_name() -> None:
    register_policy("thompson")(Thompson)
    policy = find_policy("thompson:scale=2,rounds=3,exact=yes,word=far")
    assert isinstance(policy, OwnPolicy)
    assert policy.parameters == (("scale", 2.0), ("rounds", 3), ("exact", True), ("word", "far"))
    player = policy.player()
    assert (player.scale, player.rounds, player.exact, player.word) == (2.0, 3, True, "far")
    assert policy.name == "thompson:scale=2,rounds=3,exact=yes,word=far"
    result = simulate(PROBLEM, ["thompson", "thompson:scale=9"], budgets=[60], runs=20)
    assert (result.pulls("thompson") != result.pulls("thompson:scale=9")).any()


def test_an_object_is_a_policy_without_being_registered() -> None:
    assert find_policy(LeastPulled()).name == "LeastPulled"
    register_policy("least")(LeastPulled)
    assert find_policy(LeastPulled()).name == "least"
    thompson: Any = Thompson(3.0)
    thompson.name = "wide"
    result = simulate(PROBLEM, [thompson, LeastPulled()], budgets=[20], runs=5)
    assert result.policies == ["wide", "least"]


def test_an_object_without_a_hash_will_do() -> None:
    @dataclass
    class Plain:
        arm: int = 1

        def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
            return self.arm

    assert simulate(PROBLEM, Plain(2), budgets=[10], runs=3).pulls("Plain").tolist() == [[1.0, 1.0, 7.0, 1.0]]


def test_two_objects_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="name of two policies is 'Thompson'; must be unique"):
        simulate(PROBLEM, [Thompson(1.0), Thompson(2.0)], budgets=[20], runs=5)


def test_the_same_name_can_be_given_again_to_another_kind() -> None:
    for target, is_step in ((LeastPulled, False), (STEP, True), (least_pulled, False)):
        register_policy("mine")(target)
        assert ("mine" in ALGORITHMS) == is_step
        assert policy_names().count("mine") == 1


def test_it_is_listed() -> None:
    register_policy("thompson")(Thompson)
    register_policy("function")(least_pulled)
    register_policy("step")(STEP)
    listed = {entry.name: entry for entry in list_policies()}
    assert listed["thompson"].parameters == "scale=1.0,rounds=1,exact=False,word=near"
    assert listed["thompson"].summary == "Pull the arm whose draw from its posterior is nearest to the bar."
    assert listed["function"].summary == "The arm with the fewest pulls."
    assert listed["step"].summary == "The open arm with the fewest pulls."
    for name in ("thompson", "function", "step"):
        assert listed[name].traits == find_policy(name).traits
        assert listed[name].source == "the user's own"


def test_a_policy_without_a_docstring_is_listed() -> None:
    register_policy("class")(sure_arm(0))
    register_policy("step")(njit(lambda known, state, turn: 0))
    for entry in list_policies()[-2:]:
        assert entry.summary == "A policy of the user's own."


# What it sees


def seen_by(problem: Problem, budget: float, **asked: Any) -> list[ArmStatistics]:
    """Return what a policy that pulls the least pulled arm has seen, choice by choice, and in the end."""
    kept: list[ArmStatistics] = []

    class Keeping(LeastPulled):
        def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> Any:
            kept.append(seen)
            return super().choose(seen, rng)

        def decide(self, seen: ArmStatistics) -> list[int]:
            kept.append(seen)
            return [0] * seen.counts.size

    rule = OwnPolicy("keeping", Keeping).bind(problem, Stop(budget))
    play(rule, problem, budget=budget, seed=1, run=0, **asked)
    return kept


def test_it_sees_the_statistics_of_every_arm() -> None:
    problem = Problem.gaussian([0.4, -0.2], [0.1, 0.3], [1.0, 2.0], costs=[1.0, 5.0], pull_costs=[1.0, 0.5])
    seen = seen_by(problem, 6.0)
    assert [each.counts.tolist() for each in seen[:4]] == [[1, 1], [2, 1], [2, 2], [3, 2]]
    assert [each.left for each in seen[:4]] == [4.5, 3.5, 3.0, 2.0]
    for each in seen:
        assert each.thresholds.tolist() == [0.1, 0.3]
        assert each.costs.tolist() == [1.0, 5.0]
        # The first arm costs 1, the second ½; all are open again when none can be paid.
        assert each.is_open.tolist() == [each.left >= 1.0 or each.left < 0.5, True]
        np.testing.assert_allclose(
            each.evidence, each.counts * (each.means - each.thresholds) ** 2 / (2.0 * problem.sigma**2)
        )
    # The last choice is the first that cannot be paid; in the end it sees the same.
    assert seen[-1].counts.tolist() == seen[-2].counts.tolist()
    assert seen[-1].left == seen[-2].left


def test_what_it_keeps_does_not_change_and_cannot_be_written() -> None:
    seen = seen_by(PROBLEM, 12.0)
    assert [int(each.counts.sum()) for each in seen] == [*range(4, 13), 12]
    assert len({tuple(each.means) for each in seen}) == 9
    for name in ("counts", "means", "evidence", "thresholds", "costs", "is_open"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(seen[0], name)[0] = 0


def test_the_first_pulls_are_those_of_the_family() -> None:
    assert seen_by(Problem.gaussian_unknown_variance([0.1, 0.5]), 8.0)[0].counts.tolist() == [3, 3]


def test_in_flight_it_sees_what_has_come_back() -> None:
    seen = seen_by(PROBLEM, 12.0, in_flight=4)
    assert [int(each.counts.sum()) for each in seen[:5]] == [4, 4, 4, 4, 8]


# Verdicts


def test_verdicts_are_the_sides_of_the_means_unless_it_decides() -> None:
    problem = Problem.gaussian([0.4, -0.2, 0.1], 0.0, 1e-9)
    played = play(OwnPolicy("mine", LeastPulled).bind(problem, Stop(9.0)), problem, budget=9.0, seed=0, run=0)
    assert played.state.verdicts.tolist() == [1, -1, 1]


@pytest.mark.parametrize(
    ("said", "verdicts"),
    [
        ([True, False, False], [1, -1, -1]),
        (np.array([False, True, True]), [-1, 1, 1]),
        ((1, 0, -1), [1, 0, -1]),
        (np.array([1.0, -1.0, 0.0]), [1, -1, 0]),
    ],
)
def test_it_may_decide(said: Any, verdicts: list[int]) -> None:
    class Deciding(LeastPulled):
        def decide(self, seen: ArmStatistics) -> Any:
            return said

    problem = Problem.gaussian([0.4, -0.2, 0.1])
    played = play(OwnPolicy("mine", Deciding).bind(problem, Stop(9.0)), problem, budget=9.0, seed=0, run=0)
    assert played.state.verdicts.tolist() == verdicts


def test_an_undecided_arm_is_half_a_mistake() -> None:
    class Undecided(LeastPulled):
        def decide(self, seen: ArmStatistics) -> Any:
            return np.zeros(seen.counts.size)

    register_policy("undecided")(Undecided)
    assert simulate(PROBLEM, "undecided", budgets=[10], runs=3).losses("undecided").tolist() == [[2.0]] * 3


# One run knows nothing of another


@pytest.mark.nightly("class-processes", "object-processes")
@pytest.mark.parametrize("executor", ["threads", "processes"])
@pytest.mark.parametrize("target", [Counting, Counting()], ids=["class", "object"])
def test_every_run_begins_anew(target: Any, executor: str) -> None:
    if isinstance(target, type):
        register_policy("Counting")(target)
    given = "Counting" if isinstance(target, type) else target
    # Six choices on four arms: two more for the first two, in every run.
    result = simulate(PROBLEM, given, budgets=[10], runs=25, executor=executor, workers=2)
    assert result.pulls("Counting").tolist() == [[3.0, 3.0, 2.0, 2.0]]
    assert result.pulls_stderr("Counting").tolist() == [[0.0, 0.0, 0.0, 0.0]]
    if not isinstance(target, type):
        assert "calls" not in vars(target)


def test_runs_in_several_threads_do_not_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    # Pieces of two runs; every choice waits until another thread chooses, too.
    monkeypatch.setattr("thresher.research.simulation.job.PYTHON_PULLS_PER_CHUNK", 20)
    meeting, threads = threading.Barrier(2), set[int]()

    class Meeting(Counting):
        def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
            threads.add(threading.get_ident())
            meeting.wait(60)
            return super().choose(seen, rng)

    register_policy("meeting")(Meeting)
    result = simulate(PROBLEM, "meeting", budgets=[10], runs=4, workers=2)
    assert len(threads) == 2
    assert result.pulls("meeting").tolist() == [[3.0, 3.0, 2.0, 2.0]]
    assert result.pulls_stderr("meeting").tolist() == [[0.0] * 4]


def test_results_do_not_depend_on_workers_executors_or_other_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    register_policy("thompson")(Thompson)
    names = ["thompson:scale=2", "Counting"]
    policies: list[Any] = [names[0], Counting()]  # it would count on if a run did not begin anew
    plain = simulate(PROBLEM, policies, budgets=[20, 60], runs=12, seed=3, workers=1)
    monkeypatch.setattr("thresher.research.simulation.job.PYTHON_PULLS_PER_CHUNK", 100)
    cut = simulate(PROBLEM, policies, budgets=[20, 60], runs=12, seed=3, workers=2)
    processes = simulate(PROBLEM, policies, budgets=[20, 60], runs=12, seed=3, executor="processes", workers=1)
    alone = simulate(PROBLEM, names[0], budgets=[60], runs=12, seed=3)
    for other in (cut, processes):
        for name in names:
            np.testing.assert_array_equal(plain.losses(name), other.losses(name))
            np.testing.assert_array_equal(plain.pulls(name), other.pulls(name))
    np.testing.assert_array_equal(plain.pulls(names[0])[1:], alone.pulls(names[0]))
    np.testing.assert_array_equal(plain.losses(names[0])[:, 1:], alone.losses(names[0]))


def spend_the_end_on_the_last(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the last arm once less than half of 60 is left."""
    return state.counts.size - 1 if turn.left < 30_000_000 or known.horizon < 30 else 0


class SpendTheEndOnTheLast:
    """Look at what is left of the budget."""

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
        """Return the last arm once less than half of 60 is left."""
        return seen.counts.size - 1 if seen.left < 30 else 0


@pytest.mark.parametrize("target", [SpendTheEndOnTheLast, njit(spend_the_end_on_the_last)], ids=["class", "step"])
def test_what_is_left_is_left_of_its_own_budget(target: Any) -> None:
    register_policy("mine")(target)
    together = simulate(PROBLEM, "mine", budgets=[20, 60], runs=2).pulls("mine")
    alone = [simulate(PROBLEM, "mine", budgets=[budget], runs=2).pulls("mine")[0] for budget in (20, 60)]
    assert together.tolist() == [each.tolist() for each in alone]
    assert together.tolist() == [[1.0, 1.0, 1.0, 17.0], [28.0, 1.0, 1.0, 30.0]]


def local_policies() -> list[Any]:
    """Return policies that no module has: another process cannot import them."""

    class Local(LeastPulled):
        pass

    return [Local, lambda seen, rng: int(seen.counts.argmin()), njit(lambda known, state, turn: 1)]


@pytest.mark.by_day("lambda")
@pytest.mark.parametrize("place", range(3), ids=["class", "lambda", "step"])
def test_processes_play_what_they_could_not_import(place: int) -> None:
    register_policy("local")(local_policies()[place])
    here, there = (
        simulate(PROBLEM, "local", budgets=[12], runs=4, executor=executor, workers=1).losses("local")
        for executor in ("threads", "processes")
    )
    np.testing.assert_array_equal(here, there)


def test_a_step_that_travelled_is_compiled_once() -> None:
    register_policy("step")(STEP)
    algorithm = ALGORITHMS["step"]
    travelling = pickle.dumps(find_policy("step"))
    assert pickle.loads(travelling).algorithm is algorithm
    del ALGORITHMS["step"]  # as in another process
    back = pickle.loads(travelling)
    assert back.is_own
    assert back.algorithm is ALGORITHMS["step"]
    assert pickle.loads(travelling).algorithm is back.algorithm


# Replay pools


POOL = {"a": [0, 1], "b": [1, 1, 0, 1, 1, 0], "c": [1]}


@pytest.mark.parametrize("target", [LeastPulled, STEP], ids=["class", "step"])
def test_a_pool_ends_with_its_last_sample(target: Any) -> None:
    register_policy("mine")(target)
    result = simulate(Problem.replay(POOL, 0.5), "mine", budgets=[5, 20], runs=3)
    assert result.pulls("mine").tolist() == [[2.0, 2.0, 1.0], [2.0, 6.0, 1.0]]
    assert result.spent("mine").tolist() == [[5.0, 9.0]] * 3


def test_a_pool_that_is_empty_after_the_first_pulls_is_judged() -> None:
    register_policy("mine")(LeastPulled)
    result = simulate(Problem.replay({"a": [0], "b": [1]}, 0.5), "mine", budgets=[5], runs=2)
    assert result.losses("mine").tolist() == [[0.0]] * 2


def test_an_arm_that_cannot_be_paid_is_closed_and_ends_the_run_if_it_is_named() -> None:
    problem = Problem.gaussian([0.5, -0.5], pull_costs=[1.0, 10.0])
    register_policy("sure")(sure_arm(1))
    register_policy("open")(lambda seen, rng: int(np.flatnonzero(seen.is_open)[-1]))
    result = simulate(problem, ["sure", "open"], budgets=[25, 34], runs=3)
    # 11 for the first pulls, then 10 for arm 1 while it lasts; 4 and 3 are left.
    assert result.pulls("sure").tolist() == [[1.0, 2.0], [1.0, 3.0]]
    assert result.pulls("open").tolist() == [[5.0, 2.0], [4.0, 3.0]]


def test_an_arm_without_samples_is_refused() -> None:
    register_policy("sure")(sure_arm(0))
    with pytest.raises(InvalidPolicyError) as caught:
        simulate(Problem.replay(POOL, 0.5), "sure", budgets=[9], runs=1)
    assert str(caught.value) == (
        "policy 'sure': choose returned arm 0, which has no samples left; choose among the arms of seen.is_open"
    )


# Refusals when it is registered


class WithoutChoose:
    """No policy."""


class WrongChoose:
    def choose(self, state: object, luck: object) -> int:
        return 0


class WrongDecide(LeastPulled):
    def decide(self, seen: object, rng: object) -> None: ...


class WithoutDefault(LeastPulled):
    def __init__(self, scale: float) -> None: ...


def wrong_function(counts: object, means: object) -> int:
    """Return an arm from arguments of other names."""
    return 0


SIGNATURES: dict[str, tuple[Any, str]] = {
    "no choose": (
        WithoutChoose,
        "policy 'mine': <class 'tests.unit.policy.test_own.WithoutChoose'> has no method choose; "
        "write choose(self, seen, rng) that returns the number of an arm, and perhaps decide(self, seen)",
    ),
    "no function": (7, "policy 'mine': 7 has no method choose; write choose(self, seen, rng) that returns"),
    "choose": (WrongChoose, "policy 'mine': choose takes (state, luck); name its arguments (seen, rng)"),
    "decide": (WrongDecide, "policy 'mine': decide takes (seen, rng); name its arguments (seen)"),
    "function": (wrong_function, "policy 'mine': choose takes (counts, means); name its arguments (seen, rng)"),
    "compiled": (njit(wrong_function), "policy 'mine': choose takes (counts, means); name its arguments (seen, rng)"),
    "default": (
        WithoutDefault, "policy 'mine': 'scale' of __init__ has no default; give every parameter a default"
    ),
    "plain step": (
        least_pulled_step,
        "policy 'mine': choose takes (known, state, turn) and is not compiled; compile it with numba.njit, "
        "or name its arguments (seen, rng)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SIGNATURES)
def test_another_signature_is_refused(case: str) -> None:
    target, sentence = SIGNATURES[case]
    with pytest.raises(InvalidPolicyError) as caught:
        register_policy("mine")(target)
    assert str(caught.value).startswith(sentence)
    assert "mine" not in policy_names()


@pytest.mark.parametrize("name", ["lsa", "evt-pf", "hdoc", "uniform-iid"])
def test_the_name_of_a_built_in_policy_is_taken(name: str) -> None:
    before = find_policy(name)
    with pytest.raises(InvalidPolicyError, match="the name belongs to a built-in policy; choose another name"):
        register_policy(name)(LeastPulled)
    assert find_policy(name) == before


@pytest.mark.parametrize("name", ["", "my policy", "my:policy", "a,b", "a=b"])
def test_a_name_that_could_not_be_typed_is_refused(name: str) -> None:
    with pytest.raises(InvalidPolicyError, match="not a name; use no spaces, colons, commas or equals signs"):
        register_policy(name)(LeastPulled)


def test_a_decorator_without_a_name_is_refused() -> None:
    decorate: Any = register_policy
    with pytest.raises(InvalidPolicyError) as caught:
        decorate(LeastPulled)
    assert str(caught.value).endswith('register_policy was given no name; write @register_policy("name")')


def test_an_index_and_a_policy_do_not_share_a_name() -> None:
    register_index("mine")(lambda count, evidence, cost: count + evidence)
    with pytest.raises(InvalidPolicyError, match="the name belongs to an index of your own; choose another name"):
        register_policy("mine")(LeastPulled)
    register_policy("other")(LeastPulled)
    register_index("other")(lambda count, evidence, cost: count + evidence)
    with pytest.raises(InvalidPolicyError, match="an index of your own has that name, too; give one of them another"):
        find_policy("other")


def step_of(code: str) -> Any:
    """Return a step with this body."""
    known: dict[str, Any] = {}
    exec(f"def choose(known, state, turn):\n    {code}\n", known)
    return njit(known["choose"])


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("pass", "choose returns None; return the number of an arm, or -1 to stop, everywhere"),
        ("return None if turn.pulls > 9 else 0", "choose returns None for some arguments; return"),
        ("return 7.5", "choose returns float; return"),
        ("return turn.is_first", "choose returns bool; return"),
        ("return state.counts", "choose returns array(int64, 1d, C); return"),
        ("return nobody", "Numba cannot compile choose: NameError: name 'nobody' is not defined; use what Numba can"),
    ],
)
def test_a_step_that_returns_no_arm_is_refused_when_it_is_registered(code: str, sentence: str) -> None:
    with pytest.raises(InvalidPolicyError) as caught:
        register_policy("mine")(step_of(code))
    assert str(caught.value).startswith(f"policy 'mine': {sentence}")
    assert "\n" not in str(caught.value)
    assert "mine" not in policy_names()


# Refusals while it plays


@pytest.mark.parametrize(
    "wrong", [None, 7.5, True, np.True_, -1, 4, 10**30, "0", np.array([0]), [1], np.float64(1.0)], ids=repr
)
def test_what_is_no_arm_is_refused(wrong: Any) -> None:
    register_policy("wrong")(sure_arm(wrong))
    with pytest.raises(InvalidPolicyError) as caught:
        simulate(PROBLEM, "wrong", budgets=[9], runs=1)
    assert str(caught.value) == (
        f"policy 'wrong': choose returned {wrong!r}, which is not the number of an arm; "
        "return a whole number from 0 to 3"
    )


@pytest.mark.parametrize("arm", [2, np.int32(2), np.uint8(2), np.array(2)], ids=repr)
def test_any_whole_number_is_an_arm(arm: Any) -> None:
    register_policy("sure")(sure_arm(arm))
    assert simulate(PROBLEM, "sure", budgets=[9], runs=1).pulls("sure").tolist() == [[1.0, 1.0, 6.0, 1.0]]


@pytest.mark.parametrize("code", ["return 4", "return state.counts.size + turn.pulls"])
@pytest.mark.parametrize("is_custom", [False, True])
def test_a_step_that_names_no_arm_is_stopped(code: str, is_custom: bool) -> None:
    register_policy("wrong")(step_of(code))
    custom = Problem.custom(samplers=lambda rng: rng.normal(), thresholds=[0.0] * 4, means=[0.0] * 4)
    with pytest.raises(InvalidPolicyError) as caught:
        simulate(custom if is_custom else PROBLEM, "wrong", budgets=[9], runs=1)
    assert str(caught.value) == (
        "policy 'wrong': choose returned an arm that does not exist or has no samples left; "
        "return the number of an arm of state.is_open, or -1 to stop"
    )


def test_a_step_that_names_a_dry_arm_is_stopped() -> None:
    register_policy("wrong")(step_of("return 0"))
    with pytest.raises(InvalidPolicyError, match="does not exist or has no samples left"):
        simulate(Problem.replay(POOL, 0.5), "wrong", budgets=[9], runs=1)


@pytest.mark.parametrize(
    "wrong",
    [None, True, [True, False], [2, 0, 1, 1], [0.5] * 4, ["above"] * 4, [[True] * 4], [[1], [1, 2]], [np.nan] * 4],
    ids=repr,
)
def test_verdicts_of_another_shape_or_value_are_refused(wrong: Any) -> None:
    class Deciding(LeastPulled):
        def decide(self, seen: ArmStatistics) -> Any:
            return wrong

    register_policy("deciding")(Deciding)
    with pytest.raises(InvalidPolicyError) as caught:
        simulate(PROBLEM, "deciding", budgets=[9], runs=1)
    assert str(caught.value) == (
        f"policy 'deciding': decide returned {wrong!r}; "
        "return one bool for each arm (above its bar or not), or 1, -1 and 0 for undecided"
    )


class Failing(LeastPulled):
    """Fail somewhere."""

    def __init__(self, where: str = "choose") -> None:
        self.where = where
        self.fail("__init__")

    def fail(self, where: str) -> None:
        """Raise if this is the place."""
        if where == self.where:
            raise ZeroDivisionError("by nothing")

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> Any:
        """Fail, or return the arm with the fewest pulls."""
        self.fail("choose")
        return super().choose(seen, rng)

    def decide(self, seen: ArmStatistics) -> Any:
        """Fail, or decide nothing."""
        self.fail("decide")
        return [0] * seen.counts.size


@pytest.mark.nightly("__init__-processes", "decide-processes")
@pytest.mark.parametrize("executor", ["threads", "processes"])
@pytest.mark.parametrize("where", ["__init__", "choose", "decide"])
def test_an_exception_names_the_policy(where: str, executor: str) -> None:
    register_policy("failing")(Failing)
    with pytest.raises(InvalidPolicyError) as caught:
        simulate(PROBLEM, f"failing:where={where}", budgets=[9], runs=1, executor=executor, workers=1)
    assert str(caught.value) == (
        f"policy 'failing:where={where}': {where} raised ZeroDivisionError: by nothing; see the traceback above"
    )
    # In another process the cause is the text of the traceback.
    cause = caught.value.__cause__
    assert isinstance(cause, ZeroDivisionError) or 'ZeroDivisionError("by nothing")' in str(cause)


def test_an_object_that_cannot_be_copied_names_the_policy() -> None:
    locked: Any = LeastPulled()
    locked.lock = threading.Lock()
    with pytest.raises(InvalidPolicyError, match="policy 'LeastPulled': a copy raised TypeError: cannot pickle"):
        simulate(PROBLEM, locked, budgets=[9], runs=1)


def test_an_unknown_parameter_is_refused() -> None:
    register_policy("thompson")(Thompson)
    register_policy("function")(least_pulled)
    with pytest.raises(UnknownNameError, match="unknown parameter 'scal' of 'thompson'; did you mean 'scale'"):
        find_policy("thompson:scal=1")
    with pytest.raises(UnknownNameError, match="unknown parameter 'scale' of 'function'; known: none"):
        find_policy("function:scale=1")
    with pytest.raises(ValueError, match="'much'"):
        find_policy("thompson:scale=much")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"recommend": "peak"}, "policy is 'mine'; it has no peak"),
        ({"stop_price": 0.1}, "policy is 'mine'; it has no price"),
        ({"alpha": 0.05}, "policy is 'mine'; it spends a budget and keeps no error rate"),
    ],
)
def test_what_it_cannot_do_is_refused(asked: dict[str, Any], sentence: str) -> None:
    register_policy("mine")(LeastPulled)
    with pytest.raises(InvalidInputError, match=sentence):
        simulate(PROBLEM, "mine", budgets=[20], runs=2, **asked)


# Stored runs


def first_version() -> list[Any]:
    """Return policies of three kinds."""

    class Mine:
        def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
            return 0

    return [Mine, lambda seen, rng: 0, njit(lambda known, state, turn: 0)]


def second_version() -> list[Any]:
    """Return policies of the same kinds and names that do something else."""

    class Mine:
        def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
            return 1

    return [Mine, lambda seen, rng: 1, njit(lambda known, state, turn: 1)]


@pytest.mark.parametrize("place", range(3), ids=["class", "function", "step"])
def test_versions_of_a_policy_do_not_share_stored_runs(place: int, tmp_path: Path) -> None:
    def pulls(versions: Callable[[], list[Any]]) -> list[list[float]]:
        register_policy("mine")(versions()[place])
        result = simulate(PROBLEM, "mine", budgets=[9], runs=3, out=tmp_path / "runs.db")
        return [list(row) for row in result.pulls("mine")]

    assert pulls(first_version) == [[6.0, 1.0, 1.0, 1.0]]
    assert pulls(second_version) == [[1.0, 6.0, 1.0, 1.0]]
    assert pulls(first_version) == [[6.0, 1.0, 1.0, 1.0]]


def key_of(target: Any) -> str:
    """Return the key of results of a policy, registered under one name or given as an object."""
    if isinstance(target, type):
        register_policy("mine")(target)
    return Job(
        PROBLEM, find_policy("mine" if isinstance(target, type) else target), SimulationOptions((9.0,)), seed=0
    ).key


class Base:
    """What policies share."""

    scale = 1.0

    def choose(self, seen: ArmStatistics, rng: np.random.Generator) -> int:
        """Return an arm."""
        return self.arm(seen)

    def arm(self, seen: ArmStatistics) -> int:
        """Return an arm."""
        return int(self.scale)


def test_the_key_of_results_follows_from_the_code() -> None:
    class Plain(Base):
        pass

    class Scaled(Base):
        scale = 2.0

    class Otherwise(Base):
        @staticmethod
        def arm(seen: ArmStatistics) -> int:
            return 3

    class Static(Base):
        @staticmethod
        def arm(seen: ArmStatistics) -> int:
            return 2

    def same() -> type:
        class Plain(Base):
            def arm(self, seen: ArmStatistics) -> int:
                return 0

        return Plain

    assert key_of(same()) == key_of(same())
    assert key_of(same()).startswith("mine#")
    assert len({key_of(each) for each in (Plain, Scaled, Otherwise, Static, same())}) == 5
    assert key_of(Thompson(1.0)) == key_of(Thompson(1.0))
    assert key_of(Thompson(1.0)) != key_of(Thompson(2.0))


def test_a_base_class_that_changes_changes_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(Base):
        pass

    before = key_of(Plain)
    monkeypatch.setattr(Base, "arm", lambda self, seen: 2)
    assert key_of(Plain) != before


def test_a_copy_is_the_same_policy() -> None:
    policy = find_policy(Thompson(2.0))
    assert copy.copy(policy) == policy
    assert hash(copy.copy(policy)) == hash(policy)
    assert policy.why_not(PROBLEM) is None
    assert policy.is_own
