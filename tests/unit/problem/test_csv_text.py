"""CSV as people write it: separators, comments, lines."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.problem.csv_text import Fault, rows_of, separator_of


@pytest.mark.parametrize(
    ("line", "separator"),
    [("arm,cost", ","), ("arm;cost,x", ";"), ("arm,note; long", ","), ("a\tb;c", "\t"), ('"a;b",c', ","), ("arm", ",")],
)
def test_the_first_separator_outside_quotes_is_the_separator(line: str, separator: str) -> None:
    assert separator_of(line) == separator


def test_a_row_knows_the_line_on_which_it_begins() -> None:
    rows, fault = rows_of('\ufeff# head\n\na,b\n"two\n# lines\n",2\n\n# end\nc,3')
    assert rows == [(3, ["a", "b"]), (4, ["two\n# lines\n", "2"]), (9, ["c", "3"])]
    assert fault is None


def test_comments_are_rows_where_they_are_not_wanted() -> None:
    assert rows_of("#a,b\n#c,d\n", comments=False) == ([(1, ["#a", "b"]), (2, ["#c", "d"])], None)


def test_an_open_quote_is_a_fault_of_the_line_on_which_it_opens_and_the_rows_before_it_stay() -> None:
    rows, fault = rows_of('a\nb\n"c\nd\n')
    assert rows == [(1, ["a"]), (2, ["b"])]
    assert fault is not None
    assert fault.line == 3
    assert str(fault.error("x.csv")).startswith("x.csv, line 3, text is '\"c'; must be CSV: unexpected end of data")


def test_a_fault_is_told_with_or_without_its_place() -> None:
    fault = Fault(3, "column 'cost'", "x", "must be a number")
    assert str(fault) == "column 'cost' is 'x'; must be a number"
    assert str(fault.error()) == "line 3, column 'cost' is 'x'; must be a number"
    assert str(Fault(0, "number of arms", 0, "must be at least 1", unit="row").error()) == (
        "number of arms is 0; must be at least 1"
    )


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4), min_size=2, max_size=2)
    )
)
def test_what_the_standard_library_writes_is_read_back(cells: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *cells])
    rows, fault = rows_of(text.getvalue())
    assert fault is None
    assert [row.cells for row in rows] == [["a", "b"], *cells]
