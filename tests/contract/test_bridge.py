"""The bridge: a campaign asked and told from the engine's streams pulls exactly as the engine does."""

import numpy as np
import pytest

from tests.support.places import MemoryPlace, PostgresPlace, SqlitePlace
from tests.support.plays import played
from thresher.engine.draws import arms_of, outcome_at
from thresher.engine.reference import drawn_arms
from thresher.live import Campaign
from thresher.problem import Problem
from thresher.testing.campaign_contract import Place
from thresher.types import Floats

MEANS = [0.3, 0.62, 0.45, 0.9, 0.51]
PROBLEMS = {
    "gaussian": Problem.gaussian(MEANS, thresholds=0.5, sigma=[1.0, 0.5, 1.0, 2.0, 1.0], costs=[1, 2, 1, 5, 0.3]),
    "bernoulli": Problem.bernoulli(MEANS, thresholds=[0.5, 0.6, 0.5, 0.8, 0.5]),
    "bounded": Problem.bounded([1.3, 1.62, 1.45, 1.9, 1.51], thresholds=1.5, low=1.0, high=2.0),
    "unknown variance": Problem.gaussian_unknown_variance(MEANS, thresholds=0.5, sigma=0.4),
    "pull costs": Problem.gaussian(MEANS, thresholds=0.5, pull_costs=[1, 2.5, 0.1, 0.3, 1]),
}
POLICIES = ["lsa", "lsa:alpha=1.35", "apt", "apt:epsilon=0.1", "fwt", "fwt-sqrt", "fwt-gaps", "stopping", "uniform"]
# A tolerance needs a known variance.
CASES = [(k, p) for k in PROBLEMS for p in POLICIES if (k, p) != ("unknown variance", "apt:epsilon=0.1")]


def begin(place: Place, problem: Problem, policy: str, budget: float) -> Campaign:
    given = {"sigma": problem.sigma} if problem.kind.noise == "given" else {}
    return place.create(
        f"{problem.family} {policy}",
        arms=problem.arms,
        threshold=problem.thresholds,
        costs=problem.costs,
        pull_costs=problem.pull_costs,
        budget=budget,
        family=problem.family,
        policy=policy,
        low=problem.low,
        high=problem.high,
        **given,
    )


def pulled(place: Place, problem: Problem, policy: str, *, budget: float, seed: int) -> tuple[list[int], Floats]:
    """Return the arms that a campaign pulls, in order, and the sums of their outcomes; check the means it shows."""
    arms = arms_of(problem)
    drawn, order = drawn_arms(arms, seed, 0), list[int]()
    counts, totals = np.zeros(problem.n_arms, np.int64), np.zeros(problem.n_arms)
    campaign = begin(place, problem, policy, budget)
    for ticket in campaign.tickets():
        k = problem.arms.index(ticket.arm)
        outcome = outcome_at(drawn[k], arms.pool, counts[k])
        campaign.tell(ticket, outcome)
        order.append(k)
        counts[k] += 1
        totals[k] += outcome
    assert [row.mean for row in campaign.verdicts()] == [total / n for total, n in zip(totals, counts, strict=True)]
    return order, totals


def pulls_as_the_engine(place: Place, problem: Problem, policy: str, *, budget: float, seed: int) -> None:
    expected = played(policy, problem, budget=budget, seed=seed)
    order, totals = pulled(place, problem, policy, budget=budget, seed=seed)
    assert order == expected.order
    np.testing.assert_equal(totals, expected.state.totals)  # to the last bit


@pytest.mark.parametrize(("problem", "policy"), CASES)
def test_in_memory_for_every_family_and_policy(problem: str, policy: str) -> None:
    for seed in (1, 2):
        pulls_as_the_engine(MemoryPlace(), PROBLEMS[problem], policy, budget=60.0, seed=seed)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_pull_cost_that_is_no_whole_number_of_millionths(policy: str) -> None:
    # A campaign rounds it, a simulation ranks by it as it is: indices that are equal may come in another order.
    problem = Problem.gaussian(MEANS, thresholds=0.5, pull_costs=[1, 2.5, 0.1, 1 / 3, 1])
    expected = played(policy, problem, budget=60.0, seed=1)
    order, totals = pulled(MemoryPlace(), problem, policy, budget=60.0, seed=1)
    assert np.bincount(order).tolist() == expected.state.counts.tolist()
    np.testing.assert_equal(totals, expected.state.totals)


@pytest.mark.parametrize("problem", ["bernoulli", "unknown variance"])
def test_on_sqlite(sqlite_place: SqlitePlace, problem: str) -> None:
    pulls_as_the_engine(sqlite_place, PROBLEMS[problem], "stopping", budget=100.0, seed=3)


@pytest.mark.xdist_group("postgres")
@pytest.mark.parametrize("problem", ["bernoulli", "pull costs"])
def test_on_postgres(postgres_place: PostgresPlace, problem: str) -> None:
    pulls_as_the_engine(postgres_place, PROBLEMS[problem], "stopping", budget=100.0, seed=4)
