"""A league that is killed goes on where it was, and ends with the same result."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from thresher.research.league.leagues import league
from thresher.research.league.results import read_league

PROBLEM, RUNS = "one-hard-few", 20_000
PATIENCE = 300.0  # seconds until something must have happened, on any machine


def stored(path: Path) -> dict[tuple[str, int, int], int]:
    """Return the finished chunks of a file and their row numbers, which change when a row is written again."""
    if not path.exists():
        return {}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT policy, first_run, runs, rowid FROM piece").fetchall()
    except sqlite3.OperationalError:  # it is being created
        return {}
    return {(policy, first, runs): row for policy, first, runs, row in rows}


@pytest.mark.nightly
def test_a_killed_league_goes_on_where_it_was(tmp_path: Path) -> None:
    words = ["league", "--problem", PROBLEM, "--runs", str(RUNS), "--workers", "1", "--out", "out"]
    command = [sys.executable, "-m", "thresher", *words]
    file = tmp_path / "out" / "runs" / f"{PROBLEM}.db"
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    ) as process:
        deadline = time.monotonic() + PATIENCE
        while not stored(file) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = stored(file)
    assert before
    assert process.returncode == -signal.SIGKILL, "it ended before it was killed: give it more runs"
    assert not (tmp_path / "out" / "league.json").exists()
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    after = stored(file)
    assert len(after) > len(before)
    assert {key: after[key] for key in before} == before  # finished chunks were not played again
    whole = league(problems=[PROBLEM], runs=RUNS)
    assert read_league(tmp_path / "out" / "league.json").cells == whole.cells
