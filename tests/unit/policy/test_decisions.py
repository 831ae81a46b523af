import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.policy import GUARANTEES, Decisions, Doubt, Intervals, Seen, decide, doubt, e_bh, intervals
from thresher.policy.decisions import excluded
from thresher.problem import Question
from thresher.types import Bools, Floats

BAR = Question.of("gaussian", thresholds=np.zeros(4))
SIDES = np.array([1, -1, 1, 0])


def judged(question: Question, seen: Seen, **terms: object) -> Decisions:
    sides = np.where(seen.counts > 0, np.where(seen.means > question.thresholds, 1, -1), 0)
    tolerance = float(terms.get("tolerance", 0.0))  # type: ignore[arg-type]
    return decide(question, seen, sides, doubt(question, seen, tolerance=tolerance), **terms)  # type: ignore[arg-type]


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
    seen = Seen(np.array([9.0, 9.0, 9.0, 0.0]), np.array([3.0, -3.0, 3.0, 0.0]), np.full(4, 9.0))
    doubts = Doubt(above=np.array([0.05, 0.9, 0.06, 0.5]), below=np.array([0.95, 0.01, 0.9, 0.5]))
    found = decide(BAR, seen, SIDES, doubts)
    np.testing.assert_equal(found.is_decided, [True, True, False, False])
    assert found.words() == ["pass", "fail", "open", "open"]
    assert found.words("below") == ["fail", "pass", "open", "open"]
    np.testing.assert_allclose(found.p_wrong, [0.05, 0.01, 0.06, 0.5])


def test_anytime_decisions_are_those_whose_interval_excludes_the_bar_and_fwer_takes_a_wider_one() -> None:
    counts, totals = np.full(4, 50.0), np.array([50.0, -50.0, 24.0, 1.0])
    seen = Seen(counts, totals, counts + totals**2 / counts)
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
    seen = Seen(np.full(40, 200.0), heads, np.full(40, 50.0))
    plain, tolerant = (judged(question, seen, guarantee=guarantee, tolerance=t).is_decided for t in (0.0, 0.1))
    assert (tolerant >= plain).all()
    assert tolerant.sum() > plain.sum()


def test_the_guarantees_are_ordered_by_what_they_promise() -> None:
    rng = np.random.default_rng(3)
    means = rng.normal(0.0, 0.7, 200)
    counts = np.full(200, 30.0)
    totals = counts * means + np.sqrt(counts) * rng.normal(size=200)
    seen = Seen(counts, totals, totals**2 / counts + counts)
    question = Question.of("gaussian", thresholds=np.zeros(200))
    found = {name: judged(question, seen, guarantee=name).is_decided.sum() for name in GUARANTEES}
    assert found["calibrated"] > found["anytime"] > found["fwer"] > 0
    assert found["calibrated"] > found["fdr"] > found["fwer"]


def test_the_false_discovery_rate_holds_for_dependent_arms_at_a_chosen_moment() -> None:
    # Ten arms with one common noise, all at the bar: every decision "above" is wrong, "below" is not. The campaign
    # stops at the first discovery that is wrong.
    rng, runs, n_arms = np.random.default_rng(4), 400, 10
    question = Question.of("gaussian", thresholds=np.zeros(n_arms))
    wrong = 0
    for _ in range(runs):
        shared = rng.normal(size=60).cumsum()
        for n in range(1, 61, 3):
            total = np.full(n_arms, shared[n - 1])
            seen = Seen(np.full(n_arms, float(n)), total, np.full(n_arms, float(n)))
            sides = np.where(total > 0.0, 1, -1)
            found = decide(question, seen, sides, Doubt(np.full(10, 0.5), np.full(10, 0.5)), guarantee="fdr")
            if (found.is_decided & (sides > 0)).any():
                wrong += 1
                break
    # At most 0.05: 400 runs, five standard deviations of 0.011, a false alarm below 3e-7.
    assert wrong / runs < 0.05 + 5 * 0.011


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
    seen = Seen(np.ones(1), np.ones(1), np.full(1, 0.25))
    with pytest.raises(InvalidInputError, match=words):
        decide(question, seen, np.ones(1, np.int64), Doubt(np.zeros(1), np.ones(1)), **terms)  # type: ignore[arg-type]
