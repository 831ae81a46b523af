"""Numbers as every surface shows them."""

import ast
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT
from thresher.number_text import amount, chance, counted, coverage, exact, figure, percent, rate, signed

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


SOURCES = CHECKOUT / "src" / "thresher"
ROUNDING = re.compile(r"[<>=^]?\+?,?\d*,?(\.(\d+|\{))?.*[eEfFgG%]")  # not "," alone, which is how counts are written
# Modules that write numbers in another way, each with the reason.
OTHER_FORMATS = {
    "number_text.py": "the formatter",
    "research/papers": "to the digits that the paper prints",
    "errors.py": "a value as it was typed, and outcomes to the last digit, so that two that differ look different",
    "campaign/ledger/decisions.py": "to the last digit, so that two that differ look different",
    "terms.py": "a limit as it would be typed",
    "cli/usage.py": "a limit as it would be typed",
    "policy/listing.py": "a parameter as it would be typed",
    "policy/algorithm.py": "a parameter as it would be typed",
    "problem/bars/control.py": "a margin as it would be typed",
    "report/next_step.py": "an amount in a command as it would be typed",
    "dashboard/term_fields.py": "the value of a form field",
    "dashboard/other_bar.py": "the value of a form field",
    "policy/index/assumption.py": "arguments of a function, which commas separate",
    "research/theory/upper_bound/first_passage.py": "may be not a number, which is the error",
    "campaign/allocation.py": "CSV",
    "service/request_log.py": "a log for machines",
    "report/svg.py": "SVG coordinates",
    "report/allocation.py": "SVG coordinates",
    "report/panel_drawing.py": "mantissa and exponent of a tick",
    "report/text_terms.py": "more digits until two numbers differ; rounds a level before it is written",
    "report/quantile_words.py": "the name of a quantile: p95, p99.9",
}


def rounded_numbers(path: Path) -> Iterator[int]:
    """Yield the lines of f-strings in which a number has a format of its own."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            parts = node.format_spec.values
            spec = "".join(str(part.value) if isinstance(part, ast.Constant) else "{" for part in parts)
            if ROUNDING.fullmatch(spec):
                yield node.lineno


def test_a_format_of_its_own_is_found(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "n = 1.0\n" + "\n".join(f'f"{{n:{spec}}}"' for spec in ("g", ".3f", "+.2g", ",.0f", ".1%", ".{n}e", ",", ">8"))
    )
    assert list(rounded_numbers(path)) == [2, 3, 4, 5, 6, 7]


def test_numbers_are_written_by_one_formatter() -> None:
    found = {path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.py") if any(rounded_numbers(path))}
    used = {
        next((known for known in OTHER_FORMATS if name == known or name.startswith(f"{known}/")), name)
        for name in found
    }
    assert used | {"cli/usage.py"} == OTHER_FORMATS.keys()  # that one has the format in a template
