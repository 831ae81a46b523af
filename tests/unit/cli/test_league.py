import json
from pathlib import Path

import pytest

from thresher.cli.main import main
from thresher.experiment import SuiteEntry, leagues
from thresher.problem import Problem

TWO = [
    SuiteEntry(Problem.named("linear:K=6"), (12, 30), 30),
    SuiteEntry(Problem.named("beta-population:K=5"), (10, 20), 30),
]


@pytest.fixture(autouse=True)
def _a_small_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leagues, "suite", lambda lineup, **asked: TWO)


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return int(end.value.code or 0)


def test_it_prints_standings_mistakes_limits_and_losses(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "--runs", "20") == 0
    shown = capsys.readouterr().out
    for title in (
        "Mistakes of 'stopping' over",
        "Mistakes, weighted",
        "Mistakes over the limit",
        "Where 'stopping' lost",
    ):
        assert title in shown


def test_json_is_one_document_and_the_folder_has_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("league", "--runs", "20", "--json", "--out", str(tmp_path / "l")) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"format", "suite", "seed", "standings", "cells", "lost", "about"}
    assert {cell["runs"] for cell in document["cells"]} == {20}
    assert (tmp_path / "l" / "league.svg").is_file()
    assert (tmp_path / "l" / "runs" / "linear-K=6.db").is_file()
