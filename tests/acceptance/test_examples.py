"""Every example runs as its page says."""

import subprocess
import sys
from pathlib import Path

import pytest

from numba_cache import CHECKOUT

EXAMPLES = CHECKOUT / "examples"


def run(*words: str | Path, code: int = 0, folder: Path = CHECKOUT) -> str:
    """Run a Python program; return what it prints."""
    done = subprocess.run([sys.executable, *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("folder", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
def test_every_example_has_a_page(folder: str) -> None:
    page = (EXAMPLES / folder / "README.md").read_text()
    assert page.startswith("# ")
    assert "```sh\n" in page
    assert folder in (EXAMPLES / "README.md").read_text()


def test_compression(tmp_path: Path) -> None:
    printed = run(EXAMPLES / "compression" / "run.py", "--out", tmp_path, "--budget", "80")
    assert printed.startswith("Fast enough: ")
    words = ("✔ pass", "✘ fail", "leaning", "too close to call")
    assert sum(any(word in line for word in words) for line in printed.splitlines() if "  " in line) == 24
    assert max(map(len, printed.partition("Report: ")[0].splitlines())) <= 80
    assert "At this budget uniform sampling gets" in printed
    assert (tmp_path / "compression.db").exists()
    assert (tmp_path / "compression.md").read_text().startswith("# compression ")
    page = (tmp_path / "compression.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count('<tr><td><span class="verdict') == 24
    assert "compression.html" in printed
    assert f"serve --db sqlite:///{tmp_path / 'compression.db'}" in printed
