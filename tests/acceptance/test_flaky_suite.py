"""A suite with known rates of failure, over some nights of real sessions: what is found, and what is never accused."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SUITE = """
import random
from pathlib import Path

import pytest

RATES = {"never": (0.0, 24), "0.5%": (0.005, 2), "2%": (0.02, 2), "10%": (0.1, 2), "30%": (0.3, 1)}
TESTS = {f"{name} {i}": rate for name, (rate, size) in RATES.items() for i in range(size)}

@pytest.mark.parametrize("name", TESTS)
def test_it(name):
    log = Path(__file__).with_name(f"{name}.runs")
    runs = log.stat().st_size if log.exists() else 0
    with log.open("a") as file:
        file.write("x")
    assert random.Random(f"{name} {runs} 12").random() >= TESTS[name]
"""
NIGHTS, RERUNS = 3, 60


def night(folder: Path) -> tuple[int, str]:
    """Run one session; return its exit code and what it printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "THRESHER_"))}
    words = ["-p", "no:cacheprovider", "--tb=no", "-q", "--thresher-bar", "0.98", "--thresher-budget", str(RERUNS)]
    command = [sys.executable, "-m", "pytest", "test_it.py", *words]
    done = subprocess.run(command, cwd=folder, env=own | {"COLUMNS": "80"}, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode, done.stdout


def verdicts(folder: Path) -> dict[str, str]:
    """Return the decision on each test that the history shows."""
    command = [sys.executable, "-m", "thresher", "verdicts", "--db", "sqlite:///.thresher-pytest.db", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return {row["arm"]: row["decision"] for row in json.loads(done.stdout)["verdicts"]}


@pytest.mark.nightly
def test_frequent_failures_are_found_by_the_third_night_and_no_reliable_test_is_accused(tmp_path: Path) -> None:
    # Outcomes are fixed numbers. With other seeds the 30 % test would fail in none of its nine first runs, and so not
    # be found, with a chance of 0.7⁹ = 0.04; a test that never fails can be accused by no seed.
    # Which tests are rerun depends on how long they take: the decision may fall in any of the nights.
    (tmp_path / "test_it.py").write_text(SUITE)
    frequent = set[str]()
    for number in range(1, NIGHTS + 1):
        code, printed = night(tmp_path)
        failed = re.findall(r"^FAILED test_it.py::test_it\[([^\]]+)\]", printed, re.MULTILINE)
        assert not [name for name in failed if name.startswith("never")]
        assert code == bool(failed)
        decisions = verdicts(tmp_path)
        frequent.add(decisions["test_it.py::test_it[30% 0]"])
        counts = re.search(r"thresher: (\d+) pass, (\d+) fail, (\d+) undecided", printed)
        assert counts is not None
        shown = [*decisions.values()]
        assert [*map(int, counts.groups())] == [shown.count(each) for each in ("pass", "fail", "open")]
        reliable = [name for name in decisions if "[never" in name or "[0.5%" in name]
        assert len(reliable) == 26
        assert not [name for name in reliable if decisions[name] == "fail"]
        spent = re.search(rf"(\d+) of {RERUNS} reruns used", printed)
        assert spent is not None, f"night {number}"
    assert "fail" in frequent
    assert "pass" not in frequent
    # What follows is pytest's own summary, whose lines are as long as the messages of the failures if CI is set.
    report, _, _ = printed[printed.index("thresher: ") :].partition("\n=")
    assert [line for line in report.splitlines() if len(line) > 80] == []
