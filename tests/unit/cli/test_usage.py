"""Usage errors: the words of every other error, and none of a library."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from thresher.campaign import Campaign
from thresher.cli.main import app, main
from thresher.dashboard.term_fields import number_in


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
        ("simulate linear --tolerance -1", "--tolerance is -1; must be 0 or a positive number"),
        ("new c -a x --bar 1.5 -b 9", "--bar is 1.5; must be between 0 and 1 (exclusive)"),
        ("new c -a x --threshold 150% -b 9", "--threshold is 1.5; must be between 0 and 1 (exclusive)"),
        ("new c -a x -t high -b 9", "--bar is 'high'; must be a number, or per cent such as 80%"),
        ("new c -a x -b 9", "--bar is missing; every arm needs one; give a bar, or a column 'threshold'"),
        ("new c -a x --bar 0.5 -b 9 --risk 95", "--risk is 95; must be between 0 and 0.5 (exclusive)"),
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


def test_every_option_that_takes_one_value_is_refused_a_second_time_on_every_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    group: Any = typer.main.get_command(app)
    commands: dict[tuple[str, ...], Any] = {(name,): command for name, command in group.commands.items()}
    commands |= {("token", name): command for name, command in commands.pop(("token",)).commands.items()}
    assert len(commands) > 25
    checked = 0
    for words, command in commands.items():
        for option in command.params:
            if option.param_type_name != "option" or option.multiple or option.name == "help":
                continue
            first, last = option.opts[0], option.opts[-1]
            twice = [first, last] if option.is_flag else [first, "1", last, "2"]
            assert call(*words, *twice) == 3, (words, twice)
            said = capsys.readouterr().err.splitlines()[0]
            assert said == f"thresher: {option.opts[0]} is given 2 times; give it once", (words, twice, said)
            checked += 1
    assert checked > 200


def test_a_value_in_a_file_is_not_blamed_on_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "arms.csv").write_text("arm,threshold\na,150%\nb,\n")
    assert call("new", "c", "--arms", "arms.csv", "--bar", "0.5", "-b", "9") == 3
    assert "threshold of arm 'a' is 1.5; must be between" in capsys.readouterr().err


def test_a_rate_in_per_cent_is_the_same_number_everywhere(folder: Path) -> None:
    (folder / "arms.csv").write_text("arm,threshold\na,80%\n")
    (folder / "run.toml").write_text(
        'bar = "80%"\nrisk = "0.1 %"\nbudget = 1\narms = ["a"]\ncommand = "true"\ntolerance = "2%"\n'
    )
    assert call("new", "option", "-a", "a", "--bar", "80%", "--risk", "0.1%", "--tolerance=2%", "-b", "9") == 0
    assert call("new", "file", "--arms", "arms.csv", "--risk", "0.1%", "--tolerance", "2%", "-b", "9") == 0
    assert call("run", "run.toml") == 2
    terms: dict[str, Any] = {"risk": "0.1%", "tolerance": "2%"}
    Campaign.create("sqlite:///thresher.db", "python", arms=["a"], threshold="80%", budget=9, **terms).disconnect()
    assert (number_in("threshold", "80%"), number_in("risk", "0.1%")) == (0.8, 0.001)  # as the dashboard reads them
    for name in ("option", "file", "run", "python"):
        campaign = Campaign.open("sqlite:///thresher.db", name)
        [row] = campaign.verdicts(risk="7%")
        assert (row.threshold, campaign.terms.risk, campaign.terms.tolerance) == (0.8, 0.001, 0.02), name
        campaign.disconnect()


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


@pytest.mark.by_day(">&- 2>&-")
@pytest.mark.skipif(os.name == "nt", reason="needs a shell of POSIX")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_output_does_not_change_the_exit_code(folder: Path, closed: str) -> None:
    words = [sys.executable, "-m", "thresher", "run", "--bar", "0.5", "--budget", "20", "--arm", "a", "--command"]
    line = f"{shlex.join([*words, 'false', '--yes'])} {closed}"
    done = subprocess.run(["/bin/sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Error" not in done.stdout + done.stderr
