"""The GitHub Action: its shell steps run as a runner would run them."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.checkout import CHECKOUT
from thresher.campaign import Campaign

ACTION: dict[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text())
SPEC = """
name = "coins"
bar = 0.5
budget = BUDGET
arms = ["heads", "tails"]
command = "COMMAND"
"""

WORKFLOW = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_REPOSITORY": "us/shop"}


@dataclass
class Step:
    """What came of the step that runs the campaign or the tests."""

    code: int
    summary: str
    output: str


def expand(text: str, inputs: dict[str, str]) -> str:
    """Return a text with the expressions that the action uses replaced."""
    for name, value in inputs.items():
        text = text.replace(f"${{{{ inputs.{name} }}}}", value)
    assert "${{" not in text
    return text


def without_pip(folder: Path) -> Path:
    """Return a folder whose ``python`` writes down what pip would install: here it is installed already."""
    (place := folder / "bin").mkdir(exist_ok=True)
    (place / "python").write_text(f'#!/bin/sh\nfor last; do :; done; echo "$last" >> {folder}/installed\n')
    (place / "python").chmod(0o700)
    return place


def is_due(step: dict[str, Any], inputs: dict[str, str], *, failed: bool) -> bool:
    """Return whether a runner would run a step: the conditions of this action, all of them joined by ``&&``."""
    conditions = step.get("if", "").split(" && ") if step.get("if") else []
    if failed and "always()" not in conditions:
        return False
    for condition in conditions:
        if condition != "always()":
            name, comparison, value = condition.removeprefix("inputs.").split()
            assert value == "''"
            if (inputs[name] == "") != (comparison == "=="):
                return False
    return True


def run_action(folder: Path, **given: str) -> Step:
    """Run the steps one after the other, each in a shell of its own."""
    inputs = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    files = {name: folder / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    path = os.pathsep.join([str(without_pip(folder)), str(Path(sys.executable).parent), os.environ["PATH"]])
    code = 0
    for step in ACTION["runs"]["steps"]:
        if not is_due(step, inputs, failed=bool(code)) or "uses" in step:
            continue
        assert step["shell"] == "bash"
        environment = {name: expand(value, inputs) for name, value in step["env"].items()}
        environment = {**os.environ, "PATH": path, "RUNNER_TEMP": str(folder), **environment}
        environment |= {name: str(file) for name, file in files.items()} | {"GITHUB_ACTION_PATH": str(CHECKOUT)}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]  # as GitHub starts it
        code = subprocess.run(words, cwd=folder, env=environment | WORKFLOW, check=False).returncode or code
    return Step(code, *(file.read_text() if file.exists() else "" for file in files.values()))


@pytest.mark.by_day("test {arm} = heads-1-fail")
@pytest.mark.parametrize(("command", "code", "decision"), [("true", 0, "pass"), ("test {arm} = heads", 1, "fail")])
def test_the_summary_and_the_exit_code_are_those_of_the_run(
    tmp_path: Path, command: str, code: int, decision: str
) -> None:
    (tmp_path / "coins.toml").write_text(SPEC.replace("COMMAND", command).replace("BUDGET", "60"))
    done = run_action(tmp_path, spec="coins.toml", arguments="--jobs 2 --junit coins.xml")
    assert (done.code, done.output) == (code, f"decision={decision}\n")
    assert done.summary.startswith("# coins\n")
    assert "| heads " in done.summary
    assert (tmp_path / "coins.xml").exists()
    assert (tmp_path / "installed").read_text() == f"{CHECKOUT}\n"  # the version of the action, not one of a registry


@pytest.mark.nightly
@pytest.mark.parametrize(("allow", "code"), [("false", 2), ("true", 0)])
def test_open_arms_fail_the_step_unless_they_are_allowed(tmp_path: Path, allow: str, code: int) -> None:
    (tmp_path / "coins.toml").write_text(SPEC.replace("COMMAND", "true").replace("BUDGET", "2"))
    done = run_action(tmp_path, spec="coins.toml", allow_open=allow)
    assert (done.code, done.output) == (code, "decision=open\n")


def test_a_spec_that_is_not_there_is_an_error_and_adds_no_summary(tmp_path: Path) -> None:
    done = run_action(tmp_path, spec="no; touch evil.toml", allow_open="true")
    assert (done.code, done.output, done.summary) == (3, "decision=error\n", "")
    assert not (tmp_path / "evil.toml").exists()


@pytest.mark.by_day("False-1-fail")
@pytest.mark.parametrize(("assertion", "code", "decision"), [("True", 0, "pass"), ("False", 1, "fail")])
def test_tests_are_judged_and_their_decisions_become_the_summary_and_a_comment(
    tmp_path: Path, assertion: str, code: int, decision: str
) -> None:
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    assert {assertion}\n")
    gh = without_pip(tmp_path) / "gh"
    gh.write_text(
        f'#!/bin/sh\nfor word; do [ "$word" = --edit-last ] && exit 1; done; echo "$@" > {tmp_path}/comment\n'
    )
    gh.chmod(0o700)
    words = "-p no:cacheprovider test_it.py --thresher-bar 0.9 --thresher-budget 20"
    done = run_action(tmp_path, pytest=words, history="history.db", token="secret")
    assert (done.code, done.output) == (code, f"decision={decision}\n")
    assert done.summary.startswith("### Tests: ")
    assert (tmp_path / "comment").read_text().startswith("pr comment 7 --repo us/shop --body-file ")
    assert Campaign.open(f"sqlite:///{tmp_path}/history.db", "pytest").verdicts()[0].arm == "test_it.py::test_it"


def test_every_input_is_described_and_used() -> None:
    used = str(ACTION["runs"]["steps"])
    for name, about in ACTION["inputs"].items():
        assert about["description"]
        assert f"inputs.{name} " in used
