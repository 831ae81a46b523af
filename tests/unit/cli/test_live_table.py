"""What is seen while a run goes on, on a terminal and elsewhere."""

import io
import sys
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from thresher.cli.live_table import picture, watching
from thresher.runner import Run, RunSpec


def spec(folder: Path) -> RunSpec:
    """Return a spec of five arms."""
    return RunSpec(name="x[b]", bar=0.5, budget=10, command="true", arms=tuple("abcde"), db=f"sqlite:///{folder}/x.db")


def drawn(run: Run, rows: int) -> str:
    """Return the picture of a run as text."""
    console = Console(file=io.StringIO(), width=100, markup=False)
    console.print(picture(run, rows=rows))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_what_is_in_flight_comes_first_and_the_rest_is_counted(tmp_path: Path) -> None:
    with closing(Run(spec(tmp_path))) as run:
        assert run.campaign is not None
        tickets = run.campaign.ask(2)
        run.campaign.tell(tickets[0], True)
        text = drawn(run, 3)
    assert "undecided: too early to judge. 1 of 10 measurements spent. 1 in flight." in " ".join(text.split())
    lines = text.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith("arm "))
    assert lines[header + 1].startswith("b ")
    assert "… and 2 more" in text


def test_nothing_is_drawn_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with watching() as watch:
        assert watch is None


def test_a_terminal_is_drawn_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with closing(Run(spec(tmp_path))) as run, watching() as watch:
        assert watch is not None
        watch(run)
        watch(run)  # not again within a second
        assert terminal.getvalue().count("0 of 10 measurements spent") == 1
