"""The bridge: a campaign asked and told from the engine's streams pulls exactly as the engine does."""

from typing import Any

import numpy as np
import pytest

from tests.support.contracts.campaign_contract import Place
from tests.support.places import MemoryPlace, PostgresPlace, SqlitePlace
from tests.support.plays import played
from thresher.campaign import Campaign
from thresher.campaign.ledger import KnownSignals, refit_of
from thresher.problem import Problem
from thresher.problem.sampling.repeats import turn_at
from thresher.research.engine.draws import arms_of, outcome_at, sample_at
from thresher.research.engine.reference import drawn_arms
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
# By day the default policy in every family, every other one in two, and one seed: each pull is compared by itself.
BY_DAY = [
    f"{k}-{p}-1"
    for i, k in enumerate(PROBLEMS)
    for j, p in enumerate(POLICIES)
    if (k, p) in CASES and (p == "stopping" or (i + j) % 5 in (0, 2))
]
NIGHT_SEEDS = [pytest.param(seed, marks=pytest.mark.nightly) for seed in (2, 3)]
EACH_SEED = pytest.mark.parametrize("seed", [1, *NIGHT_SEEDS])


def begin(place: Place, problem: Problem, policy: str, budget: float) -> Campaign:
    """Create a campaign with the policy; with the goal ``decide`` for the policy of that name."""
    given: dict[str, Any] = {"sigma": problem.sigma} if problem.kind.takes_sigma else {}
    name, _, guarantee = policy.partition(":guarantee=")
    if name == "decide":
        policy, given = "stopping", given | {"goal": "decide", "guarantee": guarantee or "calibrated"}
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
    np.testing.assert_equal(totals, expected.state.totals)  # bit for bit


@pytest.mark.by_day(*BY_DAY)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("problem", "policy"), CASES)
def test_in_memory_for_every_family_and_policy(problem: str, policy: str, seed: int) -> None:
    pulls_as_the_engine(MemoryPlace(), PROBLEMS[problem], policy, budget=60.0, seed=seed)


@pytest.mark.nightly(
    "decide-bounded",
    "decide-gaussian",
    "decide:guarantee=anytime-bernoulli",
    "decide:guarantee=anytime-unknown variance",
    "decide:guarantee=fdr-bounded",
    "decide:guarantee=fdr-unknown variance",
)
@pytest.mark.parametrize("problem", ["gaussian", "bernoulli", "bounded", "unknown variance"])
@pytest.mark.parametrize("policy", ["decide", "decide:guarantee=anytime", "decide:guarantee=fdr"])
def test_the_goal_decide_pulls_as_the_policy_of_that_name(problem: str, policy: str) -> None:
    pulls_as_the_engine(MemoryPlace(), PROBLEMS[problem], policy, budget=150.0, seed=1)


@pytest.mark.by_day("lsa", "fwt", "stopping", "uniform")
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


def answers_of(n_arms: int, n_items: int, seed: int) -> Floats:
    """Return 0/1 answers of arms to items that are easy and hard for all of them."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_arms, 1)) + 2.0 * rng.normal(size=(1, n_items))
    return (rng.random((n_arms, n_items)) < 1.0 / (1.0 + np.exp(-logits))).astype(np.float64)


def signals_of(table: Floats, seed: int) -> dict[str, Any]:
    """Return a history of five past arms, and a judge that is right on 85 % of the answers and has holes."""
    rng = np.random.default_rng([seed, 1])
    proxy = np.where(rng.random(table.shape) < 0.85, table, 1.0 - table)
    proxy[rng.random(table.shape) < 0.1] = np.nan
    return {"history": answers_of(5, table.shape[1], seed), "proxy": proxy}


ITEM_POLICIES = ["stopping", "stopping:structure=pool", "stopping:structure=none", "lsa", "fwt-sqrt", "uniform"]


def answers_as_the_engine(
    place: Place,
    policy: str,
    *,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    control: int | None = None,
    has_signals: bool = False,
) -> Campaign:
    """Check that a campaign with the seed of a simulation asks the same arms the same items, with the same verdicts."""
    monkeypatch.setattr("thresher.campaign.creation.randbits", lambda _: seed)
    table = answers_of(6, 40, seed)
    bar: dict[str, Any] = {"thresholds": 0.5} if control is None else {"control": control}
    signals = signals_of(table, seed) if has_signals else {}
    problem = Problem.crossed(table, **bar, **signals)
    expected = played(policy, problem, budget=90.0, seed=seed)
    arms = arms_of(problem)
    drawn, order, counts = drawn_arms(arms, seed, 0), list[int](), np.zeros(6, np.int64)
    given: dict[str, Any] = {"threshold": 0.5} if control is None else {"control": problem.arms[control]}
    given |= signals
    campaign = place.create(f"{policy} {seed}", arms=problem.arms, items=40, budget=90, policy=policy, **given)
    for ticket in campaign.tickets():
        k = problem.arms.index(ticket.arm)
        assert ticket.item is not None
        item = int(ticket.item) - 1
        assert item == arms.items[sample_at(drawn[k], counts[k])]
        campaign.tell(ticket, table[k, item])
        order.append(k)
        counts[k] += 1
    assert order == expected.order
    if policy in ("stopping", "lsa", "fwt-sqrt"):
        words = {1: "above", -1: "below", 0: "undecided"}
        sides = [words[side] for k, side in enumerate(expected.state.verdicts) if k != control]
        assert [row.verdict for row in campaign.verdicts()] == sides
    return campaign


@EACH_SEED
@pytest.mark.parametrize("policy", ITEM_POLICIES)
def test_items_are_asked_as_the_engine_draws_them(policy: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = answers_as_the_engine(MemoryPlace(), policy, seed=seed, monkeypatch=monkeypatch)
    campaign.verify()
    kinds = [entry.kind for entry in campaign.history()]
    assert ("refitted" in kinds) == (policy in ("stopping", "lsa", "fwt-sqrt"))


@EACH_SEED
@pytest.mark.by_day("stopping-1", "lsa-1", "stopping:structure=pool-1")
@pytest.mark.parametrize("policy", ITEM_POLICIES)
def test_items_with_a_control_are_asked_as_the_engine_draws_them(
    policy: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = answers_as_the_engine(MemoryPlace(), policy, seed=seed, monkeypatch=monkeypatch, control=2)
    campaign.verify()
    kinds = [entry.kind for entry in campaign.history()]
    assert ("refitted" in kinds) == (policy in ("stopping", "lsa", "fwt-sqrt"))


def repeats_as_the_engine(place: Place, policy: str, *, seed: int, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Check that a campaign with repeats asks the same arms the same items as often, with the same verdicts."""
    monkeypatch.setattr("thresher.campaign.creation.randbits", lambda _: seed)
    rng = np.random.default_rng(seed)
    rates = 1.0 / (1.0 + np.exp(-rng.normal(size=(6, 1)) - 2.0 * rng.normal(size=(1, 12))))
    problem = Problem.repeated(rates, thresholds=0.5, repeats=4)
    expected = played(policy, problem, budget=150.0, seed=seed)
    arms = arms_of(problem)
    drawn, order, counts = drawn_arms(arms, seed, 0), list[int](), np.zeros(6, np.int64)
    given: dict[str, Any] = {"items": 12, "repeats": 4, "threshold": 0.5, "budget": 150, "policy": policy}
    campaign = place.create(f"{policy} {seed}", arms=problem.arms, **given)
    for ticket in campaign.tickets():
        k = problem.arms.index(ticket.arm)
        turn = turn_at(counts[k], 12, 4)
        assert (ticket.item, ticket.repeat) == (str(sample_at(drawn[k], counts[k]) % 12 + 1), turn.repeat + 1)
        campaign.tell(ticket, outcome_at(drawn[k], arms.pool, counts[k]))
        order.append(k)
        counts[k] += 1
    assert order == expected.order
    if policy in ("stopping", "lsa", "fwt-sqrt"):
        words = {1: "above", -1: "below", 0: "undecided"}
        assert [row.verdict for row in campaign.verdicts()] == [words[side] for side in expected.state.verdicts]
    return campaign


@EACH_SEED
@pytest.mark.by_day("stopping-1", "stopping:structure=pool-1", "stopping:structure=none-1")
@pytest.mark.parametrize("policy", ITEM_POLICIES)
def test_repeats_are_asked_as_the_engine_draws_them(policy: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = repeats_as_the_engine(MemoryPlace(), policy, seed=seed, monkeypatch=monkeypatch)
    campaign.verify()
    fits = [entry.details for entry in campaign.history() if entry.kind == "refitted"]
    assert bool(fits) == (policy.partition("=")[2] != "none" and policy != "uniform")
    assert all("rho" in fit for fit in fits)


def test_repeats_in_sqlite(sqlite_place: SqlitePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    repeats_as_the_engine(sqlite_place, "stopping", seed=4, monkeypatch=monkeypatch).verify()


@pytest.mark.xdist_group("postgres")
def test_repeats_in_postgres(postgres_place: PostgresPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    repeats_as_the_engine(postgres_place, "stopping", seed=5, monkeypatch=monkeypatch).verify()


@EACH_SEED
@pytest.mark.parametrize("control", [None, 2])
@pytest.mark.parametrize("policy", ["stopping", "stopping:structure=pool", "lsa"])
def test_past_arms_and_scores_count_as_in_the_engine(
    policy: str, control: int | None, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = MemoryPlace()
    campaign = answers_as_the_engine(
        place, policy, seed=seed, monkeypatch=monkeypatch, control=control, has_signals=True
    )
    campaign.verify()


def test_past_arms_and_scores_in_sqlite(sqlite_place: SqlitePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_as_the_engine(sqlite_place, "stopping", seed=4, monkeypatch=monkeypatch, has_signals=True).verify()


def fits_of(campaign: Campaign) -> list[tuple[float, float]]:
    """Return slope and share of every refit in the log."""
    return [(e.details["slope"], e.details["share"]) for e in campaign.history() if e.kind == "refitted"]


@pytest.mark.parametrize("policy", ["stopping", "lsa"])
def test_scores_that_come_late_rank_as_a_refit_computed_afresh(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.campaign.creation.randbits", lambda _: 7)  # the order of items
    table = answers_of(6, 40, 7)
    signals, names = signals_of(table, 7), [f"a{k}" for k in range(6)]
    given: dict[str, Any] = {"arms": names, "items": 40, "threshold": 0.5, "budget": 150, "policy": policy}
    campaign = MemoryPlace().create("late", **given, history=signals["history"])
    known, compared = KnownSignals(signals["history"]), list[tuple[float, float]]()
    for told, ticket in enumerate(campaign.tickets(), start=1):
        before = len(fits_of(campaign))
        campaign.tell(ticket, table[names.index(ticket.arm), int(ticket.item or 0) - 1])
        if len(fits := fits_of(campaign)) > before:
            fresh = refit_of(campaign.items().table, known=known)
            assert fits[-1] == (fresh.slope, fresh.share)
            bare = refit_of(campaign.items().table, known=KnownSignals(signals["history"]))
            compared.append((fresh.share, bare.share))
        if told % 20 == 0 and told <= 120:  # the scores of one more arm
            k = told // 20 - 1
            campaign.tell_proxy(names[k], {str(i + 1): score for i, score in enumerate(signals["proxy"][k].tolist())})
            known = KnownSignals(signals["history"], np.where(np.arange(6)[:, None] <= k, signals["proxy"], np.nan))
    assert len(compared) >= 4
    share, without = compared[-1]
    assert share != without, "the scores count"
    campaign.verify()  # replays the log: the sort keys of all arms are those of the rebuilt campaign


@pytest.mark.xdist_group("postgres")
def test_past_arms_and_scores_in_postgres(postgres_place: PostgresPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_as_the_engine(postgres_place, "stopping", seed=4, monkeypatch=monkeypatch, has_signals=True).verify()


def test_items_with_a_control_in_sqlite(sqlite_place: SqlitePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_as_the_engine(sqlite_place, "stopping", seed=4, monkeypatch=monkeypatch, control=2).verify()


def test_items_in_sqlite(sqlite_place: SqlitePlace, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_as_the_engine(sqlite_place, "stopping", seed=4, monkeypatch=monkeypatch).verify()


@pytest.mark.xdist_group("postgres")
def test_items_in_postgres(postgres_place: PostgresPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    answers_as_the_engine(postgres_place, "stopping", seed=4, monkeypatch=monkeypatch).verify()


MARGINS = {"gaussian": (0.0, -0.1, "-10%"), "bernoulli": (0.0, -0.05, "20%"), "unknown variance": (0.1,)}
WITH_CONTROL = {
    ("gaussian", m): Problem.gaussian(
        MEANS, sigma=[1.0, 0.5, 1.0, 2.0, 1.0], costs=[1, 2, 1, 5, 0.3], control=2, margin=m
    )
    for m in MARGINS["gaussian"]
}
WITH_CONTROL |= {("bernoulli", m): Problem.bernoulli(MEANS, control=1, margin=m) for m in MARGINS["bernoulli"]}
WITH_CONTROL |= {
    ("unknown variance", m): Problem.gaussian_unknown_variance(MEANS, sigma=0.4, control=0, margin=m)
    for m in MARGINS["unknown variance"]
}
WITH_CONTROL["pull costs", 0.0] = Problem.gaussian(MEANS, pull_costs=[1, 2.5, 0.1, 0.3, 1], control=4)
WITH_CONTROL["one arm", 0.0] = Problem.bernoulli([0.4, 0.6], control=0)  # arm and control tie again and again


def compares_as_the_engine(place: Place, problem: Problem, margin: float | str, policy: str, *, seed: int) -> Campaign:
    """Check that a campaign with a control pulls as the simulator does, with the same verdicts."""
    expected, arms = played(policy, problem, budget=80.0, seed=seed), arms_of(problem)
    assert problem.control is not None
    drawn, order, counts = drawn_arms(arms, seed, 0), list[int](), np.zeros(problem.n_arms, np.int64)
    given = {"sigma": problem.sigma} if problem.kind.takes_sigma else {}
    campaign = place.create(
        f"{problem.family} {policy} {seed}", arms=problem.arms, costs=problem.costs, pull_costs=problem.pull_costs,
        budget=80, family=problem.family, policy=policy, control=problem.arms[problem.control.arm], margin=margin,
        **given,
    )  # fmt: skip
    for ticket in campaign.tickets():
        k = problem.arms.index(ticket.arm)
        campaign.tell(ticket, outcome_at(drawn[k], arms.pool, counts[k]))
        order.append(k)
        counts[k] += 1
    assert order == expected.order
    words = {1: "above", -1: "below", 0: "undecided"}
    sides = [words[side] for k, side in enumerate(expected.state.verdicts) if k != problem.control.arm]
    found = campaign.verdicts()
    assert [row.verdict for row in found] == sides
    assert found.control is not None
    assert found.control.pulls == counts[problem.control.arm]
    return campaign


@EACH_SEED
@pytest.mark.by_day(
    "('gaussian', -0.1)-stopping-1",
    "('bernoulli', '20%')-lsa-1",
    "('unknown variance', 0.1)-stopping-1",
    "('pull costs', 0.0)-lsa-1",
    "('one arm', 0.0)-uniform-1",
    "('bernoulli', -0.05)-stopping-1",
)
@pytest.mark.parametrize("policy", ["stopping", "lsa", "uniform"])
@pytest.mark.parametrize("case", WITH_CONTROL, ids=str)
def test_with_a_control_in_memory(case: tuple[str, float | str], policy: str, seed: int) -> None:
    compares_as_the_engine(MemoryPlace(), WITH_CONTROL[case], case[1], policy, seed=seed).verify()


@pytest.mark.parametrize("case", [("bernoulli", -0.05), ("gaussian", "-10%")], ids=str)
def test_with_a_control_in_sqlite(sqlite_place: SqlitePlace, case: tuple[str, float | str]) -> None:
    compares_as_the_engine(sqlite_place, WITH_CONTROL[case], case[1], "stopping", seed=4).verify()


@pytest.mark.nightly
@pytest.mark.xdist_group("postgres")
def test_with_a_control_in_postgres(postgres_place: PostgresPlace) -> None:
    case = ("bernoulli", "20%")
    compares_as_the_engine(postgres_place, WITH_CONTROL[case], case[1], "stopping", seed=4).verify()


@EACH_SEED
@pytest.mark.parametrize("policy", ["stopping", "stopping:structure=none", "lsa"])
def test_items_with_a_control(policy: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thresher.campaign.creation.randbits", lambda _: seed)
    table = answers_of(6, 40, seed)
    problem = Problem.crossed(table, control=3, margin=-0.05)
    expected = played(policy, problem, budget=150.0, seed=seed)
    campaign = MemoryPlace().create(
        "items", arms=problem.arms, items=40, budget=150, policy=policy, control=problem.arms[3], margin=-0.05
    )
    order = []
    for ticket in campaign.tickets():
        k = problem.arms.index(ticket.arm)
        campaign.tell(ticket, table[k, int(ticket.item or 0) - 1])
        order.append(k)
    assert order == expected.order
    words = {1: "above", -1: "below", 0: "undecided"}
    sides = [words[side] for k, side in enumerate(expected.state.verdicts) if k != 3]
    assert [row.verdict for row in campaign.verdicts()] == sides
    campaign.verify()
