"""The door is light: importing thresher, or asking for help, loads no heavy library.

Times are in benchmarks/startup.py.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numba", "llvmlite", "scipy", "matplotlib", "pandas", "polars", "distributed", "sqlalchemy", "fastapi"}
THRESHER = str(Path(sys.executable).parent / "thresher")


def imported(*arguments: str) -> set[str]:
    """Return the top-level modules that a Python process imports."""
    done = subprocess.run([sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in re.findall(r"^import time:.*\|\s+([\w.]+)$", done.stderr, re.MULTILINE)}


def test_the_list_of_imports_is_seen() -> None:
    assert "numba" in imported("-c", "import numba")


def test_importing_thresher_imports_nothing_heavy() -> None:
    modules = imported("-c", "import thresher")
    assert "thresher" in modules
    assert not modules & HEAVY


def test_neither_side_imports_a_compiler_before_it_compiles() -> None:
    assert not imported("-c", "import thresher.experiment, thresher.live, thresher.runner") & {"numba", "llvmlite"}


@pytest.mark.parametrize("command", [[], ["simulate"], ["problems"], ["policies"]], ids=" ".join)
def test_help_imports_nothing_heavy(command: list[str]) -> None:
    modules = imported(THRESHER, *command, "--help")
    assert "thresher" in modules
    assert not modules & HEAVY
