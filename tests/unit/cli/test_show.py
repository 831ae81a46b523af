import io
import sys

import pytest

from thresher.cli import show


def test_answers_go_to_standard_output_and_remarks_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
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
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
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
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for width, gutter in ((32, 4), (26, 4), (22, 2), (20, 2), (17, 1)):
        monkeypatch.setenv("COLUMNS", str(width))
        show.table(["a", "b", "c", "d"], [["1000", "10.25", "0.1", "77"]])
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1].split(" " * gutter)[0] == "1000"
        assert (" " * gutter).join(["1000", "10.25", "0.1", "77"]) == lines[-1].rstrip()


def test_what_is_not_a_number_is_a_dash() -> None:
    assert show.number(float("nan")) == "–"


def test_numbers_have_four_digits() -> None:
    assert [show.number(value) for value in (0.123456, 1234.56, 0.0, 1e-9)] == ["0.1235", "1235", "0", "1e-09"]


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


def test_progress_shows_on_a_terminal_once_patience_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for patience, seen in ((0.0, True), (100.0, False)):
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(show, "PATIENCE", patience)
        with show.progress("simulating") as update:
            for done in range(10):
                update(done, 10)
        assert ("simulating" in stream.getvalue()) == seen
