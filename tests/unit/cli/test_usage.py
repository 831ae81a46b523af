"""Usage errors: the words of every other error, and none of a library."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from thresher.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THRESHER_DB", raising=False)
    return tmp_path


def call(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    return int(left.value.code or 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("new c -b many", "--budget is 'many'; must be a number"),
        ("ask c -n many", "--count is 'many'; must be a whole number"),
        ("ask c -n 0", "--count is 0; must be at least 1"),
        ("serve --port 99999", "--port is 99999; must be at most 65535"),
        ("simulate linear --tolerance -1", "--tolerance is -1; must be at least 0"),
        ("tell", "what follows the command is missing; must be [CAMPAIGN] TICKET OUTCOME"),
        ("tell a b c d", "what follows the command is 'a b c d'; must be [CAMPAIGN] TICKET OUTCOME"),
        ("extend c 5 --jsn", "No such option: --jsn"),
    ],
)
def test_a_usage_error_names_the_option_the_value_and_the_rule(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*words.split()) == 3
    assert capsys.readouterr().err.splitlines()[0] == f"thresher: {sentence}"


def test_a_negative_number_is_an_outcome_not_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("new", "c", "-a", "x", "-t", "0", "-b", "9", "--family", "gaussian", "--sigma", "1") == 0
    capsys.readouterr()
    assert call("ask", "c") == 0
    ticket = capsys.readouterr().out.split("\t")[0]
    assert call("tell", "c", ticket, "-0.25", "--json") == 0
    assert call("amend", ticket, "-1e-3", "--reason", "misread") == 0
    assert call("extend", "c", "-5") == 3
    assert "budget is -5; must be a number" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="needs a pipe of POSIX")
def test_a_reader_that_leaves_early_does_not_change_the_exit_code(folder: Path) -> None:
    words = ["run", "--bar", "0.5", "--budget", "20", "--arm", "a", "--command", "false", "--yes", "--json"]
    read, write = os.pipe()
    os.close(read)
    program = [sys.executable, "-m", "thresher", *words]
    done = subprocess.run(program, cwd=folder, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of POSIX")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_output_does_not_change_the_exit_code(folder: Path, closed: str) -> None:
    words = [sys.executable, "-m", "thresher", "run", "--bar", "0.5", "--budget", "20", "--arm", "a", "--command"]
    line = f"{shlex.join([*words, 'false', '--yes'])} {closed}"
    done = subprocess.run(["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Error" not in done.stdout + done.stderr
