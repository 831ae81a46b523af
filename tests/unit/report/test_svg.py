"""Scales, ticks and elements of pictures."""

import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.cases import check_each
from tests.support.hostile.markup import MARKUP
from thresher.report.svg import Scale, axis_below, axis_left, picture, round_values, span_of, tag, text

reals = st.floats(-1e9, 1e9)


def test_a_worked_scale() -> None:
    scale = Scale(0.0, 10.0, 50.0, 250.0)
    assert [scale(value) for value in (0.0, 2.5, 10.0, -3.0, 99.0)] == [50.0, 100.0, 250.0, 50.0, 250.0]


@given(values=st.lists(reals, min_size=1), ends=st.tuples(reals, reals))
def test_many_places_are_those_of_one_at_a_time(values: list[float], ends: tuple[float, float]) -> None:
    low, high = sorted(ends)
    assume(high - low > 1e-6)
    scale = Scale(low, high, 10.0, 300.0)
    assert scale.places(np.array(values)) == pytest.approx([scale(value) for value in values], abs=1e-9)


@given(ends=st.tuples(reals, reals), about=st.integers(2, 12))
def test_ticks_are_on_the_scale_round_and_about_the_requested_number(ends: tuple[float, float], about: int) -> None:
    low, high = sorted(ends)
    assume(high - low > 1e-3 * max(abs(low), abs(high), 1e-3))
    ticks = round_values(low, high, about)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    assert about / 2.6 - 1 <= len(ticks) <= about + 1
    steps = np.diff(ticks)
    if steps.size:
        assert steps == pytest.approx(steps[0])
        digits = steps[0] / 10.0 ** math.floor(math.log10(steps[0]) + 1e-9)
        assert min(abs(digits - unit) for unit in (1.0, 2.0, 5.0, 10.0)) < 1e-6


def test_a_span_is_never_empty() -> None:
    assert span_of([]) == pytest.approx((-0.05, 1.05))
    assert span_of([3.0]) == (1.5, 4.5)
    assert span_of([0.0]) == (-0.5, 0.5)
    assert span_of([0.0, math.nan, 10.0, math.inf], margin=0.1) == (-1.0, 11.0)


def test_nothing_given_becomes_markup() -> None:
    check_each({hostile: hostile for hostile in MARKUP}, assert_text)


def assert_text(hostile: str) -> None:
    """Draw a text; check that it is where it was put, and nowhere read as markup."""
    drawn = picture(text(hostile, 1, 2) + tag("circle", class_=hostile), width=10, height=10, label=hostile)
    root = ET.fromstring(drawn)
    assert root.get("aria-label") == hostile
    assert [child.tag.rpartition("}")[2] for child in root] == ["text", "circle"]
    assert root[0].text == hostile
    assert root[1].get("class") == hostile


def test_axes_have_their_ticks_and_titles() -> None:
    scale = Scale(0.0, 100.0, 40.0, 240.0)
    below = ET.fromstring(tag("g", axis_below(scale, 200.0, "spent")))
    assert [part.text for part in below if part.tag == "text"] == ["0", "20", "40", "60", "80", "100", "spent"]
    axis = ET.fromstring(tag("g", axis_left(scale, 40.0, 300.0, "mistakes")))
    assert [part.text for part in axis if part.tag == "text"] == ["0", "20", "40", "60", "80", "100", "mistakes"]
