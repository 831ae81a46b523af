"""What is seen while a run goes on, on a terminal and elsewhere."""

import io
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tests.support.decided_rows import Standing as FakeStanding
from thresher.cli.live_table import Pace, picture, watching
from thresher.run import Run, RunSpec


def spec(folder: Path) -> RunSpec:
    """Return a spec of five arms."""
    return RunSpec(name="x[b]", bar=0.5, budget=10, command="true", arms=tuple("abcde"), db=f"sqlite:///{folder}/x.db")


def drawn(run: Run, rows: int) -> str:
    """Return the picture of a run as text."""
    console = Console(file=io.StringIO(), width=100, markup=False)
    console.print(picture(run, Pace(), rows=rows))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_rows_keep_their_order_and_decided_ones_make_room(tmp_path: Path) -> None:
    with closing(Run(spec(tmp_path))) as run:
        assert run.campaign is not None
        before = [line.split()[0] for line in drawn(run, 5).splitlines()[-5:]]
        for ticket in run.campaign.ask(2):
            run.campaign.tell(ticket, True)
        run.campaign.tell_counts("b", n=200, total=200.0, paid=False)
        text, few = drawn(run, 5), drawn(run, 4)
    assert [line.split()[0] for line in text.splitlines()[-5:]] == before == list("abcde")
    assert text.startswith("x[b]  2/10 · bar > 0.5 · 4 undecided")
    assert [line.split()[0] for line in few.splitlines()[-5:]] == [*"acde", "…"], "the decided arm is left out"


def test_the_pace_is_that_of_this_run() -> None:
    standing = FakeStanding(budget=300.0, spent=12.0, told=112)
    pace = Pace()
    pace.note(standing, 100.0)
    assert pace.words(standing) == []
    later = replace(standing, spent=212.0, told=312)
    pace.note(later, 114.0)
    assert pace.words(later) == ["14/s", "6.2 s left"]
    pace.note(later, 100.0 + 3600.0)
    assert pace.words(later) == ["3.3/min", "26 min left"]


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
        assert terminal.getvalue().index("starting…") < terminal.getvalue().index("x[b]  0/10")
        assert terminal.getvalue().count("0/10") == 1
