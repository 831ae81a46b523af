"""Numbers as every surface shows them."""

import math
from collections.abc import Callable

import pytest

from thresher.report.numbers import amount, chance, counted, coverage, exact, figure, percent, rate, signed

ODD = [(None, "–"), (math.nan, "–"), (math.inf, "–"), (-math.inf, "–")]


@pytest.mark.parametrize(
    ("format_", "cases"),
    [
        (rate, [(0.8, "0.800"), (1.0, "1.000"), (0.0, "0.000"), (-0.0, "0.000"), (0.71649, "0.716")]),
        (figure, [(0.12345, "0.123"), (7.7, "7.70"), (1234.5, "1,230"), (99.96, "100"), (999_600.0, "1,000,000"),
                  (0.0, "0"), (-12.345, "-12.3"), (0.000123456, "0.000123"), (0.000012345, "1.23e-05")]),
        (exact, [(0.8, "0.8"), (0.9995, "0.9995"), (900.0, "900"), (12_000.0, "12,000"), (0.1 + 0.2, "0.3"),
                 (1234.5, "1,234.5"), (1e7 + 0.5, "10,000,000"), (0.00001, "1e-05")]),
        (amount, [(2000, "2,000"), (12.5, "12.5"), (1234.567, "1,235"), (0.0, "0"), (1e-9, "1.0e-09")]),
        (chance, [(0.5, "50\u00a0%"), (0.123, "12\u00a0%"), (0.047, "4.7\u00a0%"), (0.0, "0\u00a0%"),
                  (0.00099, "<\u00a00.1\u00a0%"), (0.001, "0.10\u00a0%"), (0.01, "1.0\u00a0%"), (1.0, "100\u00a0%")]),
    ],
)  # fmt: skip
def test_a_number(format_: Callable[[float | None], str], cases: list[tuple[float | None, str]]) -> None:
    for value, shown in [*cases, *ODD]:
        assert format_(value) == shown, value


def test_a_given_chance_is_shown_as_it_was_given() -> None:
    assert [percent(value) for value in (0.05, 0.025, 0.1)] == ["5\u00a0%", "2.5\u00a0%", "10\u00a0%"]


def test_a_simulation_is_shown_with_four_digits() -> None:
    assert [amount(value, 4) for value in (0.123456, 1234.56, 123456.7)] == ["0.1235", "1,235", "123,457"]
    assert [figure(value, 2) for value in (0.123456, 1234.56)] == ["0.12", "1,200"]


def test_the_coverage_of_an_interval_is_never_rounded_to_certainty() -> None:
    shown = {0.1: "90", 0.05: "95", 0.025: "97.5", 0.001: "99.9", 0.0001: "99.99", 2e-5: "99.998"}
    assert {missed: coverage(missed) for missed in shown} == {
        missed: f"{text}\u00a0%" for missed, text in shown.items()
    }


def test_a_difference_has_its_sign() -> None:
    assert [signed(figure(value), value) for value in (0.06, -0.06, 0.0, None)] == ["+0.0600", "-0.0600", "0", "–"]


@pytest.mark.parametrize(("n", "shown"), [(0, "0 arms"), (1, "1 arm"), (2, "2 arms"), (1200, "1,200 arms")])
def test_a_number_with_its_noun(n: int, shown: str) -> None:
    assert counted(n, "arm") == shown
