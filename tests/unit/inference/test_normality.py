"""Outcomes that are far from normal are warned of, normal ones are not."""

import numpy as np

from thresher.inference.normality import normality_warnings

ARMS = np.repeat(np.arange(3), 100)


def test_normal_outcomes_of_any_scale_are_not_warned_of() -> None:
    # One alarm in 20,000 samples of this size: one among these 200 has a chance of about 1 %.
    rng = np.random.default_rng(5)
    scales = np.array([1.0, 50.0, 0.01])[ARMS]
    assert not any(normality_warnings(ARMS, scales * (3.0 + rng.normal(size=300))) for _ in range(200))


def test_skewness_outliers_and_few_values_are_named() -> None:
    rng = np.random.default_rng(6)
    far = np.where(rng.random(300) < 0.02, 10.0, 0.0) * rng.choice([-1.0, 1.0], 300)
    for outcomes, words in (
        (rng.lognormal(0.0, 0.5, 300), "skewed (skewness"),
        (rng.normal(size=300) + far, "full of outliers (excess kurtosis"),
        (rng.choice(np.array([0.0, 0.5, 1.0]), 300), "these have 3 values; use the family bounded"),
    ):
        [warning] = normality_warnings(ARMS, outcomes)
        assert words in warning


def test_few_outcomes_and_constant_arms_say_nothing() -> None:
    rng = np.random.default_rng(7)
    assert normality_warnings(ARMS[:29], rng.lognormal(0.0, 1.0, 29)) == ()
    assert normality_warnings(ARMS, np.full(300, 2.0)) == ()
