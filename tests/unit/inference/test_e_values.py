import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference import e_values
from thresher.inference.e_values import log_e_above, mirror, mixed_e_above
from thresher.martingales.mixture import mixture_of
from thresher.martingales.student import lifted
from thresher.problem import Question, Statistics
from thresher.types import Floats

RISK = 0.05
FAMILIES = ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"]


def seen_of(outcomes: Floats, bar: float) -> Statistics:
    """Return what the rows of an array have shown, one arm each."""
    n = np.full(outcomes.shape[0], float(outcomes.shape[1]))
    return Statistics(n, outcomes.sum(axis=1), ((outcomes - bar) ** 2).sum(axis=1))


def question_of(family: str, bar: float, arms: int) -> Question:
    return Question.of(family, thresholds=np.full(arms, bar), sigma=1.0 if "gaussian" in family else None)


def test_a_gaussian_case_by_hand() -> None:
    # S = 3 after n = 4: 2 Φ(3/sqrt(4 + ρ)) sqrt(ρ/(4 + ρ)) exp(9/(2 (4 + ρ))), and with -3 for the other side.
    found = e_values(question_of("gaussian", 1.0, 1), Statistics([4.0], [7.0], [9.0]), risk=RISK)  # type: ignore[arg-type]
    above = below = 0.0
    for rho, log in zip(*mixture_of(RISK), strict=True):
        both = math.exp(log) * math.sqrt(rho / (4 + rho)) * math.exp(9 / (2 * (4 + rho)))
        share = 0.5 * math.erfc(-3 / math.sqrt(2 * (4 + rho)))
        above, below = above + 2 * share * both, below + 2 * (1 - share) * both
    assert [math.exp(found.above[0]), math.exp(found.below[0])] == pytest.approx([above, below])


def test_a_bernoulli_case_by_hand() -> None:
    # ρ = 2 at the bar 1/2: the alternatives are even on (1/2, 1). One success: the mean of p / (1/2), 3/4 · 2 = 3/2;
    # one failure: 1/2; one of each: the mean of p (1 - p) / (1/4), (1/6) · 4 = 2/3.
    question = Question.of("bernoulli", thresholds=np.full(3, 0.5))
    seen = Statistics(np.array([1.0, 1.0, 2.0]), np.array([1.0, 0.0, 1.0]), np.array([0.25, 0.25, 0.5]))
    found = log_e_above(question, seen, question.thresholds, 2.0)
    np.testing.assert_allclose(np.exp(found), [1.5, 0.5, 2.0 / 3.0])


@pytest.mark.parametrize("family", ["bernoulli", "bounded"])
@pytest.mark.parametrize("bar", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_over_all_paths_of_zeros_and_ones_it_is_a_supermartingale(family: str, bar: float, share: float) -> None:
    mean = share * bar  # any mean at or below the bar
    for n in range(8):
        paths = np.array(list(itertools.product([0.0, 1.0], repeat=n))).reshape(2**n, n)
        question = question_of(family, bar, 2**n)
        mixture = mixture_of(RISK)
        before = np.exp(mixed_e_above(question, seen_of(paths, bar), question.thresholds, mixture))
        grown = [
            np.exp(
                mixed_e_above(
                    question, seen_of(np.column_stack([paths, np.full(2**n, x)]), bar), question.thresholds, mixture
                )
            )
            for x in (0.0, 1.0)
        ]
        after = (1.0 - mean) * grown[0] + mean * grown[1]
        assert (after <= before * (1.0 + 1e-9)).all()
        if share == 1.0 and family == "bernoulli":  # at the bar it is a martingale
            np.testing.assert_allclose(after, before, rtol=1e-9)


@given(
    values=st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), max_size=6),
    low=st.floats(0.0, 0.5),
    high=st.floats(0.5, 1.0),
    bar=st.floats(0.2, 0.8),
)
def test_for_bounded_outcomes_of_any_two_values_it_is_a_supermartingale(
    values: list[float], low: float, high: float, bar: float
) -> None:
    # The next outcome is low or high, with a mean at the bar if it lies between them, else below it.
    chance = min(max((bar - low) / max(high - low, 1e-9), 0.0), 1.0)
    if (1.0 - chance) * low + chance * high > bar + 1e-12:
        return
    question, mixture = question_of("bounded", bar, 1), mixture_of(RISK)

    def e_after(more: list[float]) -> float:
        outcomes = np.array([values + more])
        return float(np.exp(mixed_e_above(question, seen_of(outcomes, bar), question.thresholds, mixture))[0])

    assert (1.0 - chance) * e_after([low]) + chance * e_after([high]) <= e_after([]) * (1.0 + 1e-9)


LOOKS = (1, 2, 3, 5, 8, 12, 18, 27, 40, 60)  # enough to stop early, at a sixth of the processor time of all 60


@pytest.mark.nightly("bounded, beta")
@pytest.mark.parametrize("case", ["gaussian", "bernoulli", "bounded", "bounded, beta"])
def test_at_a_stopping_time_the_expectation_is_at_most_one(case: str) -> None:
    # Stop at the first look with an e of 5 or more, or after 60 outcomes: under a mean at the bar.
    rng, runs, bar, family = np.random.default_rng(4), 5_000, 0.4, case.partition(",")[0]
    draws: dict[str, Callable[[], Floats]] = {
        "gaussian": lambda: rng.normal(bar, 1.0, runs),
        "bernoulli": lambda: rng.binomial(1, bar, runs).astype(float),
        "bounded": lambda: rng.binomial(1, bar, runs).astype(float),  # of largest variance
        "bounded, beta": lambda: rng.beta(2.0, 3.0, runs),
    }
    mixture = mixture_of(RISK)
    totals, squares, stopped = np.zeros(runs), np.zeros(runs), np.full(runs, math.nan)
    for n in range(1, 61):
        outcomes = draws[case]()
        totals, squares = totals + outcomes, squares + (outcomes - bar) ** 2
        if n not in LOOKS:
            continue
        # Of outcomes 0 and 1 many runs have the same sum: each is looked at once.
        _, first, same = np.unique(totals, return_index=True, return_inverse=True)
        seen = Statistics(np.full(first.size, float(n)), totals[first], squares[first])
        question = question_of(family, bar, first.size)
        e = np.exp(mixed_e_above(question, seen, question.thresholds, mixture))[same]
        stopped = np.where(np.isnan(stopped) & ((e >= 5.0) | (n == 60)), e, stopped)
    # The mean of 5,000 numbers of deviation below 2: five standard errors, a false alarm in 3e-7.
    # With 1.3 times the e, the first two families fail.
    assert stopped.mean() < 1.0 + 5.0 * stopped.std() / math.sqrt(runs)
    assert (stopped >= 5.0).mean() < 0.2


def test_where_the_variance_is_unknown_a_time_chosen_by_the_unit_does_not_help() -> None:
    # Under a mean at the bar, go on only if the first outcome is large: what the filtration without the unit hides.
    rng, runs = np.random.default_rng(6), 40_000
    outcomes = rng.normal(0.0, 1.0, (runs, 6))
    goes_on, stopped = np.abs(outcomes[:, 0]) > 1.5, np.empty(runs)
    for which, shown in ((goes_on, outcomes), (~goes_on, outcomes[:, :1])):
        question = question_of("gaussian-unknown-variance", 0.0, int(which.sum()))
        stopped[which] = np.exp(e_values(question, seen_of(shown[which], 0.0), risk=RISK).above)
    # Five standard errors: a false alarm in 3e-7.
    assert stopped.mean() < 1.0 + 5.0 * stopped.std() / math.sqrt(runs)


def test_a_lifted_e_is_a_calibrated_p() -> None:
    # ∫ over p = exp(-L) of the value at E = exp(L) is 1; beyond L = 10,000 there is 1/10,000 of it.
    edges = np.geomspace(1e-4, 1e4, 100_001)
    middles = np.sqrt(edges[1:] * edges[:-1])
    assert float((np.exp(lifted(middles) - middles) * np.diff(edges)).sum()) == pytest.approx(1.0, abs=1e-3)
    # (e² - 3) / 4 at E = e²
    assert math.exp(lifted(np.array([2.0]))[0]) == pytest.approx((math.exp(2.0) - 3.0) / 4.0)
    values = lifted(np.linspace(-5.0, 30.0, 2000))
    assert (np.diff(values) >= -1e-12).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mirrored_campaign_has_mirrored_evidence(family: str) -> None:
    rng = np.random.default_rng(7)
    heads, sizes = rng.binomial(1, 0.6, (5, 30)).astype(np.float64), rng.uniform(0.5, 1.0, (5, 30))
    outcomes = heads if family == "bernoulli" else heads * sizes
    question, seen = question_of(family, 0.4, 5), seen_of(outcomes, 0.4)
    one, other = e_values(question, seen, risk=RISK), e_values(*mirror(question, seen), risk=RISK)
    np.testing.assert_allclose(one.above, other.below, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.below, other.above, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_evidence_grows_with_the_tolerance_and_with_the_outcomes(family: str) -> None:
    rng = np.random.default_rng(8)
    outcomes = rng.binomial(1, 0.8, (1, 400)).astype(float)
    question = question_of(family, 0.5, 1)
    short, long = seen_of(outcomes[:, :100], 0.5), seen_of(outcomes, 0.5)
    found = [e_values(question, seen, risk=RISK).above[0] for seen in (short, long)]
    assert math.log(20.0) < found[0] < found[1]
    assert e_values(question, short, risk=RISK, tolerance=0.1).above[0] > found[0]


def test_without_outcomes_there_is_no_evidence() -> None:
    nothing = Statistics(np.zeros(1), np.zeros(1), np.zeros(1))
    for family in [*FAMILIES, "two-point"]:
        found = e_values(Question.of(family, thresholds=0.0 if family == "two-point" else 0.5), nothing, risk=RISK)
        assert (found.above[0], found.below[0]) == (0.0, 0.0)


def test_a_toy_arm_is_settled_by_one_outcome_other_than_zero() -> None:
    seen = Statistics(np.array([3.0, 3.0]), np.array([2.0, 0.0]), np.array([4.0, 0.0]))
    found = e_values(Question.of("two-point", thresholds=np.zeros(2)), seen, risk=RISK)
    np.testing.assert_equal(found.above, [math.inf, 0.0])
    np.testing.assert_equal(found.below, [-math.inf, 0.0])


def test_extreme_statistics_have_finite_logarithms_on_the_side_that_they_support() -> None:
    question = question_of("bernoulli", 0.5, 2)
    found = e_values(question, Statistics(np.full(2, 1e6), np.array([1e6, 0.0]), np.full(2, 0.25e6)), risk=RISK)
    assert 6e5 < found.above[0] < 7e5
    assert 6e5 < found.below[1] < 7e5
    assert not np.isnan(found.below).any()
