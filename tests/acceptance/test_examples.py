"""Every example runs as its page says."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT

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


@pytest.mark.nightly
def test_benchmark(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "benchmark", tmp_path / "benchmark")
    run("answers.py", "--models", "6", "--questions", "40", folder=folder)
    again = (folder / "answers.csv").read_bytes()
    run("answers.py", "--models", "6", "--questions", "40", folder=folder)
    assert (folder / "answers.csv").read_bytes() == again
    done = subprocess.run(
        [sys.executable, "-m", "thresher", "run", "--budget", "240", "spec.toml"],
        cwd=folder, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "0 undecided on these 40 items" in " ".join(done.stdout.split())
    run("-m", "thresher", "report", "benchmark", "--out", "benchmark.html", folder=folder)
    assert "Outcomes of 6 arms on 40 items" in (folder / "benchmark.html").read_text()
    run("-m", "thresher", "export", "benchmark", "--what", "items", "--out", "items.csv", folder=folder)
    assert len((folder / "items.csv").read_text().splitlines()) == 41


def test_compression(tmp_path: Path) -> None:
    printed = run(EXAMPLES / "compression" / "run.py", "--out", tmp_path, "--budget", "80")
    assert printed.startswith("Fast enough: ")
    words = ("✔ pass", "✘ fail", "leaning", "too close to call")
    assert sum(any(word in line for word in words) for line in printed.splitlines() if "  " in line) == 24
    assert max(map(len, printed.partition("Report: ")[0].splitlines())) <= 80
    assert (tmp_path / "compression.db").exists()
    assert (tmp_path / "compression.md").read_text().startswith("# compression ")
    page = (tmp_path / "compression.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count('<td class="decision"><span class="verdict') == 24
    assert "compression.html" in printed
    assert f"serve --db sqlite:///{tmp_path / 'compression.db'}" in printed


@pytest.mark.nightly
def test_inspect_ai_measures_a_part_of_the_samples(tmp_path: Path) -> None:
    printed = run(EXAMPLES / "inspect-ai" / "compare.py", folder=tmp_path).splitlines()
    decisions = {line.split()[1]: line.split()[2] for line in printed[:-1]}
    good = {"mockllm/strong": "pass", "mockllm/good": "pass"}
    assert decisions == good | {"mockllm/weak": "fail", "mockllm/poor": "fail"}
    assert int(printed[-1].split()[0]) < 800
