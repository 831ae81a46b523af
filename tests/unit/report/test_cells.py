"""The numbers of a table of arms: three digits, points below each other."""

import math

import pytest

from thresher.report.cells import aligned, percentage, three_digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.83, "0.830"),
        (0.9999, "1.00"),
        (1.0, "1.00"),
        (-12.345, "-12.3"),
        (99.96, "100"),
        (1234.0, "1,230"),
        (999_600.0, "1,000,000"),
        (0.000123456, "0.000123"),
        (0.00000123456, "1.23e-06"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert three_digits(value) == text


def test_points_are_below_each_other() -> None:
    found = aligned(["0.0181", "1.00", "870", "–"])
    assert len({len(text) - text.replace("\u2008", ".").find(".") for text in found}) == 1
    assert [text.rstrip("\u2007\u2008") for text in found] == ["0.0181", "1.00", "870", "–"]


def test_whole_numbers_need_no_room_for_decimals() -> None:
    assert aligned(["870", "12"]) == ["870", "12"]
    assert aligned([]) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.02, "2.0 %"), (0.5, "50.0 %"), (0.0004, "< 0.1 %"), (0.0, "0.0 %"), (math.nan, "–")],
)
def test_percentages_have_one_decimal(value: float, text: str) -> None:
    assert percentage(value) == text
