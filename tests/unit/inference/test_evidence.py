import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.evidence import (
    EVIDENCES,
    LARGEST,
    evidence_in_flight,
    evidence_of,
    kl_evidence,
    squared_evidence,
    student_evidence,
    two_point_evidence,
)

outcomes = st.lists(st.floats(-100.0, 100.0), min_size=1, max_size=20)


# Known variance


def test_squared_evidence_by_hand() -> None:
    # Four outcomes with mean 1.5, bar 1, sigma 2: 4 * 0.5^2 / (2 * 4) = 0.125
    assert squared_evidence(4.0, 6.0, 1.0, 1.0 / 8.0) == pytest.approx(0.125)


def test_zeros_and_ones_count_with_half_sigma() -> None:
    # Three ones of four, bar 1/2: 2 * 4 * 0.25^2 = 0.5
    assert squared_evidence(4.0, 3.0, 0.5, 1.0 / (2 * 0.5**2)) == pytest.approx(0.5)


@given(outcomes, st.floats(-100.0, 100.0), st.floats(0.01, 100.0))
def test_squared_evidence_is_the_definition(values: list[float], threshold: float, sigma: float) -> None:
    n, mean = len(values), float(np.mean(values))
    expected = n * (mean - threshold) ** 2 / (2.0 * sigma**2)
    found = squared_evidence(float(n), math.fsum(values), threshold, 1.0 / (2.0 * sigma**2))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9 / sigma**2)


# Kullback and Leibler


def test_kl_evidence_by_hand() -> None:
    # kl(3/4, 1/2) = 3/4 log(3/2) + 1/4 log(1/2), four times
    assert kl_evidence(4.0, 3.0, 0.5) == pytest.approx(4 * (0.75 * math.log(1.5) + 0.25 * math.log(0.5)))


def test_kl_evidence_with_a_pseudo_sample_at_the_bar() -> None:
    # One success, bar 0.2, and one pseudo-sample at the bar: n = 2, mean = 0.6; 2 kl(0.6, 0.2)
    expected = 2 * (0.6 * math.log(3.0) + 0.4 * math.log(0.5))
    assert kl_evidence(2.0, 1.2, 0.2) == pytest.approx(expected)


def test_all_ones_or_all_zeros_are_finite() -> None:
    assert kl_evidence(5.0, 5.0, 0.2) == pytest.approx(5 * math.log(5.0))
    assert kl_evidence(5.0, 0.0, 0.2) == pytest.approx(-5 * math.log(0.8))


@given(st.integers(1, 1000), st.data(), st.floats(0.01, 0.99))
def test_kl_evidence_is_nothing_on_the_bar_and_at_least_the_squared_one(
    n: int, data: st.DataObject, threshold: float
) -> None:
    ones = data.draw(st.integers(0, n))
    assert kl_evidence(float(n), n * threshold, threshold) == pytest.approx(0.0, abs=1e-9)
    # Pinsker's inequality
    assert (
        kl_evidence(float(n), float(ones), threshold) >= squared_evidence(float(n), float(ones), threshold, 2.0) - 1e-9
    )


# Unknown variance


def test_student_evidence_by_hand() -> None:
    # Outcomes 1, 2, 6 and bar 1: mean 3, variance (4 + 1 + 9)/3 = 14/3; 3/2 log(1 + 4 / (14/3))
    squares = 0.0 + 1.0 + 25.0
    assert student_evidence(3.0, 9.0, squares, 1.0) == pytest.approx(1.5 * math.log(1 + 12 / 14))


def test_there_is_no_student_evidence_below_three_outcomes() -> None:
    assert student_evidence(2.0, 8.0, 10.0, 1.0) == 0.0
    assert student_evidence(1.0, 8.0, 49.0, 1.0) == 0.0


def test_equal_outcomes_off_the_bar_are_all_the_evidence_there_can_be() -> None:
    assert student_evidence(3.0, 6.0, 3.0, 1.0) == LARGEST
    assert student_evidence(3.0, 3.0, 0.0, 1.0) == 0.0


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=20), st.integers(-50, 50))
def test_student_evidence_is_the_definition(values: list[int], threshold: int) -> None:
    n, mean, variance = len(values), float(np.mean(values)), float(np.var(values))
    squares = float(sum((value - threshold) ** 2 for value in values))
    found = student_evidence(float(n), float(sum(values)), squares, float(threshold))
    if variance > 0:
        assert found == pytest.approx(n / 2 * math.log1p((mean - threshold) ** 2 / variance), rel=1e-7, abs=1e-9)
    else:
        assert found == (0.0 if mean == threshold else LARGEST)


# Two points


def test_two_point_evidence_is_nothing_or_everything() -> None:
    assert two_point_evidence(0.0) == 0.0
    assert two_point_evidence(-1.0) == LARGEST
    assert two_point_evidence(3.0) == LARGEST


# By code, and in flight


@given(st.integers(3, 100), st.floats(0.0, 1.0), st.floats(0.1, 0.9), st.floats(0.1, 10.0))
def test_each_code_is_its_formula(n: int, share: float, threshold: float, precision: float) -> None:
    count, total = float(n), n * share
    squares = n * (share - threshold) ** 2 + 1.0
    expected = {
        "squared": squared_evidence(count, total, threshold, precision),
        "kl": kl_evidence(count, total, threshold),
        "student": student_evidence(count, total, squares, threshold),
        "two-point": two_point_evidence(total),
    }
    assert set(expected) == set(EVIDENCES)
    for name, value in expected.items():
        assert evidence_of(EVIDENCES[name], count, total, squares, threshold, precision) == value


def test_evidence_in_flight_by_hand() -> None:
    # x = 2 from n = 4 told, m = 6 outstanding: 2 (1 + 6/4) + 6/8
    assert evidence_in_flight(2.0, 4.0, 6.0) == pytest.approx(5.75)
    assert evidence_in_flight(2.0, 4.0, 0.0) == 2.0


def test_evidence_in_flight_is_the_mean_of_what_comes_back() -> None:
    # False alarm: the average of 40,000 draws lies beyond five standard errors with probability 6e-7.
    n, m, mean, sigma, threshold = 4, 6, 0.7, 1.3, 0.0
    rng = np.random.default_rng(1)
    truths = rng.normal(mean, sigma / math.sqrt(n), 40_000)  # a flat prior and n outcomes of that mean
    totals = n * mean + rng.normal(m * truths, sigma * math.sqrt(m))
    precision = 1.0 / (2.0 * sigma**2)
    back = np.array([squared_evidence(float(n + m), total, threshold, precision) for total in totals])
    expected = evidence_in_flight(squared_evidence(float(n), n * mean, threshold, precision), float(n), float(m))
    assert abs(back.mean() - expected) < 5 * back.std() / math.sqrt(back.size)
    # The test can fail: without its last term the formula is far off.
    assert abs(back.mean() - (expected - m / (2 * n))) > 5 * back.std() / math.sqrt(back.size)
