"""Crossed tables from arrays, data frames and CSV files, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import Problem, find_problem
from thresher.problem.crossed import crossed_of

CSV = "arm,item,value\na,x,1\na,y,0\nb,y,1\nb,x,1\nb,z,0\n"


class Frame:
    """The part of a data frame that is looked at."""

    def __init__(self, **columns: list[Any]) -> None:
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, column: str) -> list[Any]:
        return self._columns[column]


def test_an_array_by_hand() -> None:
    problem = Problem.crossed([[0, 1, np.nan], [1, 1, 0]], [0.4, 0.5], costs=[1.0, 2.0], arms=["a", "b"])
    assert problem.means.tolist() == [0.5, 2 / 3]
    assert problem.thresholds.tolist() == [0.4, 0.5]
    assert (problem.family, problem.arms) == ("bernoulli", ("a", "b"))
    assert problem.structure is not None
    assert problem.structure.sizes.tolist() == [2, 3]
    assert problem.structure.items is not None
    assert problem.structure.items.tolist() == [[True, True, False], [True, True, True]]
    assert problem.structure.kind == "items"


def test_a_file_and_a_frame_hold_what_an_array_holds(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(CSV)
    frame = Frame(arm=list("aabbb"), item=list("xyyxz"), value=[1, 0, 1, True, 0.0])
    for table in (tmp_path / "answers.csv", str(tmp_path / "answers.csv"), frame):
        found = crossed_of(table)
        assert found.arms == ("a", "b")
        np.testing.assert_array_equal(found.values, [[1.0, 0.0, np.nan], [1.0, 1.0, 0.0]])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_real_libraries(library: str) -> None:
    module = pytest.importorskip(library)
    frame = module.DataFrame({"arm": ["a", "b"], "item": [7, 7], "value": [1.0, 0.25]})
    problem = Problem.crossed(frame, 0.5)
    assert (problem.arms, problem.means.tolist(), problem.family) == (("a", "b"), [1.0, 0.25], "bounded")


def test_a_file_is_a_problem_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text(CSV)
    problem = find_problem(f"{tmp_path}/answers.csv:threshold=0.6")
    assert problem.name == "answers.csv"
    assert problem.is_above.tolist() == [False, True]
    assert problem.structure is not None
    assert problem.structure.kind == "items"
    with pytest.raises(InvalidInputError, match=r"threshold=0\.5"):
        find_problem(f"{tmp_path}/answers.csv")


def test_outcomes_in_a_range() -> None:
    problem = Problem.crossed([[0.0, 2.5], [3.0, 3.0]], 2.0, low=0.0, high=3.0)
    assert (problem.family, problem.means.tolist(), problem.sigma.tolist()) == ("bounded", [1.25, 3.0], [1.5, 1.5])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[np.nan, np.nan], [1, 0]], "arm '1' is missing; has no outcome"),
        ([[np.inf, 0]], "an outcome of arm '1' is inf"),
        ([1, 0], r"shape of the table is \(2,\)"),
        ([[]], "shape of the table"),
        ([["yes", "no"]], "must be numbers"),
        (Frame(arm=["a"], item=["x"]), "column 'value' of the data frame is missing"),
        (Frame(arm=["a", "a"], item=["x", "x"], value=[0, 1]), "row 2: outcome of arm 'a' on item 'x' is 1; is given"),
        (Frame(arm=["a"], item=["x"], value=[np.nan]), "row 1: value is nan; must be a finite number"),
        (Frame(arm=["a"], item=[" "], value=[1]), "row 1: item is ' '; must have a name"),
        (Frame(arm=[], item=[], value=[]), "at least one row"),
    ],
)
def test_a_table_that_is_refused(table: Any, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Problem.crossed(table, 0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arm,item,value\na,x,1\na,x,0\n", "line 3: outcome of arm 'a' on item 'x'"),
        ("arm,item,value\na,x,maybe\n", "line 2: value is 'maybe'"),
        ("arm,item,value\na,x\n", "line 2: number of cells is 2; must be 3"),
        ("arm,value\na,1\n", "column 'item'"),
        ("arm,item,value,value\na,x,1,1\n", "number of columns 'value'"),
        ('arm,item,value\n"a,x,1\n', "line 2, text is .* must be CSV"),
        ("arm,item,value\na,x,1_0\n", "line 2: value is '1_0'; must be a finite number"),
    ],
)
def test_a_file_that_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "answers.csv").write_text(text)
    with pytest.raises(InvalidInputError, match=message):
        Problem.crossed(tmp_path / "answers.csv", 0.5)


@pytest.mark.parametrize(
    "text", ["arm;item;value\na;x;1\n", "Arm\tItem\tValue\n\n# mine\na\tx\t 1\n", "\ufeffarm,item,value\na,x,1"]
)
def test_a_file_has_any_separator_that_an_arms_table_may_have(tmp_path: Path, text: str) -> None:
    (tmp_path / "answers.csv").write_text(text, encoding="utf-8")
    problem = Problem.crossed(tmp_path / "answers.csv", 0.5)
    assert (problem.arms, problem.means.tolist()) == (("a",), [1.0])


def test_an_unknown_column_and_a_missing_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("arm,item,value,colour\na,x,1,red\n")
    with pytest.raises(UnknownNameError, match="colour"):
        Problem.crossed(tmp_path / "answers.csv", 0.5)
    with pytest.raises(InvalidInputError, match=r"gone\.csv"):
        Problem.crossed(tmp_path / "gone.csv", 0.5)


def test_values_out_of_range_and_other_families_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="neither 0 nor 1"):
        Problem.crossed([[0.5, 1.0]], 0.5, family="bernoulli")
    with pytest.raises(InvalidInputError, match="outside"):
        Problem.crossed([[0.5, 1.5]], 0.5)
    with pytest.raises(InvalidInputError, match="must be 'bernoulli' or 'bounded'"):
        Problem.crossed([[0.5, 1.5]], 0.5, family="gaussian")
    with pytest.raises(InvalidInputError, match="number of arm names is 1; must be 2"):
        Problem.crossed([[0], [1]], 0.5, arms=["a"])
    with pytest.raises(InvalidInputError, match="leave arms out"):
        Problem.crossed(Frame(arm=["a"], item=["x"], value=[1]), 0.5, arms=["a"])


def test_the_items_are_part_of_what_tells_problems_apart() -> None:
    one = Problem.crossed([[0, 1, np.nan], [1, 1, 0]], 0.5)
    other = Problem.crossed([[0, np.nan, 1], [1, 1, 0]], 0.5)
    again = Problem.crossed([[0, 1, np.nan], [1, 1, 0]], 0.5)
    assert one.fingerprint() == again.fingerprint() != other.fingerprint()
