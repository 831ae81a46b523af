"""Every example on a page runs.

A fenced block with a title is a file that the page uses; `python` blocks of a page are one script; lines of a
`console` block that begin with `$` are commands, which run one after the other in one folder; a later version of a
file is written when the page comes to it. A comment behind one
says how it ends if not well: `# exits with 1`, or `# exits with 1 or 2`. Files of other tools that a command names are
those of tests/unit/run/importers/data. Other blocks are not run. A `text` block right after a `python` block is what
the script prints there; one after a `console` block and a paragraph that begins with "The first command" is what that
command prints.
"""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reproduction.__main__ import app as reproduction
from tests.support.checkout import CHECKOUT
from thresher.cli.main import main, run_app
from thresher.pytest_plugin.__main__ import main as pytest_plugin

BLOCK = re.compile(r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```python\n(?:(?!```)[^\n]*\n)+```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST_COMMAND = re.compile(
    r"^```console\n\$ (?P<command>[^\n]+)\n(?:(?!```).)*?^```\n\n"
    r"The first command[^\n]*\n\n```text\n(?P<output>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SAMPLES = CHECKOUT / "tests" / "unit" / "run" / "importers" / "data"
PAGES = ["README.md", *(str(path.relative_to(CHECKOUT)) for path in sorted((CHECKOUT / "docs").rglob("*.md")))]


def blocks(page: str) -> list[dict[str, str | None]]:
    """Return the fenced blocks of a page, with language, title and text."""
    return [match.groupdict() for match in BLOCK.finditer((CHECKOUT / page).read_text())]


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows, and those of other tools that its commands name."""
    for block in reversed(blocks(page)):  # of several versions of a file, the first
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


def outputs(page: str) -> list[str]:
    """Return the outputs that a page shows right after its Python blocks."""
    return OUTPUT.findall((CHECKOUT / page).read_text())


def captures(page: str) -> dict[str, str]:
    """Return what a page shows of the output of its commands, by the command."""
    return dict(FIRST_COMMAND.findall((CHECKOUT / page).read_text()))


def commands(page: str) -> list[str]:
    """Return the commands of a page."""
    return [command for block in blocks(page) for command in commands_in(block)]


def commands_in(block: dict[str, str | None]) -> list[str]:
    """Return the commands of a block."""
    return re.findall(r"^\$ (.+)$", block["text"] or "", re.MULTILINE) if block["language"] == "console" else []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder, from which modules can be imported; what is imported from there is forgotten again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


# What a page by night shows is run by day on another one, or by the commands of the same page.
@pytest.mark.nightly(
    "docs/explanation/stopping-index.md",
    "docs/explanation/control-arm.md",
    "docs/explanation/why-adaptive.md",
    "docs/howto/many-machines.md",
    "docs/howto/own-policy.md",
)
@pytest.mark.parametrize("page", [page for page in PAGES if script(page)])
def test_the_python_of_a_page_runs(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(page, folder)
    (folder / "example.py").write_text(script(page))
    runpy.run_path(str(folder / "example.py"), run_name="__main__")  # in this process: another one loads for seconds
    printed = capsys.readouterr().out
    assert printed
    assert [shown for shown in outputs(page) if shown not in printed] == []


def codes(command: str) -> set[int]:
    """Return how a command may end."""
    said = re.search(r"# exits with (\d(?: or \d)*)", command)
    return {int(code) for code in said[1].split(" or ")} if said else {0}


@pytest.mark.nightly(
    "docs/explanation/stopping-index.md",
    "docs/howto/find-flaky-tests.md",
    "docs/howto/plan-a-budget.md",
    "docs/howto/submit-a-policy.md",
    "docs/howto/compare-with-theory.md",
    "docs/howto/reproduce-a-figure.md",
    "docs/explanation/control-arm.md",
    "docs/explanation/statements.md",
    "docs/explanation/fixed-confidence.md",
    "docs/explanation/literature-baselines.md",
    "docs/explanation/literature-reproduced.md",
)
@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_the_commands_of_a_page_run(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(page, folder)
    shown = captures(page)
    for block in blocks(page):
        if block["title"]:
            (folder / block["title"]).write_text(block["text"] or "")
        for command in commands_in(block):
            run_command(command, shown.pop(command, ""), capsys)
    assert shown == {}


def run_command(command: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command, which must end as the page says and print what the page shows."""
    program, *arguments = shlex.split(command, comments=True)
    code, printed = PROGRAMS[program](arguments, capsys)
    assert code in codes(command), f"{command}\n{printed}"
    assert printed
    assert shown in printed


def test_some_pages_show_the_output_of_a_command() -> None:
    assert [page for page in PAGES if captures(page)] == [
        "docs/howto/count-an-experiment.md",
        "docs/howto/import-logs.md",
    ]


def thresher(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """Run the command line in this process; return its exit code and what it printed."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(arguments)
    printed = capsys.readouterr()
    return left.value.code, printed.out or printed.err * bool(left.value.code)


def run_pytest(arguments: list[str], _: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """Run pytest in a process of its own, as if this one were not pytest too."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([sys.executable, "-m", "pytest", *arguments], env=own, capture_output=True, text=True)
    return done.returncode, done.stdout


def run_python(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """Run a module in this process; return its exit code and what it printed."""
    capsys.readouterr()
    if arguments[:2] == ["-m", "thresher.pytest_plugin"]:
        return pytest_plugin(arguments[2:]), capsys.readouterr().out
    assert arguments[:2] == ["-m", "reproduction"]
    with pytest.raises(SystemExit) as left:
        run_app(reproduction, arguments[2:])
    return left.value.code, capsys.readouterr().out


PROGRAMS = {"thresher": thresher, "pytest": run_pytest, "python": run_python}


def test_a_comment_says_how_a_command_ends() -> None:
    assert codes("thresher run x.toml") == {0}
    assert codes("thresher run x.toml  # exits with 1 or 2: it depends on the seed") == {1, 2}


def test_the_readme_has_an_example_of_five_lines() -> None:
    assert len([line for line in script("README.md").splitlines() if line]) == 5
