"""Every example on a page runs.

A fenced block with a title is a file that the page speaks of; `python` blocks of a page are one script; lines of a
`console` block that begin with `$` are commands, which run one after the other in one folder. A comment behind one
says how it ends if not well: `# exits with 1`, or `# exits with 1 or 2`. Files of other tools that a command names are
those of tests/unit/runner/adapters/data. Other blocks are not run.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from numba_cache import CHECKOUT

BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
SAMPLES = CHECKOUT / "tests" / "unit" / "runner" / "adapters" / "data"
PAGES = ["README.md", *(str(path.relative_to(CHECKOUT)) for path in sorted((CHECKOUT / "docs").rglob("*.md")))]


def blocks(page: str) -> list[dict[str, str | None]]:
    """Return the fenced blocks of a page, with language, title and text."""
    return [match.groupdict() for match in BLOCK.finditer((CHECKOUT / page).read_text())]


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows, and those of other tools that its commands name."""
    for block in blocks(page):
        if block["title"]:
            (folder / block["title"]).write_text(block["text"] or "")
    for path in SAMPLES.iterdir():
        if any(path.name in shlex.split(command) for command in commands(page)):
            shutil.copy(path, folder)


def script(page: str) -> str:
    """Return the Python of a page, files that it shows left out."""
    return "".join(
        block["text"] or "" for block in blocks(page) if block["language"] == "python" and not block["title"]
    )


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


def codes(command: str) -> set[int]:
    """Return how a command may end."""
    said = re.search(r"# exits with (\d(?: or \d)*)", command)
    return {int(code) for code in said[1].split(" or ")} if said else {0}


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_the_commands_of_a_page_run(page: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    # We may be run by xdist ourselves, and a page speaks of nobody's own database.
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "THRESHER_"))}
    for command in commands(page):
        program, *arguments = shlex.split(command, comments=True)
        assert program in ("thresher", "pytest")
        words = [str(Path(sys.executable).parent / program), *arguments]
        done = subprocess.run(words, cwd=tmp_path, env=own, capture_output=True, text=True)
        assert done.returncode in codes(command), f"{command}\n{done.stdout}{done.stderr}"
        assert done.stdout


def test_a_comment_says_how_a_command_ends() -> None:
    assert codes("thresher run x.toml") == {0}
    assert codes("thresher run x.toml  # exits with 1 or 2: it depends on luck") == {1, 2}


def test_the_readme_has_an_example_of_five_lines() -> None:
    assert len([line for line in script("README.md").splitlines() if line]) == 5
