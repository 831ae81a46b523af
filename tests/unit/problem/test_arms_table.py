"""Tables of arms. What every front door does with them is in ``tests/contract/test_arms_tables.py``."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError
from thresher.problem.arms_table import MOST_FAULTS, ArmsTable, read_file, read_table, rows_with, table_of


def test_a_worked_table() -> None:
    table = read_table('# mine\nName; Bar ;cost\n a ;0.5;\n\n"b;c";;2\n')
    assert table.columns == {"arm": ["a", "b;c"], "threshold": [0.5, None], "cost": [None, 2.0]}
    assert (table.lines, table.faults) == ([3, 5], [])
    assert list(rows_with(table))[1] == (5, {"arm": "b;c", "threshold": None, "cost": 2.0})


def test_every_wrong_row_is_noted_and_the_right_ones_stay() -> None:
    table = read_table("arm,cost\na,1\nb,x\na,2\nc\nd,2\n")
    assert table.names == ["a", "d"]
    assert [str(fault.error()) for fault in table.faults] == [
        "line 3, column 'cost' is 'x'; must be a number",
        "line 4, column 'arm' is 'a'; must be unique: line 2 has it too",
        "line 5, number of cells is 1; must be 2, one for each column",
    ]
    assert len(read_table("arm,cost\n" + "x,y\n" * 100).faults) == MOST_FAULTS


def test_blank_cells_take_what_is_given_or_the_default() -> None:
    table = read_table("arm,threshold,cost\na,0.5,\nb,,2\n")
    assert table.filled("threshold", 0.8) == [0.5, 0.8]
    assert table.filled("threshold", np.array(0.8)) == [0.5, 0.8]
    assert table.filled("threshold", [0.1, 0.2]) == [0.5, 0.2]
    assert table.filled("cost") == [1.0, 2.0]
    assert (table.filled("sigma"), table.filled("sigma", 3.0)) == (None, 3.0)
    with pytest.raises(InvalidInputError, match="line 3, column 'threshold' is missing; every arm needs one; fill the"):
        table.filled("threshold")


def test_other_columns_are_kept_as_they_are_where_they_are_wanted() -> None:
    table = read_table("arm,Prompt\na, say hi \n", extra=True)
    assert table.columns == {"arm": ["a"], "Prompt": [" say hi "]}
    assert str(read_table("arm,treshold\na,1\n", extra=True).faults[0]).endswith("did you mean 'threshold'?")


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("names.txt", "say hi, please\n# no\n\n  twice \n", ["say hi, please", "twice"]),
        ("names.txt", "arm,cost\na,2\n", ["a"]),
        ("names.csv", 'a\n"b, c"\n', ["a", "b, c"]),
        ("names.tsv", "arm\tcost\na, b\t2\n", ["a, b"]),
        ("names", "one\r\ntwo\r\n", ["one", "two"]),
    ],
)
def test_a_file_is_a_table_or_a_list_of_names(tmp_path: Path, name: str, text: str, names: list[str]) -> None:
    (tmp_path / name).write_text(text, newline="")
    assert read_file(tmp_path / name).names == names


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\xff")
    for name, says in (("a.csv", "a.csv is missing"), ("b.csv", "must be UTF-8"), (".", "is 'is a directory'")):
        with pytest.raises(InvalidInputError, match=says):
            read_file(tmp_path / name)


def test_columns_of_python_are_read_as_those_of_a_text() -> None:
    table = table_of({"name": ["a", 7, " c"], "bar": ["0.5", np.float32(0.25), None], "costs": 2})
    assert table.columns == {"arm": ["a", "7", "c"], "threshold": [0.5, 0.25, None], "cost": [2.0, 2.0, 2.0]}
    assert table.lines == [1, 2, 3]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"arm": []}, "number of arms is 0; must be at least 1"),
        ({"cost": [1]}, "column 'arm' is missing; must be a list of names"),
        ({"arm": 7}, "column 'arm' is 7; must be a list of names"),
        ({"arm": ["a"], "colour": ["red"]}, "column 2 is 'colour'; must be a known column; known: arm, threshold"),
        ({"arm": ["a"], "cost": [1, 2]}, "length of column 'cost' is 2; must be the number of arms, 1"),
        ({"arm": ["a", "a"]}, "row 2, column 'arm' is 'a'; must be unique: row 1 has it too"),
        ({"arm": [None]}, "row 1, column 'arm' is None; must be text"),
        ({"arm": ["a"], "cost": [True]}, "row 1, column 'cost' is True; must be a number"),
        ({"arm": ["a"], "cost": [float("nan")]}, "row 1, column 'cost' is nan; must be a number"),
    ],
)
def test_columns_of_python_are_refused_with_their_row(columns: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        table_of(columns)
    assert str(caught.value).startswith(sentence)


def test_a_table_without_faults_is_itself() -> None:
    table = ArmsTable({"arm": ["a"]}, [1])
    assert table.checked("x.csv") is table
