"""Drift and dependence are seen, and adaptive sampling is not taken for them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.seen_runs import outcomes_of
from tests.support.plays import uncompiled
from thresher.inference import expected_means, fit_population
from thresher.inference.independence import ALARM, FEWEST, Dependence, dependence
from thresher.policy import Stop, find_policy
from thresher.problem import Problem, named
from thresher.problem.statistics import Statistics
from thresher.research.engine.draws import arms_of
from thresher.research.engine.reference import play
from thresher.types import Floats, Ints


def campaign(problem: Problem, *, budget: int, run: int, policy: str = "stopping") -> tuple[Ints, Floats, Statistics]:
    """Return the arms of all pulls of a simulated campaign in their order, their outcomes, and what was seen."""
    # Its own choice, not the readable one, which ranks every arm for every pull.
    rule = uncompiled(replace(find_policy(policy).bind(problem, Stop(budget)), by_level=False))
    played = play(rule, problem, budget=budget, seed=3, run=run)
    arms, state = np.array(played.order), played.state
    outcomes = np.empty(arms.size)
    for k in range(problem.n_arms):
        outcomes[arms == k] = outcomes_of(arms_of(problem), k, played.means[k], int(state.counts[k]), 3, run)
    return arms, outcomes, Statistics(state.counts.astype(np.float64), state.totals, state.squares)


def of_campaign(problem: Problem, arms: Ints, outcomes: Floats) -> Dependence:
    """Return the check of a campaign, all of whose outcomes are known."""
    counts = np.bincount(arms, minlength=problem.n_arms).astype(np.float64)
    totals, squares = np.zeros(problem.n_arms), np.zeros(problem.n_arms)
    np.add.at(totals, arms, outcomes)
    np.add.at(squares, arms, (outcomes - problem.thresholds[arms]) ** 2)
    seen = Statistics(counts, totals, squares)
    return dependence(arms, outcomes, *expected_means(problem.question, seen, fit_population(problem.question, seen)))


def test_a_worked_case() -> None:
    # Ages -1.5, -0.5, 0.5, 1.5; what is left of the outcomes -1, -1, 1, 1.
    found = dependence(np.array([0, 0, 0, 0]), np.array([0.0, 0.0, 2.0, 2.0]), np.array([1.0]), np.array([0.0]))
    assert found.outcomes == 4
    assert found.drift == pytest.approx(4.0 / math.sqrt(5.0))
    assert found.change == pytest.approx(4.0 * 4.0 / 5.0)
    # Products 1, -1, 1
    assert found.serial == pytest.approx(1.0 / math.sqrt(3.0))
    assert found.correlation == pytest.approx(1.0 / 3.0)


def test_an_outcome_comes_after_the_one_before_of_its_own_arm() -> None:
    arms, outcomes = np.array([0, 1, 0, 1, 0]), np.array([1.0, 5.0, 1.0, 3.0, -1.0])
    found = dependence(arms, outcomes, np.array([0.0, 4.0]), np.zeros(2))
    # Arm 0: 1 · 1, 1 · -1; arm 1: 1 · -1
    assert found.serial == pytest.approx(-1.0 / math.sqrt(3.0))


def test_what_is_not_known_of_a_mean_is_added_to_the_products() -> None:
    # With an empirical mean the products of independent outcomes are negative on average.
    rng = np.random.default_rng(1)
    outcomes = rng.normal(size=(4000, 5))
    arms, means = np.repeat(np.arange(4000), 5), outcomes.mean(axis=1)
    biased = dependence(arms, outcomes.ravel(), means, np.zeros(4000))
    fair = dependence(arms, outcomes.ravel(), means, np.full(4000, 0.2))
    assert biased.serial < -10.0
    assert abs(fair.serial) < 4.0  # a false alarm in 16,000 seeds; this one is fixed


def test_nothing_is_said_of_few_outcomes_nor_of_small_numbers() -> None:
    assert Dependence(FEWEST - 1, 9.0, 1.0, 9.0, 0.5).warnings == ()
    assert Dependence(FEWEST, ALARM, 1.0, ALARM, 0.5).warnings == ()
    assert Dependence(FEWEST, 0.0, 0.0, -9.0, -0.2).warnings == ()  # that makes verdicts more certain, not less
    drift, serial = Dependence(FEWEST, -5.0, -0.25, 6.0, 0.5).warnings
    assert drift.startswith("outcomes drift: from first to last they fell by about 0.25 (5.0 standard errors)")
    assert serial.startswith(
        "outcomes of an arm are not independent: each is like the one before (correlation about 0.5"
    )


def test_outcomes_that_take_turns_are_told() -> None:
    outcomes = np.tile([0.0, 1.0], 100)
    found = dependence(np.zeros(200, np.int64), outcomes, np.array([0.5]), np.array([0.25 / 200]))
    assert found.correlation == pytest.approx(-1.0, abs=0.02)
    [turns] = found.warnings
    assert turns.startswith(
        "outcomes of an arm are not independent: each is unlike the one before (correlation about -"
    )


@pytest.mark.by_day("problem0-1500-stopping", "problem3-1500-apt")
@pytest.mark.parametrize("policy", ["stopping", "apt"])
@pytest.mark.parametrize(
    ("problem", "budget"),
    [
        # All arms on one side and near the bar, where empirical means are biased most.
        (Problem.gaussian(np.full(100, 0.3)), 1500),
        (Problem.bernoulli(np.full(100, 0.6)), 1500),
        (named("tao-2"), 1500),
        (named("gaussian-population:K=100,tau=0.2"), 1500),
    ],
)
def test_adaptive_sampling_is_no_alarm(problem: Problem, budget: int, policy: str) -> None:
    found = []
    for run in range(3):
        arms, outcomes, seen = campaign(problem, budget=budget, run=run, policy=policy)
        found.append(
            dependence(arms, outcomes, *expected_means(problem.question, seen, fit_population(problem.question, seen)))
        )
    # Each is within 4.5 of 0 but in fewer than one of 1,000 looks; these seeds are fixed.
    assert [row.warnings for row in found] == [()] * 3


def test_with_empirical_means_adaptive_sampling_would_be_an_alarm() -> None:
    problem = Problem.gaussian(np.full(300, 0.3))
    arms, outcomes, seen = campaign(problem, budget=4500, run=0)
    assert dependence(arms, outcomes, seen.means, 1.0 / seen.counts).drift > ALARM
    assert of_campaign(problem, arms, outcomes).warnings == ()


@pytest.mark.nightly
def test_the_chance_of_a_false_alarm() -> None:
    looks = alarms = 0
    for problem, budget in [
        (Problem.gaussian(np.full(100, 0.3)), 1500),
        (Problem.bernoulli(np.full(100, 0.6)), 1500),
        (named("tao-1"), 1000),
        (named("linear"), 1000),
    ]:
        for run in range(100, 160):
            arms, outcomes, seen = campaign(problem, budget=budget, run=run)
            found = dependence(
                arms, outcomes, *expected_means(problem.question, seen, fit_population(problem.question, seen))
            )
            looks, alarms = looks + 1, alarms + len(found.warnings)
    # At one alarm in 1,000 looks more than 3 in 240 have a chance of 1e-4.
    assert alarms <= 3, f"{alarms} alarms in {looks} looks"


@pytest.mark.parametrize("problem", [named("linear"), Problem.bernoulli(np.linspace(0.3, 0.8, 50))], ids=["g", "b"])
def test_a_shift_half_way_is_seen(problem: Problem) -> None:
    arms, outcomes, _ = campaign(problem, budget=3000, run=0)
    late = np.arange(arms.size) >= arms.size // 2
    if problem.family == "bernoulli":
        # A third of the successes fail after half of the campaign.
        outcomes = np.where(late & (np.random.default_rng(2).random(arms.size) < 0.33), 0.0, outcomes)
    else:
        outcomes = outcomes - 0.4 * late
    found = of_campaign(problem, arms, outcomes)
    assert found.change < 0.0
    assert any(warning.startswith("outcomes drift") for warning in found.warnings)


def test_outcomes_that_repeat_the_last_are_seen() -> None:
    problem, rng = Problem.bernoulli(np.linspace(0.3, 0.8, 50)), np.random.default_rng(3)
    arms, outcomes, _ = campaign(problem, budget=2000, run=0)
    last: dict[int, float] = {}
    for i, arm in enumerate(arms.tolist()):
        if arm in last and rng.random() < 0.25:  # an answer out of a cache
            outcomes[i] = last[arm]
        last[arm] = float(outcomes[i])
    found = of_campaign(problem, arms, outcomes)
    assert found.correlation == pytest.approx(0.25, abs=0.12)  # its standard error is about 0.025
    assert any("not independent" in warning for warning in found.warnings)
