"""`make setup` installs a browser where that can be done, and says so where it cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chromium import MISSING
from tests.support.checkout import CHECKOUT

APT = """#!/bin/sh
echo "$@" >> "{calls}"
case "$2" in install) {then} ;; esac
"""


def set_up(folder: Path) -> str:
    """Run what `make setup` runs, on a machine whose programs are all in a folder; return what it prints."""
    words = [sys.executable, str(CHECKOUT / "tools" / "chromium.py")]
    done = subprocess.run(words, env={"PATH": str(folder)}, capture_output=True, text=True, check=True)
    return done.stdout


def write(path: Path, text: str) -> None:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "chromium", "#!/bin/sh\n")
    assert set_up(tmp_path) == ""


def test_where_it_cannot_be_installed_that_is_said_and_is_no_error(tmp_path: Path) -> None:
    assert set_up(tmp_path) == f"The browser tests will be skipped: {MISSING}.\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs")
def test_it_is_installed_quietly(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    write(tmp_path / "apt-get", APT.format(calls=calls, then="true"))
    assert set_up(tmp_path) == "Installing chromium for the browser tests\n"
    assert calls.read_text().splitlines() == [
        "-qq update",
        "-qq install --yes --no-install-recommends chromium fonts-dejavu-core fonts-liberation",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs")
def test_a_failure_is_said_with_its_reason_and_is_no_error(tmp_path: Path) -> None:
    write(tmp_path / "apt-get", APT.format(calls=tmp_path / "calls", then="echo E: no network >&2; exit 100"))
    assert set_up(tmp_path).endswith("skipped: apt-get could not install: E: no network\n")
