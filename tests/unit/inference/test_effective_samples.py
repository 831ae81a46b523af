"""Effective samples: cases worked by hand, and what must hold of every pool."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.inference.effective_samples import effective, effective_in_flight
from thresher.inference.evidence import evidence_in_flight
from thresher.problem.sampling import certain_side


def test_half_of_a_pool_counts_double() -> None:
    # ν = 50 / (1 − 50/100), g = 1 / (1 − 50/100)², and the evidence grows as ν / n.
    assert effective(50.0, 50.0, 3.0, 100.0, 1.0) == (100.0, 6.0, 4.0)


def test_items_that_explain_half_of_the_variance_double_it_again() -> None:
    assert effective(50.0, 50.0, 3.0, 100.0, 0.5) == (200.0, 12.0, 8.0)


def test_a_pseudo_sample_takes_no_item_from_the_pool() -> None:
    assert effective(50.0, 51.0, 3.0, 100.0, 1.0) == (102.0, 6.0, 4.0)


def test_without_an_end_to_the_pool_nothing_changes() -> None:
    assert effective(7.0, 8.0, 3.0, math.inf, 1.0) == (8.0, 3.0, 1.0)


@given(n=st.integers(1, 998), size=st.integers(2, 1000), share=st.floats(0.2, 1.0))
def test_the_gain_is_what_one_more_pull_adds(n: int, size: int, share: float) -> None:
    if n + 1 >= size:
        return
    step = 1e-6
    now, later = (effective(each, each, 0.0, float(size), share).samples for each in (float(n), n + step))
    gain = effective(float(n), float(n), 0.0, float(size), share).gain
    assert (later - now) / step == pytest.approx(gain, rel=1e-2)


@given(n=st.integers(1, 100), m=st.integers(0, 50), x=st.floats(0.0, 40.0))
def test_in_flight_it_is_the_plain_rule_without_an_end(n: int, m: int, x: float) -> None:
    found = effective_in_flight(float(n), n + 1.0, x, float(m), math.inf, 1.0)
    assert found == (n + 1.0 + m, evidence_in_flight(x, n + 1.0, float(m)), 1.0)


def test_in_flight_by_hand() -> None:
    # n = 40 of 100 told, 10 outstanding: ν = 40/0.6, ν' = 50/0.5 = 100, so ν'/ν = 1.5; x_ν = 2/0.6.
    count, evidence, gain = effective_in_flight(40.0, 40.0, 2.0, 10.0, 100.0, 1.0)
    assert [count, gain] == pytest.approx([100.0, 4.0])
    assert evidence == pytest.approx(2.0 / 0.6 * 1.5 + 0.25)


@pytest.mark.parametrize(
    ("count", "total", "side"),
    [(5, 5, 0), (6, 6, 1), (6, 5, 0), (5, 0, -1), (4, 0, 0), (10, 5, -1), (10, 6, 1), (0, 0, 0)],
)
def test_a_side_is_certain_once_the_rest_cannot_change_it(count: int, total: int, side: int) -> None:
    # Ten items, bar one half: six ones are above, and five zeros cannot be.
    assert certain_side(float(count), float(total), 0.5, 10.0, 0.0, 1.0) == side


def test_outcomes_without_limits_are_certain_at_the_end_only() -> None:
    assert certain_side(9.0, 1e9, 0.0, 10.0, -math.inf, math.inf) == 0
    assert certain_side(10.0, 1e-9, 0.0, 10.0, -math.inf, math.inf) == 1
    assert certain_side(10.0, 0.0, 0.0, 10.0, -math.inf, math.inf) == -1


@given(values=st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40), seen=st.integers(0, 40))
def test_a_certain_side_is_the_truth(values: list[float], seen: int) -> None:
    seen = min(seen, len(values))
    for bar in (0.1, 0.5, 0.9):
        side = certain_side(float(seen), sum(values[:seen]), bar, float(len(values)), 0.0, 1.0)
        if side != 0:
            assert (sum(values) / len(values) > bar) == (side > 0)
