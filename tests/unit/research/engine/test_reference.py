"""The loop that is written to be read: every choice by hand, pulls in flight, and the user's own samplers."""

import math
from collections.abc import Callable
from itertools import count

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.contracts.strategies import problems, seeds
from tests.support.plays import played
from thresher.policy import find_policy
from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius
from thresher.problem import Problem, named, ticks_of
from thresher.research.engine import RunCounts, SimulationOptions, arms_of, bind_policy, run_policy
from thresher.research.engine.draws import outcomes_between
from thresher.research.engine.reference import drawn_arms, play_runs
from thresher.research.engine.run import REFERENCE

Sampler = Callable[[np.random.Generator], float]


def certain(*rates: float) -> Problem:
    """Return 0/1 arms that always show the same, so that nothing is left to chance."""
    return Problem.bernoulli(list(rates), 0.5)


def test_every_arm_is_pulled_once_first() -> None:
    spent = played("apt", certain(1.0, 0.0, 1.0), budget=3, seed=0)
    assert spent.order == [0, 1, 2]
    assert spent.state.counts.tolist() == [1, 1, 1]
    assert spent.state.totals.tolist() == [1.0, 0.0, 1.0]
    assert (spent.left, spent.stopped, spent.outputs) == (0, False, [])


def test_ties_go_to_the_lowest_arm() -> None:
    # After one pull each, x = 1 · (1 − ½)² / (2 · ¼) = ½ for all: arms 1, 2, 3 in turn.
    assert played("apt", certain(1.0, 0.0, 1.0), budget=7, seed=0).order == [0, 1, 2, 0, 1, 2, 0]


def test_the_least_index_is_pulled() -> None:
    # Costs 1 and e²: LSA's index is n/2 + log(n/a), so that the dear arm is pulled until n/2 + log n > ½ + 2.
    problem = Problem.bernoulli([1.0, 1.0], 0.5, costs=[1.0, np.exp(2.0)])
    # n = 2: 1 + 0.69; n = 3: 1.5 + 1.10 = 2.60 > 2.5: three pulls of the dear arm, then the other one.
    assert played("lsa", problem, budget=5, seed=0).order == [0, 1, 1, 1, 0]


def test_the_peak_is_the_last_time_when_the_least_index_was_largest() -> None:
    # Under `uniform` the index is n: after T = 5 pulls of two arms min n is 2, first at T = 4 and last at T = 5.
    for at_peak in (False, True):
        spent = played("uniform", certain(1.0, 0.0), budget=5, seed=0, at_peak=at_peak)
        assert spent.state.counts.tolist() == [3, 2]


def test_after_the_peak_one_arm_may_fall_back() -> None:
    # One 0/1 arm with θ = ½ and outcomes 1, 0: x goes from ½ to 0, so that the peak is after the first pull.
    problem, fallen = Problem.replay({"a": [1.0, 0.0, 0.0, 0.0]}, 0.5), 0
    for run in range(40):
        final, peak = (played("apt", problem, budget=2, seed=0, run=run, at_peak=at).state for at in (False, True))
        if final.totals[0] == 1.0:
            fallen += 1
            assert (final.counts.tolist(), peak.counts.tolist()) == ([2], [1])
            assert final.verdicts.tolist() == [-1]  # on the bar
            assert peak.verdicts[0] == (1 if peak.totals[0] == 1.0 else -1)
    assert fallen


def test_when_the_least_arm_cannot_be_paid_the_next_one_that_can_is_pulled() -> None:
    # All outcomes are 1: an arm has x = n / 2 and LSA the index n / 2 + log(n m / a). The dear arm, with log(50 / 100),
    # is pulled once and once more; then 47 are left of 149, which only the cheap one can take.
    problem = Problem.bernoulli([1.0, 1.0], 0.5, pull_costs=[1.0, 50.0], costs=[1.0, 100.0])
    spent = played("lsa", problem, budget=149, seed=0)
    assert spent.order == [0, 1, 1] + [0] * 48
    assert (spent.left, spent.stopped) == (0, False)


def test_arms_that_cannot_be_paid_are_left_out_in_the_order_of_their_indices() -> None:
    # Index n / 2 + log n + log(m / a): -4.2, 0.5 and 1.2 after the first pulls, for 10.5 of 12.8. Arm 0 cannot be paid;
    # arm 1 is next (to 1.7, for 1), then arm 2 (1.2, to 2.4), then neither arm 0 nor arm 1 can be: 0.5 and 0.5.
    problem = Problem.bernoulli(
        [1.0, 1.0, 1.0], 0.5, pull_costs=[9.0, 1.0, 0.5], costs=[1000.0, 1.0, 0.25], arms=["dear", "b", "c"]
    )
    spent = played("lsa", problem, budget=12.8, seed=0)
    assert spent.order == [0, 1, 2, 1, 2, 2]
    assert spent.left == ticks_of(0.3)


def test_the_peak_may_be_in_the_rest_of_a_budget() -> None:
    # The index of `uniform` is n. After the first pulls it is 1 of both arms, and stays the least while the dear arm
    # cannot be paid: the last such time is the end.
    problem = Problem.gaussian([0.0, 0.0], pull_costs=[9.0, 1.0])
    for at_peak in (False, True):
        assert played("uniform", problem, budget=14, at_peak=at_peak, seed=0).state.counts.tolist() == [1, 5]


def test_three_pulls_come_first_when_the_variance_is_unknown() -> None:
    problem = Problem.gaussian_unknown_variance([0.5, -0.5])
    assert played("lsa", problem, budget=6, seed=0).state.counts.tolist() == [3, 3]
    # Of an algorithm they come arm by arm.
    assert played("evt-pf", problem, budget=6, seed=0).order == [0, 0, 0, 1, 1, 1]


def test_a_price_stops_a_run_before_its_budget() -> None:
    # Index n/2 + log n of both arms: the price exp(−index) is below exp(−2) from n = 3 on (1.5 + 1.10).
    spent = played("lsa", certain(1.0, 0.0), budget=100, seed=0, price=math.exp(-2.0))
    assert (spent.state.counts.tolist(), spent.stopped, spent.left) == ([3, 3], True, ticks_of(94.0))


def test_a_dry_pool_ends_the_run_before_its_budget() -> None:
    problem = Problem.replay({"a": [0, 1, 1], "b": [1]}, 0.5)
    for name in ("lsa", "evt-pf", "uniform-iid"):
        spent = played(name, problem, budget=100, seed=0)
        assert (spent.state.counts.tolist(), spent.stopped, spent.left) == ([3, 1], True, ticks_of(96.0))
        assert not spent.state.is_open.any()


@pytest.mark.parametrize("name", ["apt", "lsa", "stopping", "evt-pf", "tts"])
def test_outcomes_depend_on_their_place_alone(name: str) -> None:
    problem = Problem.bernoulli([0.3, 0.5, 0.6])
    spent, arms = played(name, problem, budget=40, seed=4, run=7), arms_of(problem)
    for k, arm in enumerate(drawn_arms(arms, 4, 7)):
        outcomes = outcomes_between(arm, arms.pool, 0, int(spent.state.counts[k]))
        assert spent.state.totals[k] == outcomes.sum()
        assert spent.state.squares[k] == ((outcomes - 0.5) ** 2).sum()


def test_a_rule_outputs_an_arm_and_gives_another_up_by_hand() -> None:
    # The gap of both arms is ½ at every pull: HDoC pulls the first, whose limit is higher, until its radius is ½, and
    # then the second, until its radius is less.
    enough = next(n for n in count(1) if good_arm_radius(float(n), 0.5, 2.0, 0.05) <= 0.5)
    spent = played("hdoc", certain(1.0, 0.0), budget=500, seed=0, alpha=0.05)
    assert spent.order == [0, 1] + [0] * (enough - 1) + [1] * (enough - 1)
    assert spent.outputs == [enough + 1]
    assert spent.state.verdicts.tolist() == [1, -1]
    assert spent.stopped
    assert spent.left == ticks_of(500 - 2 * enough)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_arm_on_its_bar_waits_until_every_arm_was_pulled(asynchronous: bool) -> None:
    # Beta(2, 1) and a failure make two of four: no evidence at all, at which the index is minus infinity.
    policy, problem = "stopping:prior_a=2,prior_b=1", Problem.bernoulli([0.0] * 4)
    assert played(policy, problem, budget=4, asynchronous=asynchronous, seed=1).order == [0, 1, 2, 3]


def test_a_first_batch_asks_for_every_arm_before_any_a_second_time() -> None:
    # Seven pulls of three arms that have shown nothing: each once, then fewest outstanding first, lowest arm first.
    spent = played("lsa", named("linear:K=3"), budget=7, in_flight=7, seed=1)
    assert spent.order == [0, 1, 2, 0, 1, 2, 0]


def test_outstanding_pulls_count_as_pulls() -> None:
    # Uniform ranks by n + m: a batch of four on two arms that have shown one each is shared out evenly.
    spent = played("uniform", certain(1.0, 0.0), budget=6, in_flight=4, seed=1)
    assert spent.state.counts.tolist() == [3, 3]


def test_an_algorithm_waits_for_the_first_pulls_of_every_arm() -> None:
    # Two pulls of each arm come first, 1, 1, 0, 1 and 0, 0 against a bar of ½: gaps ½, 0, ½ and variances 0, ¼, 0. With
    # n = 2 EVT's indices are 1, 0 and 1. Nothing that is asked for changes them before it comes back: four times arm 1.
    problem = Problem.bernoulli([1.0, 0.5, 0.0])
    seed = next(seed for seed in count() if played("evt-pf", problem, budget=6.0, seed=seed).state.totals[1] == 1.0)
    spent = played("evt-pf", problem, budget=14.0, in_flight=4, seed=seed)
    assert spent.order[:10] == [0, 0, 1, 1, 2, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("name", ["stopping", "evt-pf", "tts"])
def test_more_pulls_in_flight_than_arms(name: str, asynchronous: bool) -> None:
    problem = Problem.bernoulli([0.3, 0.5, 0.8])
    spent = played(name, problem, budget=400.0, in_flight=60, asynchronous=asynchronous, seed=2)
    assert len(spent.order) == 400 == spent.state.counts.sum()
    assert spent.state.counts.tolist() == np.bincount(spent.order).tolist() == spent.state.asked.tolist()


@pytest.mark.parametrize("name", ["lsa", "evt-pf", "tts", "uniform-iid"])
@settings(max_examples=settings().max_examples // 2)
@given(problem=problems(), seed=seeds, shares=st.lists(st.floats(1.0, 8.0), min_size=1, max_size=3))
def test_budgets_one_after_the_other_are_each_by_itself(
    name: str, problem: Problem, seed: int, shares: list[float]
) -> None:
    policy = find_policy(name)
    if policy.why_not(problem) is not None:
        return
    budgets = sorted({round(policy.least_budget(problem) * share + 0.01, 3) for share in shares})
    options = SimulationOptions(tuple(budgets))
    assume(options.parts(policy, problem) == [options.budgets])
    rule = options.bind(policy, problem, budgets[-1])
    schedule = options.schedule(policy, rule, budgets)
    found = play_runs(rule, problem, schedule, seed=seed, first_run=3, runs=1)
    for b, budget in enumerate(budgets):
        alone = played(policy, problem, budget=budget, seed=seed, run=3)
        assert found.pulls[b].tolist() == alone.state.counts.tolist()
        assert found.spent[0, b] == ticks_of(budget) - alone.left
        assert found.stopped[0, b] == alone.stopped


# Samplers of the user's own


def heavy(rng: np.random.Generator) -> float:
    return float(rng.standard_t(3))


def skewed(rng: np.random.Generator) -> float:
    return float(rng.exponential() - 0.5)


def custom(*samplers: Sampler, family: str = "gaussian") -> Problem:
    means = np.linspace(-0.4, 0.5, len(samplers))
    return Problem.custom(list(samplers), means, 0.0, family=family)


def runs_of(name: str, problem: Problem, *, seed: int = 5, first_run: int = 0, runs: int = 4) -> RunCounts:
    options, policy = SimulationOptions((20.0, 50.0)), find_policy(name)
    assert bind_policy(policy, problem, options).engine == REFERENCE
    return run_policy(policy, problem, options, seed=seed, first_run=first_run, runs=runs)


@pytest.mark.parametrize("name", ["lsa", "stopping", "evt-pf", "tts", "csar", "uniform-iid", "oracle"])
def test_runs_with_samplers_can_be_repeated_and_cut_anywhere(name: str) -> None:
    problem = custom(heavy, skewed, heavy, skewed)
    whole, again = runs_of(name, problem), runs_of(name, problem)
    first, rest = runs_of(name, problem, runs=1), runs_of(name, problem, first_run=1, runs=3)
    for one, other in zip(whole, again, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(whole.losses, np.concatenate([first.losses, rest.losses]))
    np.testing.assert_array_equal(whole.pulls, first.pulls + rest.pulls)


def test_another_seed_draws_other_outcomes() -> None:
    problem = custom(heavy, skewed, heavy)
    assert (runs_of("stopping", problem).pulls != runs_of("stopping", problem, seed=6).pulls).any()


def drawn_by(name: str, *samplers: Sampler, **how: bool | int) -> list[list[float]]:
    """Return what each sampler has drawn in one run."""
    drawn = [list[float]() for _ in samplers]

    def noting(k: int) -> Sampler:
        def draw(rng: np.random.Generator) -> float:
            drawn[k].append(samplers[k](rng))
            return drawn[k][-1]

        return draw

    problem = custom(*map(noting, range(len(samplers))))
    for each in drawn:
        each.clear()  # of the first outcomes, by which the problem was checked
    spent = played(name, problem, budget=60, seed=3, run=2, **how)  # type: ignore[arg-type]
    assert [len(each) for each in drawn] == spent.state.counts.tolist()
    return drawn


@pytest.mark.parametrize("name", ["lsa", "stopping", "uniform-iid", "evt-pf", "tts", "csar"])
def test_every_policy_meets_the_same_outcomes(name: str) -> None:
    common, found = drawn_by("uniform", heavy, skewed, heavy), drawn_by(name, heavy, skewed, heavy)
    assert [len(each) for each in common] == [20, 20, 20]
    for one, other in zip(common, found, strict=True):
        shared = min(len(one), len(other))
        assert shared > 0
        assert one[:shared] == other[:shared]


def test_pulls_in_flight_meet_them_too() -> None:
    common, found = (
        drawn_by("uniform", heavy, skewed),
        drawn_by("uniform", heavy, skewed, in_flight=7, asynchronous=True),
    )
    assert [sorted(each) for each in common] == [sorted(each) for each in found]


def test_what_one_arm_draws_does_not_change_what_another_draws() -> None:
    def wasteful(rng: np.random.Generator) -> float:
        return float(rng.normal(size=9)[-1])

    plain, other = drawn_by("uniform", heavy, heavy, skewed), drawn_by("uniform", wasteful, heavy, skewed)
    assert plain[0] != other[0]
    assert plain[1:] == other[1:]
    assert plain[0] != plain[1], "every arm has a generator of its own"


@pytest.mark.parametrize(
    "name", ["lsa", "stopping", "evt-pf", "csar", "tts", "pi", "uniform-iid", "oracle", "more-than:m=1"]
)
def test_samplers_without_chance_are_played_as_the_compiled_engines_play_such_arms(name: str) -> None:
    rates = [1.0, 0.0, 1.0, 1.0]
    own = Problem.custom([always(rate) for rate in rates], rates, 0.5, family="bernoulli")
    options, policy = SimulationOptions((20.0, 50.0)), find_policy(name)
    engines = [bind_policy(policy, problem, options).engine for problem in (certain(*rates), own)]
    assert engines[0] != REFERENCE == engines[1]
    found, expected = (run_policy(policy, problem, options, seed=1, runs=3) for problem in (own, certain(*rates)))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def always(value: float) -> Sampler:
    return lambda rng: value


def after(calls: int, then: Callable[[], float]) -> Sampler:
    """Return a sampler that draws so often, and then does something else."""
    made = count()
    return lambda rng: heavy(rng) if next(made) < calls else then()


@pytest.mark.parametrize("name", ["lsa", "uniform-iid"])
@pytest.mark.parametrize(
    ("then", "sentence"),
    [
        (lambda: math.nan, "sampler of arm '2'.* nan"),
        (lambda: 1 / 0, "sampler of arm '2'.* ZeroDivisionError"),
        (lambda: "0.5", "sampler of arm '2'.* '0.5'"),
    ],
)
def test_a_sampler_that_fails_later_is_named(name: str, then: Callable[[], float], sentence: str) -> None:
    problem = custom(heavy, after(6, then), heavy)
    with pytest.raises(ValueError, match=sentence):
        runs_of(name, problem)


def test_a_peak_is_looked_for_only_where_there_is_one() -> None:
    # The others that can be asked for one do not move without a pull: theirs is the end.
    problem, options = custom(heavy, skewed, heavy), SimulationOptions((30.0,), recommend="peak")
    for name in ("uniform-iid", "oracle", "static-optimum"):
        peak = run_policy(find_policy(name), problem, options, seed=5, runs=3)
        final = run_policy(find_policy(name), problem, SimulationOptions((30.0,)), seed=5, runs=3)
        for one, other in zip(peak, final, strict=True):
            np.testing.assert_array_equal(one, other)
    peak = run_policy(find_policy("apt"), problem, options, seed=5, runs=30)
    assert peak.pulls.sum() < 30 * 30
