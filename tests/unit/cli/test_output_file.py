"""No command replaces a file that exists, unless it is told to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from thresher.cli.main import app

SIMULATE = ("simulate", "linear:K=5", "--policy", "lsa", "--budget", "10", "--runs", "5")
LEAGUE = ("league", "--problem", "one-hard-few", "--runs", "4")
# Command, the value of --out, the file that would be replaced.
REPLACING = [
    (("export", "coins"), "coins.csv", "coins.csv"),
    (("report", "coins"), "coins.html", "coins.html"),
    (("report", "coins"), "coins.xml", "coins.xml"),
    (("backup",), "coins.backup", "coins.backup"),
    (("reproduce", "toy", "--runs", "5"), "figures", "figures/toy.svg"),
    (("league", "--read", "league/league.json"), "both", "both/league.json"),
]


def test_what_exists_is_replaced_only_with_force(coins: Callable[..., Any], in_folder: Path) -> None:
    assert coins(*LEAGUE, "--out", "league").code == 0
    for words, out, file in REPLACING:
        mine = in_folder / file
        mine.parent.mkdir(exist_ok=True)
        mine.write_text("mine")
        said = coins(*words, "--out", out)
        assert (said.code, said.err) == (3, f"thresher: --out is {file!r}; must not exist; add --force to replace it\n")
        assert mine.read_text() == "mine"
        assert coins(*words, "--out", out, "--force").code == 0, words
        assert mine.read_bytes() != b"mine", words
    (in_folder / "coins.csv").write_text("")
    assert coins("export", "coins", "--out", "coins.csv").code == 0  # an empty file has nothing to lose


def test_a_file_of_runs_is_continued_and_any_other_is_refused(coins: Callable[..., Any], in_folder: Path) -> None:
    assert coins(*SIMULATE, "--out", "runs.db").code == 0
    assert coins(*SIMULATE, "--out", "runs.db").code == 0
    for name, says in {"thresher.db": "thresher.db is a database of something else", "notes.dat": "notes.dat"}.items():
        (in_folder / "notes.dat").write_text("mine " * 1000)
        before = (in_folder / name).read_bytes()
        said = coins(*SIMULATE, "--out", name)
        assert says in said.err
        assert (said.code, (in_folder / name).read_bytes()) == (3, before)
    for _ in range(2):
        assert coins(*LEAGUE, "--out", "league").code == 0  # its tables are made from the stored runs


def test_every_command_with_an_output_is_in_this_file() -> None:
    group = get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    writing = {name for name, each in group.commands.items() if any("--out" in option.opts for option in each.params)}
    assert writing == {words[0] for words, *_ in REPLACING} | {"simulate"}
