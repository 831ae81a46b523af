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

ACTION: dict[str, Any] = yaml.safe_load((CHECKOUT / "action.yml").read_text())
SPEC = """
name = "coins"
bar = 0.5
budget = BUDGET
arms = ["heads", "tails"]
command = "COMMAND"
"""


@dataclass
class Step:
    """What came of the step that runs the campaign."""

    code: int
    summary: str
    output: str


def expand(text: str, inputs: dict[str, str]) -> str:
    """Return a text with the expressions that the action uses replaced."""
    for name, value in inputs.items():
        text = text.replace(f"${{{{ inputs.{name} }}}}", value)
    assert "${{" not in text
    return text


def run_action(folder: Path, **given: str) -> Step:
    """Run the steps one after the other, each in a shell of its own."""
    inputs = {name: str(about.get("default", "")) for name, about in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()}
    files = {name: folder / name.lower() for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    code = 0
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        environment = {name: expand(value, inputs) for name, value in step["env"].items()}
        environment = {**os.environ, "PATH": path, "RUNNER_TEMP": str(folder), **environment}
        environment |= {name: str(file) for name, file in files.items()}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]  # as GitHub starts it
        code = subprocess.run(words, cwd=folder, env=environment, check=False).returncode
        if code:
            break
    return Step(code, *(file.read_text() if file.exists() else "" for file in files.values()))


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


@pytest.mark.parametrize(("allow", "code"), [("false", 2), ("true", 0)])
def test_open_arms_fail_the_step_unless_they_are_allowed(tmp_path: Path, allow: str, code: int) -> None:
    (tmp_path / "coins.toml").write_text(SPEC.replace("COMMAND", "true").replace("BUDGET", "2"))
    done = run_action(tmp_path, spec="coins.toml", allow_open=allow)
    assert (done.code, done.output) == (code, "decision=open\n")


def test_a_spec_that_is_not_there_is_an_error_and_adds_no_summary(tmp_path: Path) -> None:
    done = run_action(tmp_path, spec="no; touch evil.toml", allow_open="true")
    assert (done.code, done.output, done.summary) == (3, "decision=error\n", "")
    assert not (tmp_path / "evil.toml").exists()


def test_every_input_is_described_and_used() -> None:
    used = str(ACTION["runs"]["steps"])
    for name, about in ACTION["inputs"].items():
        assert about["description"]
        assert f"inputs.{name} " in used
