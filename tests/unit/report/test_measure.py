"""Numbers and units as people read them."""

import math

import pytest

from tests.support.decided_rows import LEANS, NEW, PASS, Row
from thresher.report.measure import Measure, figure, interval_of


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.12345, "0.123"), (7.7, "7.7"), (1234.5, "1,230"), (0.0, "0"), (None, "–"), (math.nan, "–"),
        (math.inf, "–"), (-math.inf, "–"), (0.000012345, "1.23e-05"), (-12.345, "-12.3"),
    ],
)  # fmt: skip
def test_numbers_have_at_most_three_digits_and_no_infinities(value: float | None, shown: str) -> None:
    assert figure(value) == shown


def test_an_interval_that_does_not_exist_is_a_dash() -> None:
    assert [interval_of(row) for row in (PASS, LEANS, NEW)] == ["0.55 to 0.9", "–", "–"]


@pytest.mark.parametrize(
    ("bar", "unit", "measure"),
    [
        (0.0077, "s", Measure("ms", 1e3)), (2e-6, "s", Measure("µs", 1e6)), (3.0, "s", Measure("s")),
        (0.0077, "ms", Measure("ms")), (0.5, "", Measure()),
    ],
)  # fmt: skip
def test_short_times_are_shown_in_a_smaller_unit(bar: float, unit: str, measure: Measure) -> None:
    assert Measure.of([Row(threshold=bar)], unit) == measure
