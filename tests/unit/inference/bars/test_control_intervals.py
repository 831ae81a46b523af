"""Anytime-valid intervals of differences and lifts: by hand, against brute force, and coverage at every look."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.inference import intervals
from thresher.inference.bars import difference_intervals, lift_intervals
from thresher.martingales.beta_binomial import bernoulli_refutation
from thresher.martingales.joint import joint_radius
from thresher.martingales.mixture import mixture_of, single
from thresher.problem import Question, Statistics
from thresher.types import Floats

ALPHA = 0.05
MIXTURE = mixture_of(ALPHA)


def asked(family: str, n_arms: int, **given: object) -> Question:
    return Question.of(family, arms=[f"arm {k}" for k in range(n_arms)], **({"control": 0} | given))  # type: ignore[arg-type]


def test_a_gaussian_case_by_hand() -> None:
    # One part: R = 2 log 20 + log((4 + ρ)(9 + ρ)/ρ²), and the radius is sqrt(R ((4 + ρ) 1/16 + c² 4 (9 + ρ)/81)).
    rho = 6.3
    level = 2.0 * math.log(20.0) + math.log((4.0 + rho) * (9.0 + rho) / rho**2)
    radius = math.sqrt(level * ((4.0 + rho) / 16.0 + 2.25 * 4.0 * (9.0 + rho) / 81.0))
    one = joint_radius(np.array([4.0]), np.array([1.0]), np.array([1.5]), (9.0, 2.0), ALPHA, single(rho))
    assert one[0] == pytest.approx(radius)
    # All parts: the largest x + 1.5 y on a fine grid of the region.
    x, y = np.meshgrid(np.linspace(0.0, 4.0, 1201), np.linspace(0.0, 4.0, 1201))
    parts = [
        0.5 * np.log(r / (4.0 + r) * r / (9.0 + r)) + 8.0 * x**2 / (4.0 + r) + 81.0 / 8.0 * y**2 / (9.0 + r)
        for r in MIXTURE.rhos
    ]
    largest = (x + 1.5 * y)[MIXTURE.of(np.stack(parts)) < math.log(1.0 / ALPHA)].max()
    question = asked("gaussian", 2, sigma=[2.0, 1.0], margin="50%")
    found = difference_intervals(
        question, Statistics(np.array([9.0, 4.0]), np.array([9.0, 8.0]), np.zeros(2)), alpha=ALPHA
    )
    assert largest <= found.high[0] - 0.5 <= largest + 0.01
    assert found.high[0] + found.low[0] == pytest.approx(1.0)


def test_the_difference_of_rates_near_5_percent_is_at_most_0_022_wide_at_11000_visitors_each() -> None:
    seen = Statistics(np.full(2, 11_000.0), np.array([550.0, 550.0]), np.ones(2))
    found = difference_intervals(asked("bernoulli", 2), seen, alpha=ALPHA)
    assert found.high[0] - found.low[0] <= 0.022


def test_it_is_narrower_than_half_of_the_error_rate_for_each_mean() -> None:
    for family in ("gaussian", "bernoulli"):
        question = asked(family, 2)
        for n in (50.0, 500.0, 5000.0):
            seen = Statistics(np.array([2.0 * n, n]), np.array([0.6 * n, 0.4 * n]), np.ones(2))
            joint = difference_intervals(question, seen, alpha=ALPHA)
            each = intervals(question, seen, alpha=0.5 * ALPHA)
            assert joint.high[0] - joint.low[0] < 0.9 * (each.high - each.low).sum()


@given(
    n=st.integers(1, 60), n_0=st.integers(1, 60), share=st.floats(0.0, 1.0), share_0=st.floats(0.0, 1.0),
    ratio=st.sampled_from([1.0, 0.9, 1.2]),
)  # fmt: skip
def test_the_limits_of_rates_are_the_ends_of_the_joint_region(
    n: int, n_0: int, share: float, share_0: float, ratio: float
) -> None:
    s, s_0 = float(round(share * n)), float(round(share_0 * n_0))
    question = asked("bernoulli", 2, margin=f"{100.0 * (ratio - 1.0):.6f}%")
    seen = Statistics(np.array([n_0, n], dtype=float), np.array([s_0, s]), np.ones(2))
    grid = np.sin(np.linspace(0.0, 0.5 * math.pi, 301)[1:-1]) ** 2  # denser towards 0 and 1, where regions are thin
    arm, other = refutations(grid, n, s), refutations(grid, n_0, s_0)
    rows, columns = np.nonzero(MIXTURE.of(arm[:, :, None] + other[:, None, :]) < math.log(1.0 / ALPHA))
    if rows.size == 0:
        return
    differences, ratios = grid[rows] - ratio * grid[columns], grid[rows] / grid[columns]
    found, lifted = difference_intervals(question, seen, alpha=ALPHA), lift_intervals(question, seen, alpha=ALPHA)
    step = (1.0 + ratio) * np.diff(grid).max()
    assert found.low[0] - 1e-6 <= differences.min() <= found.low[0] + 2.0 * step
    assert found.high[0] - 2.0 * step <= differences.max() <= found.high[0] + 1e-6
    assert 1.0 + lifted.low[0] / 100.0 <= ratios.min() + 1e-6
    assert 1.0 + lifted.high[0] / 100.0 >= ratios.max() - 1e-6


def test_the_rate_refuted_least_is_not_the_empirical_one() -> None:
    # 22 of 24 and 4 of 4: the least ratio of the region, on a fine grid, has a control above 22/24.
    question, seen = asked("bernoulli", 2), Statistics(np.array([24.0, 4.0]), np.array([22.0, 4.0]), np.ones(2))
    rates, bases = np.linspace(0.02, 0.15, 400), np.linspace(0.88, 0.98, 200)
    joint = MIXTURE.of(refutations(rates, 4, 4.0)[:, :, None] + refutations(bases, 24, 22.0)[:, None, :])
    ratios = np.where(joint < math.log(1.0 / ALPHA), rates[:, None] / bases, np.inf)
    place = np.unravel_index(np.argmin(ratios), ratios.shape)
    assert bases[place[1]] > 22.0 / 24.0 + 0.01
    assert ratios.min() - 0.002 <= 1.0 + lift_intervals(question, seen, alpha=ALPHA).low[0] / 100.0 <= ratios.min()


def test_a_lift_by_hand() -> None:
    # The ends of the lift are the relative margins at which the interval of the difference begins to exclude 0.
    for family, totals in (("gaussian", [3000.0, 3300.0]), ("bernoulli", [300.0, 390.0])):
        seen = Statistics(np.array([1000.0, 1000.0]), np.array(totals), np.ones(2))
        found = lift_intervals(asked(family, 2), seen, alpha=ALPHA)
        low, high = float(found.low[0]), float(found.high[0])
        assert low < 100.0 * (totals[1] / totals[0] - 1.0) < high
        for lift, side in ((low, "low"), (high, "high")):
            at = difference_intervals(asked(family, 2, margin=f"{lift:.9f}%"), seen, alpha=ALPHA)
            assert getattr(at, side)[0] == pytest.approx(0.0, abs=2e-5)


def test_without_outcomes_nothing_is_known() -> None:
    for family, low, high in (("gaussian", math.nan, math.nan), ("bernoulli", -1.0, 1.0), ("bounded", -1.0, 1.0)):
        seen = Statistics(np.array([5.0, 0.0]), np.array([0.0, 0.0]), np.zeros(2))
        found = difference_intervals(asked(family, 2), Statistics(np.zeros(2), seen.totals, seen.squares), alpha=ALPHA)
        np.testing.assert_allclose([found.low[0], found.high[0]], [low, high])
    assert math.isnan(
        lift_intervals(asked("gaussian", 2), Statistics(np.full(2, 9.0), np.zeros(2), np.ones(2))).high[0]
    )


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_a_bad_error_rate_is_refused(alpha: float) -> None:
    seen = Statistics(np.ones(2), np.ones(2), np.ones(2))
    for find in (difference_intervals, lift_intervals):
        with pytest.raises(InvalidInputError, match="alpha"):
            find(asked("gaussian", 2), seen, alpha=alpha)


@pytest.mark.nightly("gaussian-unknown-variance")
@pytest.mark.parametrize("family", ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"])
def test_intervals_hold_at_every_look_under_adaptive_choice(family: str) -> None:
    # 100 pairs of arm and control, ten looks each, pulls to the one that leads in four of five turns. At most 5 % may
    # ever miss: more than 15 of 100 has a probability of 4e-5 (binomial tail).
    random, question, missed = np.random.default_rng(5), asked(family, 2), 0
    for _ in range(100):
        counts, totals, squares, is_wrong = np.zeros(2), np.zeros(2), np.zeros(2), False
        for size in (6, 6, 10, 15, 25, 40, 60, 100, 150, 250):
            leader = int(totals[1] * counts[0] > totals[0] * counts[1])
            k = leader if random.random() < 0.8 else 1 - leader
            more = drawn(family, random, size)
            counts[k], totals[k] = counts[k] + size, totals[k] + more.sum()
            squares[k] += ((more - question.thresholds[k]) ** 2).sum()
            found = difference_intervals(
                question, Statistics(counts.copy(), totals.copy(), squares.copy()), alpha=ALPHA
            )
            is_wrong = is_wrong or bool(found.low[0] > 0.0 or found.high[0] < 0.0)
        missed += is_wrong
    assert missed <= 15


def refutations(rates: Floats, count: float, total: float) -> Floats:
    """Return how strongly outcomes refute some rates by each part of the mixture, shape (J, rates)."""
    return np.array(
        [[bernoulli_refutation(p, float(count), total, rho) for p in rates.tolist()] for rho in MIXTURE.rhos]
    )


def drawn(family: str, random: np.random.Generator, n: int) -> np.ndarray:
    if family == "bernoulli":
        return (random.random(n) < 0.3) * 1.0
    return random.beta(2.0, 3.0, n) if family == "bounded" else random.normal(2.0, 1.0, n)
