"""Shared items: the compiled rule against the one that is written to be read, bit for bit."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.contracts.strategies import seeds
from tests.support.plays import played
from thresher.errors import InvalidInputError
from thresher.inference.item_effects import effects_on, fit_items
from thresher.inference.signals import signals_of
from thresher.policy import Policy, Stop, find_policy
from thresher.problem import Problem, ticks_of
from thresher.research.engine import SimulationOptions, arms_of, bind_policy, run_policy
from thresher.research.engine.losses import judge
from thresher.research.engine.reference import Play
from thresher.research.engine.reference_items import Fitted
from thresher.types import Floats

POLICIES = (
    "stopping",
    "lsa",
    "fwt",
    "fwt-sqrt",
    "lsa:evidence=kl",
    "stopping:structure=pool",
    "stopping:structure=none",
)

DELAYS = ["batch", "random"]


def answers_like(
    n_arms: int,
    n_items: int,
    *,
    seed: int,
    holes: float = 0.0,
    bar: float = 0.5,
    is_bounded: bool = False,
    signals: str = "",
) -> Problem:
    """Return a table in which items differ much: a logistic item-response model, and signals of these names."""
    random = np.random.default_rng(seed)
    ease = random.normal(0.0, 0.7, (n_arms, 1)) + random.normal(0.0, 2.0, (1, n_items))
    rates = 1.0 / (1.0 + np.exp(-ease))
    table = (random.random(rates.shape) < rates).astype(np.float64)
    if is_bounded:
        table = 3.0 * random.beta(4.0 * rates, 4.0 * (1.0 - rates)) - 1.0
    hidden = random.random(table.shape) < holes
    hidden[:, 0] = False
    table[hidden] = np.nan
    given = signals_like(table, random, signals)
    if is_bounded:
        return Problem.crossed(table, 3.0 * bar - 1.0, low=-1.0, high=2.0, **given)
    return Problem.crossed(table, bar, **given)


def signals_like(table: Floats, random: np.random.Generator, signals: str) -> dict[str, Any]:
    """Return a history of three past arms like the first one, and a proxy with holes that often tells the truth."""
    given: dict[str, Any] = {}
    if "history" in signals:
        given["history"] = np.where(np.isnan(table[:1]), 0.0, table[:1])[[0, 0, 0]]
        given["history"][1, 0] = np.nan
    if "proxy" in signals:
        noise = random.normal(size=table.shape)
        given["proxy"] = np.where(random.random(table.shape) < 0.8, table + 0.5 * noise, noise)
        given["proxy"][random.random(table.shape) < 0.1] = np.nan
    return given


def assert_alike(policy: Policy | str, problem: Problem, options: SimulationOptions, *, seed: int) -> None:
    policy, arms = find_policy(policy), arms_of(problem)
    bind_policy(policy, problem, options)
    found = run_policy(policy, problem, options, seed=seed, first_run=2, runs=1)
    for b, budget in enumerate(options.budgets):
        slow = played(
            policy, problem, budget=budget, seed=seed, run=2, price=options.stop_price,
            in_flight=max(options.in_flight, 1), asynchronous=options.delays == "random",
        )  # fmt: skip
        assert found.pulls[b].tolist() == slow.state.counts.tolist()
        assert found.spent[0, b] == ticks_of(budget) - slow.left
        assert found.stopped[0, b] == slow.stopped
        judged = judge(arms, slow.means, slow.state.verdicts, options.loss_of(policy).code)
        assert (found.losses[0, b], found.any_mistakes[0, b]) == judged


@given(
    n_arms=st.integers(1, 8), n_items=st.integers(1, 40), holes=st.sampled_from([0.0, 0.3]), seed=seeds,
    policy=st.sampled_from(POLICIES), in_flight=st.sampled_from([0, 0, 1, 3, 9]), delays=st.sampled_from(DELAYS),
    price=st.sampled_from([0.0, 0.0, 0.01]), per_arm=st.lists(st.integers(1, 41), min_size=1, max_size=3, unique=True),
    signals=st.sampled_from(["", "history", "proxy", "history and proxy"]),
)  # fmt: skip
def test_the_compiled_engines_give_what_the_readable_one_gives(
    n_arms: int, n_items: int, holes: float, seed: int, policy: str, in_flight: int, delays: str, price: float,
    per_arm: list[int], signals: str,
) -> None:  # fmt: skip
    problem = answers_like(n_arms, n_items, seed=seed % 1000, holes=holes, signals=signals)
    budgets = tuple(float(each * n_arms) for each in sorted(per_arm))
    options = SimulationOptions(budgets, stop_price=0.0 if in_flight else price, in_flight=in_flight, delays=delays)
    assert_alike(policy, problem, options, seed=seed)


@pytest.mark.by_day("plain-0/1-stopping-5-0", "signals-bounded-fwt-sqrt-0-0")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("in_flight", [0, 5])
@pytest.mark.parametrize("policy", ["stopping", "stopping:structure=pool", "fwt-sqrt"])
@pytest.mark.parametrize("is_bounded", [False, True], ids=["0/1", "bounded"])
@pytest.mark.parametrize("signals", ["", "history and proxy"], ids=["plain", "signals"])
def test_long_runs_with_many_fits_agree_too(
    policy: str, is_bounded: bool, in_flight: int, seed: int, signals: str
) -> None:
    problem = answers_like(12, 150, seed=4, is_bounded=is_bounded, signals=signals)
    options = SimulationOptions((30.0, 200.0, 900.0, 1500.0), in_flight=in_flight, delays="random")
    assert_alike(policy, problem, options, seed=seed)


@pytest.mark.parametrize("policy", ["stopping", "stopping:structure=pool", "lsa"])
@pytest.mark.parametrize("in_flight", [0, 3])
def test_the_rest_of_a_budget_pays_arms_that_it_can_still_pay(policy: str, in_flight: int) -> None:
    plain = answers_like(6, 40, seed=7)
    costs = np.array([1.0, 3.5, 1.0, 7.0, 2.0, 0.5])
    problem = replace(plain, question=replace(plain.question, pull_costs=costs))
    for seed in range(5):
        options = SimulationOptions((18.0, 61.5, 100.0), in_flight=in_flight, delays="random")
        assert_alike(policy, problem, options, seed=seed)


def test_other_budgets_change_no_row() -> None:
    problem, policy = answers_like(10, 80, seed=1), find_policy("stopping")
    together = run_policy(policy, problem, SimulationOptions((25.0, 100.0, 333.0, 600.0)), seed=3, runs=20)
    for b, budget in enumerate((25.0, 100.0, 333.0, 600.0)):
        alone = run_policy(policy, problem, SimulationOptions((budget,)), seed=3, runs=20)
        np.testing.assert_array_equal(alone.losses[:, 0], together.losses[:, b])
        np.testing.assert_array_equal(alone.pulls[0], together.pulls[b])


def test_a_run_ends_when_every_arm_is_certain() -> None:
    problem = Problem.crossed([[1, 1, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 0, 0]], 0.5)
    for policy in ("stopping", "stopping:structure=pool"):
        found = run_policy(find_policy(policy), problem, SimulationOptions((15.0,)), seed=1, runs=50)
        assert (found.losses == 0.0).all()
        assert (found.stopped == 1).all()
        # Three zeros of five are enough for the second arm, three ones at least for the others.
        assert (found.pulls[0, 1], found.pulls_squared[0, 1]) == (150, 450)
        assert found.spent.max() < ticks_of(15.0)


def test_no_arm_answers_an_item_twice_and_each_has_an_order_of_its_own() -> None:
    problem = answers_like(4, 30, seed=2)
    game = Play(find_policy("uniform").bind(problem, Stop(60.0)), problem, seed=5, run=0)
    game.spend(ticks_of(60.0), in_flight=1, asynchronous=False, at_peak=False)
    told = ~np.isnan(game.state.outcomes)
    assert told.sum(axis=1).tolist() == game.state.counts.tolist() == [15, 15, 15, 15]
    assert len({tuple(row) for row in told.tolist()}) == 4
    assert problem.pool is not None
    table = problem.pool.values.reshape(4, 30)
    np.testing.assert_array_equal(game.state.outcomes[told], table[told])


@given(
    seed=st.integers(0, 10**6), n_arms=st.integers(1, 6), n_items=st.integers(1, 12), share=st.floats(0.0, 1.0),
    told=st.sampled_from(["", "history", "proxy", "history and proxy"]),
)  # fmt: skip
def test_the_compiled_fit_is_the_readable_one(seed: int, n_arms: int, n_items: int, share: float, told: str) -> None:
    problem = answers_like(n_arms, n_items, seed=seed, holes=0.2, signals=told)
    structure = problem.structure
    assert structure is not None
    assert structure.items is not None
    random = np.random.default_rng(seed)
    outcomes = np.full(structure.items.shape, np.nan)
    outcomes[structure.items] = arms_of(problem).pool
    outcomes[random.random(outcomes.shape) > share] = np.nan
    answers = [{i: float(y) for i, y in enumerate(row) if not math.isnan(y)} for row in outcomes]
    signals = signals_of(problem.sampling)
    slow = Fitted(answers, [np.flatnonzero(row).tolist() for row in structure.items], signals)
    means, slopes, unevenness = np.empty(n_arms), np.empty(n_arms), np.empty(n_arms)
    sums, counts = np.empty(n_items), np.empty(n_items)
    told_each = (~np.isnan(outcomes)).sum(axis=1)
    fast = fit_items(outcomes, told_each, signals, means, sums, counts, slopes, unevenness)
    assert fast == (slow.slope, slow.share)
    assert slopes.tolist() == slow.slopes
    assert unevenness.tolist() == slow.unevenness
    for k in range(n_arms):
        found = effects_on(
            k, outcomes, structure.items, signals.scores, means[k], sums, counts, fast.slope, slopes
        )  # fmt: skip
        assert found == (slow.told[k], slow.centres[k])


def test_there_is_no_peak_with_shared_items() -> None:
    problem = answers_like(3, 10, seed=1)
    with pytest.raises(InvalidInputError, match="structure=pool"):
        bind_policy(find_policy("stopping"), problem, SimulationOptions((9.0,), recommend="peak"))
    bind_policy(find_policy("stopping:structure=pool"), problem, SimulationOptions((9.0,), recommend="peak"))
