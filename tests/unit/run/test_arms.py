"""Arms come from lists, files, globs and matrices; a wrong line is named."""

from pathlib import Path

import pytest

from thresher.errors import InvalidInputError
from thresher.run.arms import arms_from_glob, arms_from_matrix, arms_from_names, numbers_of, read_arms


def test_a_list_is_taken_in_its_order() -> None:
    assert [arm.name for arm in arms_from_names(["b", "a", 3])] == ["b", "a", "3"]


def test_a_text_file_has_one_name_a_line(tmp_path: Path) -> None:
    (tmp_path / "arms.txt").write_text("\ufeff# prompts\nfirst\n\n  second one \n")
    assert [arm.name for arm in read_arms(tmp_path / "arms.txt")] == ["first", "second one"]


def test_a_table_gives_numbers_and_parameters(tmp_path: Path) -> None:
    (tmp_path / "arms.csv").write_text('arm,threshold,pull_cost,prompt\na,0.5,,"say ""hi"", twice"\nb,,2,x\n')
    first, second = read_arms(tmp_path / "arms.csv")
    assert (first.name, dict(first.parameters), dict(first.numbers)) == (
        "a",
        {"prompt": 'say "hi", twice'},
        {"threshold": 0.5},
    )
    assert dict(second.numbers) == {"pull_cost": 2.0}
    assert numbers_of([first, second], "threshold", 0.8) == [0.5, 0.8]
    assert numbers_of([first, second], "cost", None) is None
    with pytest.raises(
        InvalidInputError, match=r"arms\.csv, line 2, column 'pull_cost' is missing; every arm needs one"
    ):
        numbers_of([first, second], "pull_cost", None)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.txt", "x\ny\n\nx\n", r"a\.txt, line 4, column 'arm' is 'x'; must be unique: line 1 has it too"),
        ("a.csv", "arm\nx\nx\n", r"a\.csv, line 3, column 'arm' is 'x'; must be unique: line 2 has it too"),
        ("a.txt", "# nothing\n", "number of arms is 0; must be at least 1"),
        ("a.csv", "size,cost\n1,2\n", "line 1, column 'arm' is missing"),
        ("a.csv", "", "line 1, number of arms is 0"),
        ("a.csv", "arm,cost\nx,much\n", "line 2, column 'cost' is 'much'; must be a number"),
        ("a.csv", "arm,b\nx\n", "line 2, number of cells is 1; must be 2"),
        ("a.csv", "arm,b\nx,1,2\n", "line 2, number of cells is 3; must be 2"),
        ("a.csv", "arm,the size\nx,1\n", "name of a parameter is 'the size'"),
        ("a.csv", 'arm\n"x\n', "unexpected end of data"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInputError, match=says):
        read_arms(tmp_path / name)


def test_a_file_that_is_not_there_or_no_text_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"\xff\xfe\xff")
    for name in ("a", "b"):
        with pytest.raises(InvalidInputError, match=r"is missing|must be UTF-8"):
            read_arms(tmp_path / name)


def test_a_glob_gives_files_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("in/b.txt", "in/a.txt", "in/c.md"):
        (tmp_path / name).touch()
    assert [arm.name for arm in arms_from_glob("in/*.txt", tmp_path)] == ["in/a.txt", "in/b.txt"]
    with pytest.raises(InvalidInputError, match="must match a file"):
        arms_from_glob("*.txt", tmp_path)
    with pytest.raises(InvalidInputError, match="write one like"):
        arms_from_glob("/etc/*", tmp_path)


def test_a_matrix_gives_every_combination() -> None:
    arms = arms_from_matrix({"model": ["s", "l"], "t": [0, 0.5]})
    assert [arm.name for arm in arms] == ["model=s t=0", "model=s t=0.5", "model=l t=0", "model=l t=0.5"]
    assert dict(arms[1].parameters) == {"model": "s", "t": 0.5}
    with pytest.raises(InvalidInputError, match="arm 2, name is 'x=1'; must be unique"):
        arms_from_matrix({"x": [1, 1]})
    with pytest.raises(InvalidInputError, match=r"matrix parameter 'x' is \[\]; must have values"):
        arms_from_matrix({"x": []})
    with pytest.raises(InvalidInputError, match="name of a parameter is 'arm'"):
        arms_from_matrix({"arm": [1]})


def test_parameters_that_would_be_one_environment_variable_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"'A'; must differ from 'a' .* both would be THRESHER_PARAMETER_A"):
        arms_from_matrix({"a": [1], "A": [2]})
    (tmp_path / "arms.csv").write_text("arm,size,Size\nx,1,2\n")
    with pytest.raises(InvalidInputError, match="'Size'; must differ from 'size'"):
        read_arms(tmp_path / "arms.csv")
