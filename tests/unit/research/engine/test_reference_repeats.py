"""Items with repeats: the compiled rule against the readable one, and what a run asks for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.contracts.strategies import seeds
from tests.support.plays import played
from tests.unit.research.engine.test_reference_items import DELAYS, assert_alike
from thresher.errors import InvalidInputError
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.problem.numbers import ticks_of
from thresher.research.engine import SimulationOptions
from thresher.research.engine.reference import Play
from thresher.research.engine.run import bind_policy

POLICIES = ("stopping", "lsa", "fwt-sqrt", "stopping:structure=pool", "stopping:structure=none", "uniform", "apt")


def rates_like(n_arms: int, n_items: int, *, seed: int, spread: float = 2.0, holes: float = 0.0) -> Problem:
    """Return a problem in which items differ by that spread, by a logistic item-response model."""
    random = np.random.default_rng(seed)
    ease = random.normal(0.0, 0.7, (n_arms, 1)) + random.normal(0.0, spread, (1, n_items))
    rates = 1.0 / (1.0 + np.exp(-ease))
    hidden = random.random(rates.shape) < holes
    hidden[:, 0] = False
    rates[hidden] = np.nan
    return Problem.repeated(rates, 0.5, repeats=2 + seed % 4)


@given(
    n_arms=st.integers(1, 8), n_items=st.integers(1, 40), holes=st.sampled_from([0.0, 0.3]), seed=seeds,
    spread=st.sampled_from([0.0, 2.0, 50.0]), policy=st.sampled_from(POLICIES),
    in_flight=st.sampled_from([0, 0, 1, 3, 9]), delays=st.sampled_from(DELAYS),
    per_arm=st.lists(st.integers(1, 60), min_size=1, max_size=3, unique=True),
)  # fmt: skip
def test_the_compiled_engine_gives_what_the_readable_one_gives(
    n_arms: int, n_items: int, holes: float, seed: int, spread: float, policy: str, in_flight: int, delays: str,
    per_arm: list[int],
) -> None:  # fmt: skip
    problem = rates_like(n_arms, n_items, seed=seed % 1000, spread=spread, holes=holes)
    budgets = tuple(float(each * n_arms) for each in sorted(per_arm))
    options = SimulationOptions(budgets, in_flight=in_flight, delays=delays)
    assert_alike(policy, problem, options, seed=seed)


@pytest.mark.by_day("stopping-5-0", "lsa-0-1")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("in_flight", [0, 5])
@pytest.mark.parametrize("policy", ["stopping", "stopping:structure=pool", "lsa"])
def test_long_runs_with_many_fits_agree_too(policy: str, in_flight: int, seed: int) -> None:
    problem = rates_like(12, 60, seed=4)
    options = SimulationOptions((30.0, 200.0, 900.0, 3000.0), in_flight=in_flight, delays="random")
    assert_alike(policy, problem, options, seed=seed)


def test_no_item_is_asked_more_often_than_the_repeats_and_new_items_come_first() -> None:
    problem = rates_like(3, 20, seed=2)  # four repeats
    game = Play(find_policy("uniform").bind(problem, Stop(240.0)), problem, seed=1, run=0)
    asked = [Counter[int]() for _ in range(3)]
    for place in range(80):
        for k in range(3):
            asked[k][int(game.arms.items[_sample(game, k, place)])] += 1
        if place in (21, 39, 59, 79):  # two of the first 22 repeat an item
            for counts in asked:
                assert len(counts) == 20
                assert set(counts.values()) <= {place // 20, place // 20 + 1}
    assert [set(counts.values()) for counts in asked] == [{4}] * 3
    slow = played(find_policy("stopping"), problem, budget=1000.0, seed=1, run=0)
    assert slow.state.counts.max() <= 80
    assert slow.left >= ticks_of(1000.0 - 240.0)


def _sample(game: Play, k: int, place: int) -> int:
    from thresher.research.engine.interpreted import sample_at

    return int(sample_at(game.drawn[k], place))


def test_a_rate_and_a_number_of_repeats_are_checked() -> None:
    with pytest.raises(InvalidInputError, match=r"a success rate is 1\.5; must be at least 0 and at most 1"):
        Problem.repeated([[0.5, 1.5]], 0.5, repeats=3)
    for repeats in (1, 2.5, True, "3"):
        with pytest.raises(InvalidInputError, match=r"^repeats is"):
            Problem.repeated([[0.5, 0.5]], 0.5, repeats=repeats)  # type: ignore[arg-type]


def test_there_is_no_peak_with_repeats() -> None:
    with pytest.raises(InvalidInputError, match="must be 'final' with repeats"):
        bind_policy(find_policy("uniform"), rates_like(3, 20, seed=3), SimulationOptions((30.0,), recommend="peak"))
