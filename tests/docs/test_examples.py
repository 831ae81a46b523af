"""Every example on a page runs.

A fenced block with a title is a file that the page speaks of; `python` blocks of a page are one script; lines of a
`console` block that begin with `$` are commands. Other blocks are not run.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from numba_cache import CHECKOUT

BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
PAGES = ["README.md", *(str(path.relative_to(CHECKOUT)) for path in sorted((CHECKOUT / "docs").rglob("*.md")))]


def blocks(page: str) -> list[dict[str, str | None]]:
    """Return the fenced blocks of a page, with language, title and text."""
    return [match.groupdict() for match in BLOCK.finditer((CHECKOUT / page).read_text())]


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows."""
    for block in blocks(page):
        if block["title"]:
            (folder / block["title"]).write_text(block["text"] or "")


def script(page: str) -> str:
    """Return the Python of a page."""
    return "".join(block["text"] or "" for block in blocks(page) if block["language"] == "python")


def commands(page: str) -> list[str]:
    """Return the commands of a page."""
    consoles = [block["text"] or "" for block in blocks(page) if block["language"] == "console"]
    return re.findall(r"^\$ (.+)$", "\n".join(consoles), re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if script(page)])
def test_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    (tmp_path / "example.py").write_text(script(page))
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(("page", "command"), [(page, command) for page in PAGES for command in commands(page)])
def test_the_commands_of_a_page_run(page: str, command: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    program, *arguments = shlex.split(command)
    assert program == "thresher"
    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_readme_has_an_example_of_five_lines() -> None:
    assert len([line for line in script("README.md").splitlines() if line]) == 5
