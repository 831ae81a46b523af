"""Divergences of 0/1 outcomes and opposite means."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError
from thresher.research.theory.bernoulli import divergence, opposite_mean


def test_a_divergence_by_hand() -> None:
    assert divergence(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert divergence(0.0, 0.25) == pytest.approx(math.log(4 / 3))
    assert divergence(0.5, 1.0) == math.inf
    assert divergence(1.0, 1.0) == 0.0


@given(mean=st.floats(0.0, 1.0), threshold=st.floats(0.01, 0.99))
def test_the_opposite_mean_is_as_far_on_the_other_side(mean: float, threshold: float) -> None:
    other = float(opposite_mean(mean, threshold))
    assert (other - threshold) * (mean - threshold) <= 0.0
    far, back = float(divergence(mean, threshold)), float(divergence(other, threshold))
    if other in (0.0, 1.0):
        assert back <= far * (1 + 1e-12)
    else:
        assert back == pytest.approx(far, rel=1e-6, abs=1e-14)


def test_at_one_half_it_is_the_mirror_image_and_at_the_threshold_itself() -> None:
    np.testing.assert_allclose(opposite_mean([0.1, 0.5, 0.7, 1.0], 0.5), [0.9, 0.5, 0.3, 0.0], atol=1e-12)


def test_a_threshold_at_the_end_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="between 0 and 1"):
        opposite_mean(0.5, 1.0)
