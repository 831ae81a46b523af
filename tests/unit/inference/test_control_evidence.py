"""The difference from a control: effective samples, gains and evidence, worked by hand and against brute force."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.control_evidence import (
    ToldOutcomes,
    bar_of_rates,
    certain_difference,
    difference,
    gap_of,
    variance_of,
)
from thresher.inference.evidence import KL, LARGEST, SQUARED, STUDENT
from thresher.problem.bars import Control


def told(
    pulls: float, total: float, *, squares: float = 0.0, outstanding: float = 0.0, sigma: float = 1.0,
    size: float = math.inf,
) -> ToldOutcomes:  # fmt: skip
    return ToldOutcomes(pulls, total, squares, outstanding, 0.0, 0.5 / sigma**2, size)


def kl(p: float, q: float) -> float:
    terms = [a * math.log(a / b) for a, b in ((p, q), (1.0 - p, 1.0 - q)) if a > 0.0]
    return sum(terms)


def test_a_gaussian_case_by_hand() -> None:
    # n = 6 and n0 = 3: ν = 6·3/9 = 2. The means are 1 and 1/3, so d = 2/3 − 1/6 = 1/2 and x = 2 · ¼ / 2 = ¼.
    # A pull of the arm adds (2/6)² = 1/9, one of the control (2/3)² = 4/9.
    found = difference(SQUARED, told(6.0, 6.0), told(3.0, 1.0), Control(0, 1.0, 1.0 / 6.0), 0.0)
    assert list(found) == pytest.approx([2.0, 0.25, 1.0 / 9.0, 4.0 / 9.0])


def test_unequal_noise_by_hand() -> None:
    # Variances 4/8 of the arm and 1/2 of the control: 1 in all, that of 4 draws of the arm. A pull of the control takes
    # 1/4 off the variance at first order: 4 · 1/4 = 1 = s (ν/n0)² with s = 1/4 and ν/n0 = 2.
    found = difference(SQUARED, told(8.0, 8.0, sigma=2.0), told(2.0, 0.0), Control(0), 0.0)
    assert list(found) == pytest.approx([4.0, 0.5, 0.25, 1.0])


def test_shared_items_by_hand() -> None:
    # Half of the variance is left, and pools have 12 items: 1/ν = ½ (1/6 − 1/12 + 1/3 − 1/12) = 1/6. Adjusted, the
    # means are ½ and ⅓: d = 1/6 and x = 6 · 1/36 / 2 = 1/12. The gains are ½ (6/6)² and ½ (6/3)².
    arm = told(6.0, 6.0, size=12.0)._replace(excess=-3.0, share=0.5)
    found = difference(SQUARED, arm, told(3.0, 1.0, size=12.0)._replace(share=0.5), Control(0), 0.0)
    assert list(found) == pytest.approx([6.0, 1.0 / 12.0, 0.5, 2.0])


def test_the_adjustment_for_items_leaves_what_is_certain() -> None:
    # 6 ones of 7 items are more than the control can reach with 2 zeros of 4, whatever the items say.
    arm, other = told(6.0, 6.0, size=7.0)._replace(excess=-5.0), told(4.0, 2.0, size=7.0)._replace(excess=2.0)
    assert certain_difference(arm, other, Control(0), 0.0, 1.0) == 1
    assert gap_of(arm, other, Control(0)) < 0.0


def test_a_relative_margin_by_hand() -> None:
    # c = 2: 1/ν = 1/4 + 4/16 = ½; the control's gain is c² (ν/n0)² = 4/64.
    found = difference(SQUARED, told(4.0, 12.0), told(16.0, 16.0), Control(0, 2.0, 0.0), 0.0)
    assert list(found) == pytest.approx([2.0, 1.0, 0.25, 1.0 / 16.0])
    assert gap_of(told(4.0, 12.0), told(16.0, 16.0), Control(0, 2.0, 0.0)) == pytest.approx(1.0)


def test_pools_by_hand() -> None:
    # Half of 8 and a quarter of 16: 1/ν = (1/4 − 1/8) + (1/4 − 1/16) = 5/16. Gains (ν/4)².
    found = difference(SQUARED, told(4.0, 4.0, size=8.0), told(4.0, 0.0, size=16.0), Control(0), 0.0)
    assert list(found) == pytest.approx([3.2, 1.6, 0.64, 0.64])
    used_up = difference(SQUARED, told(4.0, 4.0, size=4.0), told(2.0, 0.0, size=2.0), Control(0), 0.0)
    assert (used_up.samples, used_up.evidence) == (math.inf, math.inf)


def test_pulls_in_flight_by_hand() -> None:
    # ν = 2 before and 4·4/8... with n = 6 + 6 and n0 = 3 + 9: ν' = 6; x' = ¼ · 3 + ½ · 2 = 1.75.
    arm, other = told(6.0, 6.0, outstanding=6.0), told(3.0, 1.0, outstanding=9.0)
    found = difference(SQUARED, arm, other, Control(0, 1.0, 1.0 / 6.0), 0.0)
    assert list(found) == pytest.approx([6.0, 1.75, 0.25, 0.25])


def test_rates_by_hand() -> None:
    # 3 of 4 and 1 of 4: together a half, so x = 2 · 4 kl(¾, ½).
    found = difference(KL, told(4.0, 3.0), told(4.0, 1.0), Control(0), 0.0)
    assert list(found) == pytest.approx([2.0, 8.0 * kl(0.75, 0.5), 0.25, 0.25])
    # With a pseudo-sample at ½ each: (3 + ½)/5 = 0.7, and ν = 2.5.
    found = difference(KL, told(4.0, 3.0), told(4.0, 1.0), Control(0), 1.0)
    assert list(found) == pytest.approx([2.5, 10.0 * kl(0.7, 0.5), 0.25, 0.25])


def test_no_success_of_either_is_no_evidence_without_a_margin() -> None:
    assert difference(KL, told(9.0, 0.0), told(5.0, 0.0), Control(0), 1.0).evidence == 0.0
    assert difference(KL, told(9.0, 9.0), told(5.0, 5.0), Control(0), 1.0).evidence == 0.0
    # With the margin −0.1 the pair is (0, 0.1): only the control's zeros speak, 5 kl(0, 0.1).
    found = difference(KL, told(9.0, 0.0), told(5.0, 0.0), Control(0, 1.0, -0.1), 0.0)
    assert found.evidence == pytest.approx(5.0 * kl(0.0, 0.1))


@given(
    n=st.integers(1, 200), n_0=st.integers(1, 200), share=st.floats(0.0, 1.0), share_0=st.floats(0.0, 1.0),
    ratio=st.sampled_from([1.0, 0.9, 1.1]), margin=st.sampled_from([0.0, 0.05, -0.2]),
)  # fmt: skip
def test_the_pair_of_rates_is_refuted_least(
    n: int, n_0: int, share: float, share_0: float, ratio: float, margin: float
) -> None:
    s, s_0 = float(round(share * n)), float(round(share_0 * n_0))

    def refuted(q: float) -> float:
        return n * kl(s / n, ratio * q + margin) + n_0 * kl(s_0 / n_0, q)

    found = bar_of_rates(float(n), s, float(n_0), s_0, ratio, margin)
    low, high = max(0.0, -margin / ratio), min(1.0, (1.0 - margin) / ratio)
    assert low <= found <= high
    grid = np.linspace(low, high, 402)[1:-1]
    here = min(max(found, low + 1e-9), high - 1e-9)
    assert refuted(here) <= min(refuted(float(q)) for q in grid) + 1e-6


def test_unknown_variance_by_hand() -> None:
    # Variance 1 in both, means ½ and −½, four outcomes each: by symmetry the pair is at 0, so that
    # x = 2 · (4/2) log(1 + ¼).
    arm, other = told(4.0, 2.0, squares=5.0), told(4.0, -2.0, squares=5.0)
    assert (variance_of(arm), variance_of(other)) == (1.0, 1.0)
    assert list(difference(STUDENT, arm, other, Control(0), 0.0)) == pytest.approx(
        [2.0, 4.0 * math.log(1.25), 0.25, 0.25]
    )


def test_unknown_variance_with_too_little() -> None:
    few = told(2.0, 2.0, squares=4.0)
    assert difference(STUDENT, few, told(9.0, 0.0, squares=9.0), Control(0), 0.0).evidence == 0.0
    flat, level = told(4.0, 4.0, squares=4.0), told(4.0, 0.0)
    assert difference(STUDENT, flat, level, Control(0), 0.0).evidence == LARGEST
    assert difference(STUDENT, flat, flat, Control(0), 0.0).evidence == 0.0


@given(
    n=st.integers(3, 50), n_0=st.integers(3, 50), gap=st.floats(-5.0, 5.0), spread=st.floats(0.1, 10.0),
    ratio=st.sampled_from([1.0, 0.9, 1.5]),
)  # fmt: skip
def test_the_pair_of_means_is_no_worse_than_the_plain_weights(
    n: int, n_0: int, gap: float, spread: float, ratio: float
) -> None:
    arm, other = told(n, n * gap, squares=n * (1.0 + gap**2)), told(n_0, 0.0, squares=n_0 * spread)

    def refuted(moved: float) -> float:
        own = 0.5 * n * math.log1p((gap - ratio * moved) ** 2)
        return own + 0.5 * n_0 * math.log1p(moved**2 / spread)

    weight, weight_0 = ratio**2 * n, n_0 / spread
    found = difference(STUDENT, arm, other, Control(0, ratio, 0.0), 0.0).evidence
    assert found <= refuted(gap / ratio * weight / (weight + weight_0)) + 1e-9
    assert found >= min(refuted(float(moved)) for moved in np.linspace(-6.0, 6.0, 4001)) - 1e-3


def test_certain_sides_by_hand() -> None:
    # Of ten items: the arm has 8 ones and 1 unknown item, so 0.8 to 0.9; the control 3 ones and 4 unknown, 0.3 to 0.7.
    arm, other = told(9.0, 8.0, size=10.0), told(6.0, 3.0, size=10.0)
    assert certain_difference(arm, other, Control(0), 0.0, 1.0) == 1
    assert certain_difference(arm, other, Control(0, 1.0, 0.15), 0.0, 1.0) == 0  # 0.8 is below 0.7 + 0.15
    assert certain_difference(arm, other, Control(0, 1.0, 0.65), 0.0, 1.0) == -1  # 0.9 is not above 0.3 + 0.65
    assert certain_difference(told(9.0, 9.0), told(9.0, 0.0), Control(0), 0.0, 1.0) == 0
    done, over = told(2.0, 2.0, size=2.0), told(2.0, 1.0, size=2.0)
    assert certain_difference(done, over, Control(0), -math.inf, math.inf) == 1
    assert certain_difference(over, done, Control(0), -math.inf, math.inf) == -1
