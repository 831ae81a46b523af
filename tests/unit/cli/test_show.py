import io
import sys

import pytest

from tests.support.service_process import wait_until
from thresher.cli import show


def test_answers_go_to_standard_output_and_remarks_to_the_other_stream(capsys: pytest.CaptureFixture[str]) -> None:
    show.answer("the answer")
    show.say("a remark")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("the answer\n", "a remark\n")


def test_a_table_is_aligned_and_not_wrapped_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    show.table(["name", "value"], [["x", "1"], ["longer", "1000"]], title="[b]title[/b]")
    title, head, *rows = capsys.readouterr().out.splitlines()
    assert title.rstrip() == "[b]title[/b]"
    assert [row.rstrip() for row in (head, *rows)] == ["name      value", "x             1", "longer     1000"]


def test_a_narrow_terminal_breaks_no_word(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "44")
    headers, row = (
        ["name", "parameters", "what it does"],
        ["long-name", "one=0.5, two=0, three=1", "even logarithmically " * 3],
    )
    show.table(headers, [row], left=(0, 1, 2))
    out = capsys.readouterr().out
    assert {"long-name", "one=0.5,", "two=0,", "three=1", "even"} <= set(out.split())
    assert "parameters" in out
    assert out.split().count("logarithmically") == 3


def test_columns_move_together_before_a_number_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, gutter in ((32, 4), (26, 4), (22, 2), (20, 2), (17, 1)):
        monkeypatch.setenv("COLUMNS", str(width))
        show.table(["a", "b", "c", "d"], [["1000", "10.25", "0.1", "77"]])
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1].split(" " * gutter)[0] == "1000"
        assert (" " * gutter).join(["1000", "10.25", "0.1", "77"]) == lines[-1].rstrip()


def test_an_interval_is_not_broken(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    show.table(["name", "95 % interval", "note"], [["x", "-0.958 to 1,133.5", "y"], ["z", "–", "from here to there"]])
    out = capsys.readouterr().out
    assert "-0.958 to 1,133.5" in out
    assert max(map(len, out.splitlines())) <= 30


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_silent_when_not_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(show, "PATIENCE", 0.0)
    with show.progress("simulating") as update:
        for done in range(10):
            update(done, 10)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(("patience", "seen"), [(0.0, True), (1000.0, False)])
def test_progress_shows_on_a_terminal_once_patience_is_over(
    patience: float, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(show, "PATIENCE", patience)
    with show.progress("simulating") as update:
        update(1, 10)
        if seen:
            wait_until(lambda: "simulating" in stream.getvalue(), "the bar appears")
        update(2, 10)
    assert ("simulating" in stream.getvalue()) == seen


def test_progress_shows_also_if_nothing_was_reported_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(show, "PATIENCE", 0.0)
    with show.progress("simulating") as update:
        wait_until(lambda: "preparing" in stream.getvalue(), "the bar appears")
        assert "simulating" not in stream.getvalue()
        update(0, 10)
        wait_until(lambda: "simulating" in stream.getvalue(), "the bar says that it simulates")


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the terminal 32 columns wide."""
    monkeypatch.setenv("COLUMNS", "32")


@pytest.mark.usefixtures("narrow")
def test_columns_are_left_out_in_order_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    headers, row = ["name", "first", "second", "third"], ["x" * 12, *["1234567"] * 3]
    show.table(headers, [row], drop=(2, 1))
    printed = capsys.readouterr()
    assert printed.out.split() == ["name", "first", "third", "x" * 12, "1234567", "1234567"]
    assert " ".join(printed.err.split()) == ("Second hidden; widen the terminal or use --json.")


@pytest.mark.usefixtures("narrow")
def test_columns_of_a_group_are_left_out_together(capsys: pytest.CaptureFixture[str]) -> None:
    headers, row = ["name", "first", "second", "third"], ["x" * 12, *["1234567"] * 3]
    show.table(headers, [row], drop=((1, 2), 3))
    printed = capsys.readouterr()
    assert printed.out.split() == ["name", "third", "x" * 12, "1234567"]
    assert "First, second hidden;" in " ".join(printed.err.split())


@pytest.mark.usefixtures("narrow")
def test_numbers_are_not_broken_where_nothing_is_left_to_leave_out(capsys: pytest.CaptureFixture[str]) -> None:
    show.table(["a", "b", "25 %"], [["1" * 15, "2" * 15, "3" * 15]])
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1" * 15, "2" * 15, "3" * 15]
