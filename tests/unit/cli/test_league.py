import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from thresher.cli.main import main
from thresher.policy.own import OWN as POLICIES
from thresher.problem import Problem
from thresher.research.league import SuiteEntry, leagues

TWO = [
    SuiteEntry(Problem.named("linear:K=6"), (12, 30), 30),
    SuiteEntry(Problem.named("beta-population:K=5"), (5, 10), 30),
]


OWN = """
class Turns:
    \"\"\"Every arm in turn, from arm `first` on.\"\"\"

    def __init__(self, first=0):
        self.first = first

    def choose(self, seen, rng):
        return int(seen.counts.argmin())
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module in the current directory with a class that is not registered; it is forgotten in the end."""
    (tmp_path / "my_turns.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    paths = list(sys.path)
    yield "my_turns:Turns"
    sys.path[:] = paths
    sys.modules.pop("my_turns", None)
    POLICIES.pop("my_turns.Turns", None)


@pytest.fixture
def _a_small_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leagues, "suite", lambda lineup, **asked: TWO)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return int(end.value.code or 0)


@pytest.mark.usefixtures("_a_small_suite")
def test_it_prints_standings_mistakes_limits_and_losses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "--runs", "4") == 0
    shown = capsys.readouterr().out
    for title in (
        "Mistakes of 'stopping' over",
        "Mistakes, weighted",
        "Mistakes over the limit",
        "Where 'stopping' lost",
    ):
        assert title in shown


@pytest.mark.usefixtures("_a_small_suite")
def test_json_is_one_document_and_the_folder_has_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "--runs", "4", "--json", "--out", str(tmp_path / "l")) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"format", "suite", "seed", "standings", "cells", "lost", "about"}
    assert {cell["runs"] for cell in document["cells"]} == {4}
    assert (tmp_path / "l" / "league.svg").is_file()
    assert (tmp_path / "l" / "runs" / "linear-K=6.db").is_file()


PART = ("league", "--problem", "one-hard-few", "--runs", "4")


def test_a_class_of_the_users_own_plays_against_the_others(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*PART, "--policy", own, "--policy", f"{own}:first=2", "--json") == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    means = {(cell["policy"], cell["budget"]): cell["mean"] for cell in cells}
    assert means["my_turns.Turns", 40] == means["uniform", 40]
    assert ("my_turns.Turns:first=2", 40) in means


def test_results_of_several_people_are_shown_in_one_table(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*PART, "--out", "ours") == 0
    assert run(*PART, "--out", "theirs", "--policy", own) == 0
    capsys.readouterr()
    POLICIES.pop("my_turns.Turns")  # who reads a result need not have the policy
    assert run("league", "--read", "ours/league.json", "--read", "theirs/league.json", "--out", "both") == 0
    assert "my_turns.Turns" in capsys.readouterr().out
    assert "my_turns.Turns" in Path("both", "league.md").read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--policy", "nowhere:Thing"], "--policy is 'nowhere:Thing'; cannot be imported: ModuleNotFoundError"),
        (["--policy", "my_turns:Turn"], "--policy is 'my_turns:Turn'; module 'my_turns' has no 'Turn'; write"),
        (["--policy", "math:sqrt"], "policy 'math.sqrt'"),
        (["--policy", "my_turns:Turns:last=3"], "unknown parameter 'last' of 'my_turns.Turns'"),
        (["--policy", "stoping"], "did you mean 'stopping'"),
        (["--problem", "linea"], "unknown problem 'linea' of the suite; did you mean 'linear'"),
        (["--read", "none.json"], "cannot read none.json"),
        (["--read", "my_turns.py"], "cannot read my_turns.py"),
        (["--read", "none.json", "--runs", "3"], "--runs is 3; must be left out with --read"),
    ],
)
@pytest.mark.usefixtures("own")
def test_bad_input_is_one_sentence(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", *words) == 3
    assert says in capsys.readouterr().err
