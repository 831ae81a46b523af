import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.inference import (
    Decisions,
    Intervals,
    Posterior,
    PosteriorCells,
    decide,
    decided_arms,
    intervals,
    posterior_of,
)
from thresher.inference.bars import bar_of
from thresher.inference.decisions import excluded
from thresher.inference.guarantees import GUARANTEES, e_bh
from thresher.problem import Question, Statistics, Structure
from thresher.problem.bars import Control
from thresher.types import Bools, Floats

BAR = Question.of("gaussian", thresholds=np.zeros(4))
SIDES = np.array([1, -1, 1, 0])


def judged(question: Question, seen: Statistics, **terms: object) -> Decisions:
    sides = np.where(seen.counts > 0, np.where(seen.means > question.thresholds, 1, -1), 0)
    bar = bar_of(question)
    return decide(bar, seen, sides, posterior_of(bar, seen), **terms)  # type: ignore[arg-type]


def likely_above(chances: list[float]) -> Posterior:
    """Return a posterior of arms that are above their bar with these chances, up to 1 from it."""
    edges, above = np.tile([-1.0, 0.0, 1.0], (len(chances), 1)), np.array(chances)
    return Posterior(len(chances), lambda _: [PosteriorCells(edges, np.stack([1.0 - above, above], axis=1))])


def by_definition(e: Floats, risk: float) -> Bools:
    """Return what e-BH rejects, by trying every k."""
    n, largest = e.size, 0
    for k in range(1, n + 1):
        if np.sort(e)[::-1][k - 1] >= n / (risk * k):
            largest = k
    return np.asarray(e >= np.sort(e)[::-1][largest - 1]) if largest else np.zeros(n, bool)


def test_e_bh_by_hand() -> None:
    # K/(risk k) = 80, 40, 26.7, 20: the first passes none of the small k, but all four are at least 20.
    np.testing.assert_equal(e_bh(np.log([21.0, 30.0, 25.0, 41.0]), risk=0.05), [True] * 4)
    np.testing.assert_equal(e_bh(np.log([19.0, 30.0, 25.0, 41.0]), risk=0.05), [False, False, False, False])
    np.testing.assert_equal(e_bh(np.log([19.0, 45.0, 25.0, 41.0]), risk=0.05), [False, True, False, True])
    np.testing.assert_equal(e_bh(np.array([-math.inf, math.inf]), risk=0.05), [False, True])


@given(e=st.lists(st.sampled_from([0.5, 1.0, 19.0, 21.0, 39.0, 41.0, 79.0, 81.0, 200.0]), min_size=1, max_size=8))
def test_e_bh_is_its_definition(e: list[float]) -> None:
    np.testing.assert_equal(e_bh(np.log(e), risk=0.05), by_definition(np.array(e), 0.05))


def test_calibrated_decisions_are_the_verdicts_with_a_small_chance_of_error() -> None:
    seen = Statistics(np.array([9.0, 9.0, 9.0, 0.0]), np.array([6.0, -6.0, 6.0, 0.0]), np.full(4, 13.0))
    posterior = likely_above([0.96, 0.01, 0.94, 0.5])
    found = decide(bar_of(BAR), seen, SIDES, posterior)
    np.testing.assert_equal(found.is_decided, [True, True, False, False])
    assert found.words() == ["pass", "fail", "open", "open"]
    assert found.words("below") == ["fail", "pass", "open", "open"]
    np.testing.assert_allclose(found.p_wrong, [0.04, 0.01, 0.06, 0.5])
    # Before the budget is spent the level is less than the risk.
    np.testing.assert_equal(
        decide(bar_of(BAR), seen, SIDES, posterior, level=0.02).is_decided, [False, True, False, False]
    )
    levels = np.array([0.05, 0.02, 0.02, 0.02])
    np.testing.assert_equal(
        decide(bar_of(BAR), seen, SIDES, posterior, level=levels).is_decided, [True, True, False, False]
    )


def test_an_arm_is_decided_only_if_its_own_outcomes_speak_for_it() -> None:
    # The population is sure of every arm. By itself the first is half a standard error off, the second two.
    seen = Statistics(np.full(2, 16.0), np.array([2.0, 8.0]), np.array([16.25, 20.0]))
    question = Question.of("gaussian", thresholds=np.zeros(2))
    found = decide(bar_of(question), seen, np.array([1, 1]), likely_above([0.999, 0.999]))
    np.testing.assert_equal(found.is_decided, [False, True])
    # A quarter of the log odds of 0.05 are a likelihood ratio of 19^(1/4): √(log(19)/2) standard errors.
    assert found.interval.low[0] == pytest.approx(0.125 - 0.25 * math.sqrt(0.5 * math.log(19.0)))
    assert found.interval.low[1] > 0.0


def test_anytime_decisions_are_those_whose_interval_excludes_the_bar_and_fwer_takes_a_wider_one() -> None:
    counts, totals = np.full(4, 50.0), np.array([50.0, -50.0, 24.0, 1.0])
    seen = Statistics(counts, totals, counts + totals**2 / counts)
    limits, wide = (intervals(BAR, seen, alpha=alpha) for alpha in (0.05, 0.05 / 4))
    assert limits.low[2] > 0.0 > wide.low[2]
    np.testing.assert_equal(judged(BAR, seen, guarantee="anytime").is_decided, [True, True, True, False])
    np.testing.assert_equal(judged(BAR, seen, guarantee="fwer").is_decided, [True, True, False, False])
    for guarantee in GUARANTEES:
        np.testing.assert_equal(judged(BAR, seen, guarantee=guarantee).is_proven, [True, True, True, False])


def test_an_interval_inside_the_tolerance_allows_either_verdict() -> None:
    limits = Intervals(np.array([-0.1, -0.1, -0.3, math.nan]), np.array([0.1, 0.1, 0.1, math.nan]))
    np.testing.assert_equal(excluded(BAR.thresholds, np.array([1, -1, 1, 1]), limits, 0.2), [True, True, False, False])
    np.testing.assert_equal(excluded(BAR.thresholds, np.array([1, -1, 1, 1]), limits), [False] * 4)


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_tolerance_decides_more_and_nothing_less(guarantee: str) -> None:
    rng = np.random.default_rng(2)
    question = Question.of("bernoulli", thresholds=np.full(40, 0.5))
    heads = rng.binomial(200, rng.uniform(0.35, 0.65, 40)).astype(float)
    seen = Statistics(np.full(40, 200.0), heads, np.full(40, 50.0))
    plain, tolerant = (judged(question, seen, guarantee=guarantee, tolerance=t).is_decided for t in (0.0, 0.1))
    assert (tolerant >= plain).all()
    assert tolerant.sum() > plain.sum()


def test_the_guarantees_are_ordered_by_what_they_promise() -> None:
    rng = np.random.default_rng(3)
    means = rng.normal(0.0, 0.7, 200)
    counts = np.full(200, 30.0)
    totals = counts * means + np.sqrt(counts) * rng.normal(size=200)
    seen = Statistics(counts, totals, totals**2 / counts + counts)
    question = Question.of("gaussian", thresholds=np.zeros(200))
    found = {name: judged(question, seen, guarantee=name).is_decided.sum() for name in GUARANTEES}
    assert found["calibrated"] > found["anytime"] > found["fwer"] > 0
    assert found["calibrated"] > found["fdr"] > found["fwer"]


def test_the_false_discovery_rate_holds_for_dependent_arms_at_a_chosen_moment() -> None:
    # Ten arms with one common noise, all at the bar: every decision "above" is wrong, "below" is not. The campaign
    # stops at the first discovery that is wrong. All arms have the same sum, so a look makes a discovery from some
    # sum on, which is searched for once and then compared with the sums of all runs.
    rng, runs, looks = np.random.default_rng(4), 20_000, range(1, 61, 3)
    sums = rng.normal(size=(runs, 60)).cumsum(axis=1)
    least = np.array([least_sum_of_a_discovery(n, n_arms=10) for n in looks])
    wrong = (sums[:, [n - 1 for n in looks]] >= least).any(axis=1).mean()
    # At most 0.05: 20,000 runs, five standard deviations of 0.0016, a false alarm below 3e-7.
    assert wrong < 0.05 + 5 * 0.0016


def least_sum_of_a_discovery(n: int, *, n_arms: int) -> float:
    """Return the least sum of `n` outcomes, the same for all arms, at which the rule decides "above" the bar 0."""
    question = Question.of("gaussian", thresholds=np.zeros(n_arms))

    bar, sides, posterior = bar_of(question), np.ones(n_arms, np.int64), likely_above([0.5] * n_arms)

    def seen_with(total: float) -> Statistics:
        return Statistics(np.full(n_arms, float(n)), np.full(n_arms, total), np.full(n_arms, float(n)))

    def is_discovery(total: float) -> bool:
        return bool(decided_arms(bar, seen_with(total), sides, posterior, guarantee="fdr").any())

    low, high = 0.0, 10.0 * math.sqrt(n)
    assert is_discovery(high)
    assert not is_discovery(low)
    while high - low > 0.001 * math.sqrt(n):
        middle = (low + high) / 2.0
        low, high = (low, middle) if is_discovery(middle) else (middle, high)
    for total, is_one in ((low, False), (high, True)):  # with intervals, which take most of the time
        assert decide(bar, seen_with(total), sides, posterior, guarantee="fdr").is_decided.any() == is_one
    return low


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"risk": 0.0}, "risk is 0; must be between 0 and 1"),
        ({"risk": math.nan}, "risk is nan"),
        ({"guarantee": "sure"}, "guarantee is 'sure'; must be one of calibrated, anytime, fdr, fwer"),
        ({"tolerance": -0.1}, "tolerance is -0.1; must be a finite number, 0 or more"),
        ({"tolerance": 0.6}, "tolerance is 0.6; must be less than 0.5"),
    ],
)
def test_terms_out_of_range_are_refused(terms: dict[str, object], words: str) -> None:
    question = Question.of("bernoulli", thresholds=0.5)
    seen = Statistics(np.ones(1), np.ones(1), np.full(1, 0.25))
    with pytest.raises(InvalidInputError, match=words):
        decide(bar_of(question), seen, np.ones(1, np.int64), likely_above([1.0]), **terms)  # type: ignore[arg-type]


FAMILIES = ("gaussian", "bernoulli", "bounded", "gaussian-unknown-variance")


def drawn(family: str, rng: np.random.Generator, *, control: bool, items: bool) -> tuple[Question, Statistics]:
    """Return a question of seven arms, some next to their bar, and what was seen of them; one without an outcome."""
    counts = np.array([0, 3, 8, 20, 40, 40, 60])
    bars, sizes = rng.uniform(0.3, 0.7, 7), np.maximum(counts + rng.integers(0, 30, 7), 1)
    outcomes = [rng.normal(bar + rng.choice([0.0, 0.1, 0.3]), 0.3, n) for bar, n in zip(bars, counts, strict=True)]
    if family in ("bernoulli", "bounded"):
        outcomes = [np.clip(each, 0.0, 1.0) if family == "bounded" else (each > 0.5) * 1.0 for each in outcomes]
    question = Question.of(family, thresholds=bars, sigma=0.3 if family == "gaussian" else None)
    question = replace(question, structure=Structure(sizes) if items else None)
    if control:
        question = replace(question, control=Control(6, 1.0, 0.02))
    squares = [float(((each - bar) ** 2).sum()) for each, bar in zip(outcomes, bars, strict=True)]
    return question, Statistics(counts.astype(float), np.array([each.sum() for each in outcomes]), np.array(squares))


@pytest.mark.nightly("bernoulli-0.0", "bounded-0.05", "gaussian-unknown-variance-0.05")
@pytest.mark.parametrize("tolerance", [0.0, 0.05])
@pytest.mark.parametrize("family", FAMILIES)
def test_an_interval_and_its_decision_never_contradict_each_other(family: str, tolerance: float) -> None:
    rng, n_decided = np.random.default_rng(17), 0
    for control, items, guarantee in product((False, True), (False, True), GUARANTEES):
        level = 0.01 if tolerance else 0.05
        if control and items and guarantee == "fdr":
            continue  # there are no e-values
        question, seen = drawn(family, rng, control=control, items=items)
        bar = bar_of(question)
        sides = bar.sides(seen.means)
        found = decide(
            bar, seen, sides, posterior_of(bar, seen, told=seen),
            level=level, guarantee=guarantee, tolerance=tolerance,
        )  # fmt: skip
        low, high = (np.nan_to_num(end, nan=nan) for end, nan in zip(found.interval, (-np.inf, np.inf), strict=True))
        # Means for which "above" is wrong are at most the bar less the tolerance; for "below", more than it plus it.
        has_wrong = np.where(sides > 0, low <= bar.compared_limits - tolerance, high > bar.compared_limits + tolerance)
        where = (family, control, items, guarantee, tolerance, level)
        assert (has_wrong[sides != 0] != found.is_decided[sides != 0]).all(), where
        assert (low <= high).all(), where
        least, most = bar.attainable(seen)
        known = np.isfinite(low)
        assert ((low >= least - 1e-12) & (high <= most + 1e-12))[known].all(), where
        n_decided += int(found.is_decided.sum())
    assert n_decided > 20


def test_an_undecided_arm_has_means_on_both_sides_of_its_bar() -> None:
    # The fitted population contradicts the sign of the first mean: its posterior alone would be below the bar.
    seen = Statistics(np.full(2, 16.0), np.array([1.0, -1.0]), np.full(2, 16.1))
    bar = bar_of(Question.of("gaussian", thresholds=np.zeros(2)))
    found = decide(bar, seen, np.array([1, -1]), likely_above([0.01, 0.99]))
    assert not found.is_decided.any()
    assert (found.interval.low < 0.0).all()
    assert (found.interval.high > 0.0).all()


def test_the_interval_of_fdr_excludes_what_the_e_values_refute() -> None:
    rng = np.random.default_rng(5)
    question = Question.of("bernoulli", thresholds=np.full(6, 0.5))
    heads = rng.binomial(60, [0.9, 0.8, 0.5, 0.5, 0.2, 0.1]).astype(float)
    seen = Statistics(np.full(6, 60.0), heads, np.full(6, 15.0))
    found = judged(question, seen, guarantee="fdr")
    wanted = math.log(6 / (0.05 * found.is_decided.sum()))
    bar = bar_of(question)
    at_low = bar.e_value(seen, 1, risk=0.05, tolerance=0.5 - found.interval.low)
    at_high = bar.e_value(seen, -1, risk=0.05, tolerance=found.interval.high - 0.5)
    np.testing.assert_allclose(np.concatenate([at_low, at_high]), wanted, atol=1e-4)
