"""Numbers and units as people read them."""

import pytest

from tests.support.decided_rows import LEANS, NEW, PASS, Row
from thresher.report.text_terms import Measure, interval_of


def test_an_interval_that_does_not_exist_is_a_dash() -> None:
    assert [interval_of(row) for row in (PASS, LEANS, NEW)] == ["0.550 to 0.900", "–", "–"]


@pytest.mark.parametrize(
    ("bar", "unit", "measure"),
    [
        (0.0077, "s", Measure("ms", 1e3)), (2e-6, "s", Measure("µs", 1e6)), (3.0, "s", Measure("s")),
        (0.0077, "ms", Measure("ms")), (0.5, "", Measure()),
    ],
)  # fmt: skip
def test_short_times_are_shown_in_a_smaller_unit(bar: float, unit: str, measure: Measure) -> None:
    assert Measure.of([Row(threshold=bar)], unit) == measure


def test_a_limit_next_to_the_bar_does_not_read_as_the_bar() -> None:
    rates = Measure(is_rate=True)
    assert [rates.limit(low, 0.8) for low in (0.8003, 0.79996, 0.8, 0.716)] == ["0.8003", "0.79996", "0.800", "0.716"]
    assert Measure("ms", 1e3).limit(0.00770001, 0.0077) == "7.70001"
