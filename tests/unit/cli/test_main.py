"""Every way out of the command line: an exit code, and one clear sentence where something is wrong."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

import thresher
from thresher.cli import main as module
from thresher.cli.main import app, main


@dataclass(frozen=True)
class TextTerms:
    """What a command said, and the code with which it ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Any:
    """Give the command line as a function of its words."""

    def run(*words: object) -> TextTerms:
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words])
        printed = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return TextTerms(caught.value.code, printed.out, printed.err)

    return run


def file(folder: Path, name: str, text: str) -> str:
    """Return the path of a file with that text."""
    path = folder / name
    path.write_text(text)
    return str(path)


# Bad input: exit code 3, one sentence, no traceback

OF_TWO = '{"means": [0.5, -0.5]'
BAD_INPUT = {
    "a budget below the number of arms": (
        ["linear", "--budget", "10"],
        "budget for 50 arms is 10; must be at least 50: every arm is pulled first",
    ),
    "a budget that is not a number": (["linear", "--budget", "nan"], "budget is nan; must be a positive finite number"),
    "a budget without end": (["linear", "--budget", "inf"], "budget is inf; must be a positive finite number"),
    "no sigma": ([OF_TWO + ', "sigma": 0}'], "sigma of arm '1' is 0; must be positive"),
    "a negative sigma": ([OF_TWO + ', "sigma": [1, -1]}'], "sigma of arm '2' is -1"),
    "a negative sigma by name": (["linear:sigma=-1"], "sigma of arm '1' is -1"),
    "a negative cost": ([OF_TWO + ', "costs": [1, -1]}'], "cost of arm '2' is -1; must be positive"),
    "a cost of nothing": ([OF_TWO + ', "costs": 0}'], "cost of arm '1' is 0"),
    "a pull cost of nothing": ([OF_TWO + ', "pull_costs": 0}'], "pull_cost of arm '1' is 0"),
    "thresholds of another length": (
        [OF_TWO + ', "thresholds": [0, 0, 0]}'],
        "shape of thresholds is (3,); must be one number, or one for each of the 2 arms",
    ),
    "a NaN": (['{"means": [0.5, NaN]}'], "means[1] is nan; must be a finite number"),
    "an unknown policy": (["linear", "--policy", "lsb"], "unknown policy 'lsb'; did you mean 'lsa'"),
    "an unknown parameter of a policy": (
        ["linear", "--policy", "lsa:alfa=1"],
        "unknown parameter 'alfa' of 'lsa'; did you mean 'alpha'",
    ),
    "a parameter that is not a number": (
        ["linear", "--policy", "lsa:alpha=x"],
        "alpha of 'lsa:alpha=x' is 'x'; must be a number",
    ),
    "an unknown problem": (["lineal"], "unknown problem 'lineal'; did you mean 'linear'"),
    "an unknown parameter of a problem": (["linear:k=20"], "unknown parameter 'k' of 'linear'; did you mean 'K'?"),
    "a problem without arms": (["linear:K=0"], "K is 0; must be at least 1"),
    "an unknown family": ([OF_TWO + ', "family": "gausian"}'], "unknown family 'gausian'; did you mean 'gaussian'"),
    "an unknown key": ([OF_TWO + ', "cost": 1}'], "unknown key 'cost' of "),
    "broken JSON": (['{"means": [0.5,\n 0.1'], "line 2, text is '0.1'; must be JSON: Expecting ',' delimiter"),
    "an unknown loss": (["linear", "--loss", "gap"], "unknown loss 'gap'; did you mean 'gaps'"),
    "an unknown recommendation": (["linear", "--recommend", "finale"], "unknown recommendation 'finale'; did you mean"),
    "an unknown executor": (["linear", "--executor", "ray"], "unknown executor 'ray'; known: dask, processes, threads"),
    "an address without Dask": (["linear", "--address", "tcp://127.0.0.1:1"], "an address without the Dask executor"),
    "a seed too large": (
        ["linear", "--seed", str(2**63)],
        "seed is 9223372036854775808; must be a whole",
    ),
    "a policy that does not fit": (
        ["toy", "--policy", "stopping"],
        "it does not play two-point problems; use 'apt'",
    ),
    "an evidence that does not fit": (
        ["linear", "--policy", "lsa:evidence=kl"],
        "family is 'gaussian'; must be 'bernoulli' for evidence=kl",
    ),
    "a policy that would know too much": (
        ["beta-population", "--policy", "sprt"],
        "'sprt'; it needs the true means",
    ),
    "a file that is not there": (["none.json"], "file none.json is missing; must be a text file that can be read"),
    "results in a folder that is not there": (["linear", "--out", "none/r.db"], "cannot use none/r.db for results"),
    "a picture in a folder that is not there": (
        ["linear:K=3", "--runs", "2", "--plot", "none/p.png"],
        "cannot write the picture none/p.png: there is no folder none; name an existing folder",
    ),
    "a picture of an unknown kind": (
        ["linear:K=3", "--runs", "2", "--plot", "p.xyz"],
        "cannot write the picture p.xyz: .xyz is not a picture format; name an existing folder, and .png, .svg or .pdf",
    ),
}


@pytest.mark.parametrize(("words", "sentence"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_bad_input_ends_with_3_and_one_sentence(
    command: Any, words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = file(tmp_path, "p.json", words[0]) if words[0].startswith("{") else words[0]
    said = command("simulate", problem, *words[1:])
    assert said.code == 3
    # On a busy machine, or the first time, it is said that kernels are being compiled.
    (complaint,) = (line for line in said.err.splitlines() if not line.startswith("compiling the engine"))
    assert complaint.startswith("thresher: ")
    assert sentence in complaint
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("arms.csv", "mean,sigma\n1,1\n\n2,x\n", "line 4, column 'sigma' is 'x'; must be a number"),
        ("samples.csv", "arm,value\nx,1\n", "is missing; samples need a bar; type"),
        ("p.toml", "means = [1\nsigma = 2", "line 2"),
    ],
)
def test_a_malformed_file_ends_with_3_and_names_the_line(
    command: Any, name: str, text: str, sentence: str, tmp_path: Path
) -> None:
    said = command("simulate", file(tmp_path, name, text))
    assert said.code == 3
    assert sentence in said.err
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["simulate"], "Missing argument 'problem'"),
        (["simulate", "linear", "--no-such-flag"], "No such option: --no-such-flag"),
        (["simulate", "linear", "extra"], "unexpected extra argument"),
        (["simulate", "linear", "--budget", "many"], "--budget is 'many'; must be a number"),
        (["simulate", "linear", "--runs", "0"], "--runs is 0; must be at least 1"),
        (["simulate", "linear", "--runs", "1.5"], "--runs is '1.5'; must be a whole number"),
        (["simulate", "linear", "--workers", "0"], "--workers is 0; must be at least 1"),
        (["simulate", "linear", "--seed", "-1"], "--seed is -1; must be at least 0"),
        (["simulate", "linear", "--policy"], "Option '--policy' requires an argument"),
        (["no-such-command"], "No such command 'no-such-command'"),
        (["--no-such-flag"], "No such option: --no-such-flag"),
        (["problems", "extra"], "unexpected extra argument"),
    ],
)
def test_a_usage_error_ends_with_3_and_points_to_the_help(command: Any, words: list[str], sentence: str) -> None:
    said = command(*words)
    assert said.code == 3
    assert sentence.lower() in said.err.lower()
    assert "Type 'thresher --help'" in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_a_value_out_of_range_is_named_as_it_was_typed(command: Any) -> None:
    said = command("simulate", "linear", "--tolerance", "-1")
    assert (said.code, said.err) == (3, "thresher: --tolerance is -1; must be 0 or a positive number\n")


def test_debug_shows_where_and_ends_with_the_same_code(command: Any) -> None:
    for words in (
        ["simulate", "linear", "--budget", "10", "--debug"],
        ["--debug", "simulate", "linear", "--budget", "10"],
    ):
        said = command(*words)
        assert said.code == 3
        assert said.err.startswith("Traceback")
        assert "thresher: budget for 50 arms is 10" in said.err.splitlines()[-1]


def test_an_internal_error_exits_with_4_and_no_traceback_unless_asked(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("thresher.problem.find_problem", faulty)
    said = command("simulate", "linear")
    assert said.code == 4
    assert said.err == "thresher: unexpected RuntimeError: the sky fell; add --debug for a traceback\n"
    said = command("simulate", "linear", "--debug")
    assert said.code == 4
    assert said.err.startswith("Traceback")


def test_ctrl_c_ends_with_130(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("thresher.problem.find_problem", pressed)
    said = command("simulate", "linear")
    assert (said.code, said.err) == (130, "thresher: interrupted\n")


# Help


def test_without_words_the_help_is_shown(command: Any) -> None:
    said = command()
    assert said == command("--help")
    assert said.code == 0
    assert said.err == ""
    assert "Usage: thresher" in said.out
    for name in ("simulate", "problems", "policies"):
        assert re.search(rf"^  {name} +\w", said.out, re.MULTILINE)
    assert "3 bad input" in said.out


def test_the_version_is_shown(command: Any) -> None:
    said = command("--version")
    assert (said.code, said.out) == (0, f"thresher {thresher.__version__}\n")


def test_the_words_of_the_process_are_taken_unless_given(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["thresher", "--version"])
    with pytest.raises(SystemExit) as caught:
        module.main()
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("thresher ")


@pytest.mark.parametrize("name", list(get_group(app).commands))
def test_every_command_and_every_option_says_what_it_is_for(command: Any, name: str) -> None:
    said = command(name, "--help")
    assert said.code == 0
    made = get_group(app).commands[name]
    assert made.help
    for parameter in made.params:
        assert getattr(parameter, "help", None), f"{name} {parameter.name} has no help"


def walked(command: Any, *words: str) -> Iterator[tuple[str, Any]]:
    """Yield every command below one, with the words that lead to it."""
    if not hasattr(command, "commands"):
        yield " ".join(words), command
        return
    for name, below in command.commands.items():
        yield from walked(below, *words, name)


def test_every_command_answers_machines_too() -> None:
    found = {
        name: {word for parameter in made.params for word in parameter.opts} for name, made in walked(get_group(app))
    }
    assert len(found) > 20
    assert [name for name, words in found.items() if "--json" not in words] == ["mcp"]  # it speaks a protocol


def test_simulate_has_every_documented_option(command: Any) -> None:
    text = command("simulate", "--help").out
    for option in (
        *("--policy", "--budget", "--runs", "--seed", "--recommend", "--loss", "--tolerance", "--stop-price"),
        *("--executor", "--json", "--out", "--plot", "--workers", "--address"),
    ):
        assert option in text


# Lists


def test_problems_are_listed_with_parameters_and_sources(command: Any) -> None:
    table = command("problems").out
    assert re.search(r"^linear +Gaussian .*\(K=50, sigma=1.0\) \[ouhamma2021", table, re.MULTILINE)
    document = json.loads(command("problems", "--json").out)
    listed = {entry["name"]: entry for entry in document["problems"]}
    wanted = {
        "linear",
        "quadratic",
        "constant",
        "toy",
        "locatelli-1",
        "tao-2",
        "one-hard",
        "one-hard-few",
        "spread-costs",
    }
    assert wanted <= set(listed)
    assert listed["linear"]["parameters"] == {"K": 50, "sigma": 1.0}


def test_policies_are_listed_with_parameters_and_sources(command: Any) -> None:
    table = command("policies").out
    assert re.search(r"^lsa +The LSA .*\(alpha=1\) \[tao2019", table, re.MULTILINE)
    document = json.loads(command("policies", "--json").out)
    listed = {entry["name"]: entry for entry in document["policies"]}
    assert listed["sprt"]["needs_truth"]
    assert listed["apt"]["parameters"] == "epsilon=0"
    assert (listed["apt"]["in_flight"], listed["apt"]["peak"], listed["apt"]["price"]) == (True, True, True)
    assert (listed["csar"]["needs_horizon"], listed["csar"]["in_flight"]) == (True, False)
    assert (listed["jj-fdr"]["promise"], listed["apt"]["promise"]) == ("share of false outputs", "")
    assert "stops" not in listed["apt"]


# What cannot be written


def start(*words: str, stdout: Any, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    """Return what became of a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "thresher", *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", [("policies", "--json"), ("--help",)])
def test_an_answer_that_cannot_be_written_ends_with_3_and_one_sentence(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = start(*words, stdout=full)
    assert done.returncode == 3
    said = done.stderr.decode()
    assert said == "thresher: cannot write: No space left on device; free some space, or write elsewhere\n"


@pytest.mark.nightly("words1-environment1")
@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (("policies",), {"PYTHONIOENCODING": "ascii"}),
        (("theory", "linear:K=3", "--budget", "30"), {"LC_ALL": "C", "PYTHONUTF8": "0"}),
    ],
)
def test_a_terminal_that_lacks_a_letter_shows_another(words: tuple[str, ...], environment: dict[str, str]) -> None:
    done = start(*words, stdout=subprocess.PIPE, **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    program = tmp_path / "thresher"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m thresher "$@"\n')
    program.chmod(0o755)
    script = """
eval "$(thresher --show-completion bash)"
COMP_WORDS=(thresher arch) COMP_CWORD=1; _thresher_completion thresher; echo "${COMPREPLY[*]}"
COMP_WORDS=(thresher archive --un) COMP_CWORD=2; _thresher_completion thresher; echo "${COMPREPLY[*]}"
complete -p thresher
"""
    # A shell is recognised by the processes above; here it is named.
    found = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(["bash", "-c", script], env=os.environ | found, capture_output=True, text=True)
    assert done.stdout.split("\n")[:2] == ["archive", "--undo"], done.stderr
    assert "-F _thresher_completion thresher" in done.stdout
