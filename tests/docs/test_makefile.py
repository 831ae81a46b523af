"""The Makefile says what it can do."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT

MAKEFILE = (CHECKOUT / "Makefile").read_text()


def phony() -> set[str]:
    """Return the targets that people call."""
    return set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())  # type: ignore[index]


def test_make_alone_lists_every_target_with_one_line() -> None:
    printed = subprocess.run(["make"], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
    listed = dict(re.findall(r"^  ([a-z-]+) +(\S.*)$", printed, re.MULTILINE))
    assert set(listed) == phony()


def test_every_target_of_the_docs_exists() -> None:
    pages = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *(CHECKOUT / "docs").rglob("*.md")]
    named = {
        target for page in pages for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert {"run", "test", "setup"} <= named
    assert named <= phony()


def test_ci_is_make_test() -> None:
    script = Path(CHECKOUT / ".ci" / "run")
    assert script.stat().st_mode & 0o111
    assert "set -euo pipefail" in script.read_text()
    assert script.read_text().rstrip().endswith("make test")


def run_make_test(folder: Path, **codes: int) -> subprocess.CompletedProcess[str]:
    """Run the recipe of `make test` with tools that print their name and end with a code, 0 if none is given."""
    programs = folder / "bin"
    programs.mkdir()
    for name in ("pytest", "ruff", "mypy", "lint-imports"):
        path = programs / name
        path.write_text(f"#!/bin/sh\necho said by {name}\nexit {codes.get(name, 0)}\n")
        path.chmod(0o755)
    made = {"PROGRAM": folder / "program", "INSTALLED": folder / "installed"}
    for path in made.values():
        path.touch()
    given = {"BIN": programs, "LINT_LOG": folder / "log" / "lint", **made}
    words = [f"{name}={value}" for name, value in given.items()]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", "test", *words], cwd=CHECKOUT, env=own, capture_output=True, text=True)


def test_the_linters_run_next_to_the_tests_and_their_output_comes_last(tmp_path: Path) -> None:
    done = run_make_test(tmp_path)
    assert done.returncode == 0, done.stderr
    lines, linters = done.stdout.splitlines(), ("ruff", "ruff", "mypy", "lint-imports")
    assert lines[:3] == ["said by pytest", "", "make lint:"]
    assert lines[3:-2] == [f"said by {name}" for name in linters]
    assert lines[-1] == "make test: tests and lint passed"


@pytest.mark.parametrize(
    ("codes", "failed"),
    [({"pytest": 1}, "tests"), ({"mypy": 1}, "lint"), ({"pytest": 2, "ruff": 1}, "tests lint")],
)
def test_a_failure_of_either_fails_make_test_which_says_of_which(
    tmp_path: Path, codes: dict[str, int], failed: str
) -> None:
    done = run_make_test(tmp_path, **codes)
    assert done.returncode != 0
    assert done.stdout.splitlines()[-1] == f"make test: FAILED: {failed}"
    assert "said by pytest" in done.stdout
