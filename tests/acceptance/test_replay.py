"""What ``make replay`` prints, on small data of the same shape, and on the real ones where they are."""

import csv
import gzip
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.checkout import CHECKOUT

REAL = Path(os.environ.get("THRESHER_DATA", CHECKOUT.parent / "shared" / "data"))


def replay(folder: Path, *options: str) -> str:
    words = [sys.executable, "-m", "benchmarks.replay", str(folder), *options]
    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def shown_rows(*, of_columns: int) -> list[list[str]]:
    """Return the rows of the table on the page that has this many columns."""
    page = (CHECKOUT / "docs" / "explanation" / "replay.md").read_text()
    rows = [cells(line) for line in page.splitlines() if line.startswith("|")]
    return [row for row in rows if len(row) == of_columns][2:]


def write(folder: Path, name: str, rows: Sequence[Mapping[str, object]]) -> None:
    with gzip.open(folder / name, "wt", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a folder with three arms of every kind: far below every bar, near them, far above."""
    rates = {"low": 0.0, "middle": 0.5, "high": 1.0}
    answers = [
        {"benchmark": benchmark, "model": model, "item": item, "correct": int(item < 20 * rate)}
        for benchmark in ("gsm", "math-l5")
        for model, rate in rates.items()
        for item in range(20)
    ]
    labels = [
        {"task": task, "item": item, "worker": worker, "label": int(worker < 20 * rate), "gold": 1}
        for task in ("bluebird", "duck")
        for item, rate in rates.items()
        for worker in range(20)
    ]
    tests = [{"row": i, "project": "p", "fails": 1 + 40 * i, "runs": 100, "group": i} for i in range(3)]
    write(tmp_path, "llm_zeroeval.csv.gz", answers)
    write(tmp_path, "crowd_birds.csv.gz", labels)
    write(tmp_path, "flaky_tests.csv.gz", tests)
    return tmp_path


def test_every_set_bar_and_budget_has_a_line(small: Path) -> None:
    lines = [cells(line) for line in replay(small, "--runs", "4").splitlines() if line.startswith("|")][2:]
    assert len(lines) == 7 * 3 * 3
    assert [line[3] for line in lines[:3]] == ["10", "30", "100"]
    assert {line[2] for line in lines} == {"3"}
    # 30 per arm is more than the 20 that each arm has: drawing without replacement exhausts them.
    settled = [line for line in lines if line[3] != "10" and line[0] in ("gsm", "math-l5", "bluebird", "duck")]
    assert len(settled) == 24
    assert {line[-1] for line in settled} == {"none by either"}


def test_without_data_it_says_so_and_ends_well(tmp_path: Path) -> None:
    assert replay(tmp_path / "nothing").startswith("Skipped: no data in ")


@pytest.mark.nightly
@pytest.mark.skipif(not REAL.is_dir(), reason=f"no data in {REAL}; name their folder in THRESHER_DATA")
def test_the_page_shows_what_is_printed() -> None:
    shown = shown_rows(of_columns=8)
    printed = [cells(line) for line in replay(REAL, "--runs", "8").splitlines() if line.startswith("|")][2:]
    assert [line[:4] for line in shown] == [line[:4] for line in printed]
    # Even sampling over eight runs: its mean is within six standard errors (a mistake count is over-dispersed by far
    # less than its own size) of the page's. False alarms over 63 rows: below 1e-6.
    for mine, theirs in zip(printed, shown, strict=True):
        mean, expected = float(mine[5]), float(theirs[5])
        assert abs(mean - expected) <= 6.0 * (expected / 8.0) ** 0.5 + 0.01, (mine, theirs)


def test_on_math_stopping_makes_about_half_the_mistakes_of_even_sampling() -> None:
    [row] = [row for row in shown_rows(of_columns=8) if row[:4] == ["math-l5, endless", "0.5", "41", "100"]]
    assert 0.4 < float(row[6]) < 0.6


def test_the_short_table_has_rows_of_the_long_one() -> None:
    long = [[f"{name}, {bar}", each, *figures] for name, bar, _, each, *figures, _ in shown_rows(of_columns=8)]
    assert [row for row in shown_rows(of_columns=5) if row not in long] == []
