"""CSV that a spreadsheet opens without running anything."""

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.report.csv_table import csv_lines

NAMES = st.characters(exclude_categories=["Cc", "Cs"])  # as names are: without control characters
FORMULAS = [
    "=1+1", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", " =1+1", "  @x", "\u00a0=1", "=HYPERLINK(\"x\")",
    "-2+3+cmd|' /C calc'!A0", "+cmd", "=", "@", "=\"a\"&\"b\"", "\n=1",
]  # fmt: skip


def read(text: str) -> list[list[str]]:
    """Return the cells as a spreadsheet reads them."""
    return list(csv.reader(io.StringIO(text, newline="")))


def table(*cells: object) -> list[list[str]]:
    """Return what becomes of a column of cells."""
    return read("".join(csv_lines(["x"], ({"x": cell} for cell in cells))))[1:]


def test_a_worked_table() -> None:
    rows: list[dict[str, object]] = [
        {"arm": 'a "quoted", name', "mean": 0.5, "sure": True},
        {"arm": "b", "mean": None, "sure": False},
    ]
    text = "".join(csv_lines(["arm", "mean", "sure"], rows))
    assert text == 'arm,mean,sure\n"a ""quoted"", name",0.5,yes\nb,,no\n'


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_text_that_would_be_a_formula_is_a_text(formula: str) -> None:
    assert table(formula) == [["'" + formula]]


def test_numbers_are_left_alone_and_unknown_ones_are_empty() -> None:
    values = (-1.5, math.nan, math.inf, -math.inf, None, -3)
    found = read("".join(csv_lines(["x", "y"], [{"x": value, "y": 1} for value in values])))
    assert [row[0] for row in found[1:]] == ["-1.5", "", "", "", "", "-3"]


@given(cells=st.lists(st.text(NAMES, min_size=1), min_size=1))
def test_no_cell_begins_as_a_formula_and_none_is_changed_otherwise(cells: list[str]) -> None:
    rows = read("".join(csv_lines(["x", "y"], [{"x": cell, "y": 0} for cell in cells])))[1:]
    assert len(rows) == len(cells)
    for (shown, _), cell in zip(rows, cells, strict=True):
        assert not shown.lstrip().startswith(("=", "+", "-", "@"))
        assert shown in (cell, f"'{cell}")


def test_long_tables_come_in_pieces() -> None:
    pieces = list(csv_lines(["x"], ({"x": "y" * 100} for _ in range(1000))))
    assert len(pieces) > 5
    assert read("".join(pieces)) == [["x"]] + [["y" * 100]] * 1000
