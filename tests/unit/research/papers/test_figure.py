import csv
import io

import pytest

from thresher.errors import UnknownNameError
from thresher.report.panels import Line, Panel
from thresher.research.papers.figure import COLUMNS, FigureTable, as_csv, table_as_csv

PANEL = Panel(
    "one",
    "budget T",
    "mistakes",
    (Line("lsa", (10.0, 20.0), (3.0, 1.5), (2.0, 1.0), (4.0, 2.0)), Line("oracle", (10.0,), (5.0,))),
)


def test_a_line_knows_its_values() -> None:
    assert PANEL.line("lsa").at(20.0) == 1.5
    with pytest.raises(UnknownNameError, match="lsa"):
        PANEL.line("lsb")


@pytest.mark.parametrize("wrong", [{"y": (1.0,)}, {"low": (1.0,), "high": (1.0, 2.0)}, {"low": (1.0,), "high": (2.0,)}])
def test_a_line_of_unequal_lengths_is_refused(wrong: dict[str, tuple[float, ...]]) -> None:
    with pytest.raises(AssertionError, match="lsa"):
        Line(**({"name": "lsa", "x": (1.0, 2.0), "y": (1.0, 2.0)} | wrong))  # type: ignore[arg-type]


def test_the_csv_has_one_line_for_each_point() -> None:
    header, *rows = csv.reader(io.StringIO(as_csv([PANEL])))
    assert tuple(header) == COLUMNS
    assert rows == [
        ["one", "budget T", "mistakes", "lsa", "10", "3", "2", "4"],
        ["one", "budget T", "mistakes", "lsa", "20", "1.5", "1", "2"],
        ["one", "budget T", "mistakes", "oracle", "10", "5", "", ""],
    ]


def test_a_table_is_quoted_where_it_must() -> None:
    assert table_as_csv(FigureTable(("a", "b"), (("1, 2", "x"),))) == 'a,b\n"1, 2",x\n'
