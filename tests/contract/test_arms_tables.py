"""One table of arms, four front doors: the same rows, or the same sentence.

`new` and `run` read a file, the dashboard an upload, and a simulation a problem file. A problem needs the means too: in
the tables below § is the place of that column, which the other doors do not get.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import check_each
from thresher.campaign import Campaign
from thresher.campaign.ledger import Terms
from thresher.cli.main import main
from thresher.dashboard.uploads import Upload
from thresher.errors import ThresherError
from thresher.problem import find_problem
from thresher.run import Run, load_spec

Found = list[tuple[Any, ...]] | str
FILE = Path("arms.csv")


def rows_in(campaign: Campaign) -> list[tuple[Any, ...]]:
    [entry] = [entry for entry in campaign.history() if entry.kind == "arms-added"]
    return [tuple(arm) for arm in entry.details["arms"]]


def by_new(text: str, capsys: pytest.CaptureFixture[str]) -> Found:
    FILE.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(SystemExit) as left:
        main(["new", "made", "--arms", str(FILE), "-t", "0.5", "--sigma", "1", "--family", "gaussian", "-b", "1e6"])
    if left.value.code != 0:
        return capsys.readouterr().err.strip().removeprefix("thresher: ")
    campaign = Campaign.open("sqlite:///thresher.db", "made")
    try:
        return rows_in(campaign)
    finally:
        campaign.disconnect()


def by_run(text: str, _: pytest.CaptureFixture[str]) -> Found:
    FILE.write_text(text, encoding="utf-8", newline="")
    flags = {"arms_file": str(FILE), "bar": 0.5, "sigma": 1.0, "budget": 1e6, "family": "gaussian", "command": "true"}
    try:
        with closing(Run(load_spec(None, {**flags, "outcome": "last-line"}))) as run:
            assert run.campaign is not None
            return rows_in(run.campaign)
    except ThresherError as error:
        return str(error).removeprefix("--arms-file: ")


def by_upload(text: str, _: pytest.CaptureFixture[str]) -> Found:
    upload = Upload(text)
    if not upload.complaints:
        upload.check_numbers(Terms(family="gaussian"), threshold=0.5, sigma=1.0)
    if upload.complaints:
        line, what = upload.complaints[0]
        return f"line {line}, {what}"
    campaign = Campaign.create(
        "sqlite:///up.db", "up", arms=upload.table, threshold=0.5, sigma=1.0, family="gaussian", budget=1e6
    )
    return rows_in(campaign)


def by_problem(text: str, _: pytest.CaptureFixture[str]) -> Found:
    FILE.write_text(text, encoding="utf-8", newline="")
    try:
        problem = find_problem(str(FILE))
    except ThresherError as error:
        return str(error)
    columns = (problem.thresholds, problem.sigma, problem.costs, problem.ticks)
    return list(zip(problem.arms, *(column.tolist() for column in columns), strict=True))


DOORS: dict[str, Callable[[str, pytest.CaptureFixture[str]], Found]] = {
    "new": by_new,
    "run": by_run,
    "upload": by_upload,
    "problem": by_problem,
}


def with_means(text: str, separator: str, mean: str = "0") -> str:
    head, *cells = text.split("§")
    return f"{separator}{mean}".join([f"{head}{separator}mean{cells[0]}", *cells[1:]]) if cells else head


def row(
    name: str, threshold: float = 0.5, sigma: float = 1.0, cost: float = 1.0, ticks: int = 1_000_000
) -> tuple[Any, ...]:
    return name, threshold, sigma, cost, ticks


A, B = row("a"), row("b", 0.75)
BOTH = "arm,threshold§\na,0.5§\nb,0.75§\n"
READ: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "commas": (BOTH, [A, B]),
    "semicolons": (BOTH.replace(",", ";"), [A, B]),
    "tabs": (BOTH.replace(",", "\t"), [A, B]),
    "lines of Windows": (BOTH.replace("\n", "\r\n"), [A, B]),
    "a byte order mark": ("\ufeff" + BOTH, [A, B]),
    "no newline at the end": (BOTH.rstrip(), [A, B]),
    "blank lines": (BOTH.replace("\n", "\n\n  \n"), [A, B]),
    "comments": ("# mine\n" + BOTH.replace("b,", "# a comment\nb,"), [A, B]),
    "blanks around cells": ("arm , threshold §\n a , 0.5 §\nb, 0.75§\n", [A, B]),
    "capitals": ("Arm,THRESHOLD§\na,0.5§\n", [A]),
    "aliases": ("name,bar,costs,pull_costs§\na,0.5,1,1§\n", [A]),
    "the keys of other files": ("arm,thresholds,sigma,cost,pull_cost§\na,0.5,1,1,1§\n", [A]),
    "every column": ("arm,threshold,sigma,cost,pull_cost§\na,0.75,2,3,4§\n", [row("a", 0.75, 2.0, 3.0, 4_000_000)]),
    "another order": ("cost,threshold,arm§\n2,0.75,a§\n", [row("a", 0.75, cost=2.0)]),
    "blank costs": ("arm,threshold,cost,pull_cost§\na,0.5,,§\nb,0.75,2,§\n", [A, row("b", 0.75, cost=2.0)]),
    "exponents and signs": ("arm,threshold,cost§\na,+5e-1,1E0§\n", [A]),
    "a quoted name with a comma": ('arm,threshold§\n"a, b",0.5§\n', [row("a, b")]),
    "a quoted name with a quote": ('arm,threshold§\n"say ""a""",0.5§\n', [row('say "a"')]),
    "a quoted name that begins like a comment": ('arm,threshold§\n"#1",0.5§\n', [row("#1")]),
    "a comma in a name between semicolons": ("arm;threshold§\na, b;0.5§\n", [row("a, b")]),
    "letters of the world": ("arm,threshold§\nπ 💥,0.5§\n", [row("π 💥")]),
}
NUMBER = "must be a number"
REFUSED: dict[str, tuple[str, str]] = {
    "nothing": ("", "line 1, number of arms is 0; must be at least 1"),
    "blank lines alone": ("\n \n", "line 1, number of arms is 0; must be at least 1"),
    "a comment alone": ("# arms\n", "line 1, number of arms is 0; must be at least 1"),
    "a first row alone": ("arm,threshold§\n", "line 1, number of arms is 0; must be at least 1"),
    "a first row alone after a comment": ("# x\narm§\n", "line 2, number of arms is 0; must be at least 1"),
    "a misspelled column": (
        "arm,treshold§\na,0.5§\n",
        "line 1, column 2 is 'treshold'; must be a known column; did you mean 'threshold'?",
    ),
    "a column twice": ("arm,cost,cost§\na,1,2§\n", "line 1, column 3 is 'cost'; must not repeat the column 'cost'"),
    "a column by two names": (
        "arm,cost,costs§\na,1,2§\n",
        "line 1, column 3 is 'costs'; must not repeat the column 'cost'",
    ),
    "a name twice": ("arm§\na§\nb§\na§\n", "line 4, column 'arm' is 'a'; must be unique: line 2 has it too"),
    "no name": ("arm,threshold§\n,0.5§\n", "line 2, column 'arm' is ''; must have 1 to 500 characters"),
    "a long name": (
        f"arm,threshold§\n{'x' * 501},0.5§\n",
        f"line 2, column 'arm' is '{'x' * 59}…; must have 1 to 500 characters",
    ),
    "a name over two lines": (
        'arm,threshold§\na,0.5§\n"b\nc",0.5§\n',
        "line 3, column 'arm' is 'b\\nc'; must be one line without control characters",
    ),
    "a control character": (
        "arm,threshold§\n\x1b[31m,0.5§\n",
        "line 2, column 'arm' is '\\x1b[31m'; must be one line without control characters",
    ),
    "a word for a number": ("arm,cost§\na,x§\n", f"line 2, column 'cost' is 'x'; {NUMBER}"),
    "yes": ("arm,cost§\na,yes§\n", f"line 2, column 'cost' is 'yes'; {NUMBER}"),
    "true": ("arm,cost§\na,true§\n", f"line 2, column 'cost' is 'true'; {NUMBER}"),
    "NaN": ("arm,cost§\na,nan§\n", f"line 2, column 'cost' is 'nan'; {NUMBER}"),
    "infinity": ("arm,threshold§\na,inf§\n", f"line 2, column 'threshold' is 'inf'; {NUMBER}"),
    "a number too large": ("arm,threshold§\na,1e999§\n", f"line 2, column 'threshold' is '1e999'; {NUMBER}"),
    "an underscore": ("arm,cost§\na,1_000§\n", f"line 2, column 'cost' is '1_000'; {NUMBER}"),
    "a decimal comma": (
        "arm;threshold§\na;0,5§\n",
        f"line 2, column 'threshold' is '0,5'; {NUMBER}; write a decimal point",
    ),
    "a negative cost": ("arm,cost§\na,-1§\n", "line 2, column 'cost' is '-1'; must be a positive number"),
    "a pull cost of nothing": (
        "arm,pull_cost§\na,0§\n",
        "line 2, column 'pull_cost' is '0'; must be a positive number",
    ),
    "an open quote": (
        'arm,threshold§\na,0.5§\n"b,0.5\n',
        "line 3, text is '\"b,0.5'; must be CSV: unexpected end of data; close every quote, and write it twice inside "
        "a quoted cell",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_the_same_rows(door: str, capsys: pytest.CaptureFixture[str]) -> None:
    def reads(case: tuple[str, list[tuple[Any, ...]]]) -> None:
        text, rows = case
        separator = next((mark for mark in "\t;" if mark in text), ",")
        given = with_means(text, separator) if door == "problem" else text.replace("§", "")
        try:
            assert DOORS[door](given, capsys) == rows
        finally:
            forget_databases()

    check_each(READ, reads)


@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_with_the_same_sentence(door: str, capsys: pytest.CaptureFixture[str]) -> None:
    def refuses(case: tuple[str, str]) -> None:
        text, sentence = case
        given = with_means(text, ";" if ";" in text else ",") if door == "problem" else text.replace("§", "")
        found = DOORS[door](given, capsys)
        assert isinstance(found, str)
        assert found.removeprefix("arms.csv, ") == sentence

    check_each(REFUSED, refuses)


def forget_databases() -> None:
    """Remove the campaigns of a case: the next one creates them again."""
    for path in Path().glob("*.db*"):
        path.unlink()


@pytest.mark.parametrize("door", ["new", "run", "upload"])
@pytest.mark.parametrize("names", [("a", "c"), ("arm 1", "arm 2")])
def test_a_list_of_names_needs_no_first_row(
    door: str, names: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert DOORS[door]("{}\n# b\n\n{}\n".format(*names), capsys) == [row(name) for name in names]


@pytest.mark.parametrize("door", ["new", "run", "upload"])
@pytest.mark.parametrize("head", ["arm", "Arms", "name", "names"])
def test_a_single_column_may_have_a_first_row(door: str, head: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert DOORS[door](f"{head}\na\n", capsys) == [row("a")]


@pytest.mark.parametrize("door", ["new", "run", "upload"])
@pytest.mark.parametrize("head", ["amr", "nmae", "arm_"])
def test_a_misspelled_head_of_a_single_column_is_not_an_arm(
    door: str, head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = DOORS[door](f"{head}\na\n", capsys)
    assert isinstance(found, str)
    assert found.removeprefix("arms.csv, ") == (
        f"line 1, column 1 is '{head}'; must be a known column; write arm; the name of an arm goes below a first row "
        "'arm'"
    )


def test_a_column_of_another_name_is_a_parameter_of_a_run_and_refused_elsewhere(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "arm,colour§\na,red§\n"
    assert by_run(text.replace("§", ""), capsys) == [row("a")]
    refusal = "line 1, column 2 is 'colour'; must be a known column; known: arm, "
    for door in ("new", "upload", "problem"):
        given = with_means(text, ",") if door == "problem" else text.replace("§", "")
        found = DOORS[door](given, capsys)
        assert isinstance(found, str)
        assert found.removeprefix("arms.csv, ").startswith(refusal)


@pytest.mark.parametrize("door", DOORS)
def test_a_row_with_too_few_or_too_many_cells_is_refused(door: str, capsys: pytest.CaptureFixture[str]) -> None:
    columns = "arm,threshold" + ",mean" * (door == "problem")
    n = columns.count(",") + 1
    for cells, fix in ((n - 1, ""), (n + 1, "; quote a cell that contains the separator")):
        found = DOORS[door](f"{columns}\n{','.join(['1'] * n)}\n{','.join(['2'] * cells)}\n", capsys)
        assert isinstance(found, str)
        assert found.removeprefix("arms.csv, ") == (
            f"line 3, number of cells is {cells}; must be {n}, one for each column{fix}"
        )
