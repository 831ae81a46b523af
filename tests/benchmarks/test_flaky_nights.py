"""Nights of the other plugins are simulated as these plugins rerun; a decision counts once it stays right."""

import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path

import pytest

from benchmarks import flaky_nights
from benchmarks.flaky_nights import RERUNS, Classified, classify, repeat, rerun_failures, until_it_passes


def test_failures_are_repeated_until_they_pass_twice_at_most() -> None:
    assert [reruns for reruns, _ in islice(rerun_failures(1.0, random.Random(0), 100), 3)] == [2, 2, 2]
    assert [reruns for reruns, _ in islice(rerun_failures(0.0, random.Random(0), 100), 3)] == [0, 0, 0]


SUITE = """
import random
from pathlib import Path

import pytest

@pytest.mark.parametrize("i", range(20))
def test_it(i):
    with Path(__file__).with_name("runs").open("a") as file:
        file.write(f"{i}\\n")
    run = Path(__file__).with_name("runs").read_text().split().count(str(i))
    assert random.Random(f"{i} {run}").random() >= 0.6
"""


def outcome_of(test: int) -> Callable[[], bool]:
    """Return the runs of a test of the suite, one after the other."""
    runs = count(1)
    return lambda: random.Random(f"{test} {next(runs)}").random() >= 0.6


def test_the_rule_is_that_of_the_real_plugin(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SUITE)
    words = ["-q", "-p", "no:cacheprovider", "-p", "pytest_rerunfailures", "--reruns", str(RERUNS)]
    own = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True)
    played = {test: until_it_passes(outcome_of(test)) for test in range(20)}
    assert {len(runs) for runs in played.values()} == {1, 2, 3}
    runs = Counter(map(int, (tmp_path / "runs").read_text().split()))
    assert runs == {test: len(runs) for test, runs in played.items()}, done.stdout
    red = {int(test) for test in re.findall(r"^FAILED test_it.py::test_it\[(\d+)\]", done.stdout, re.MULTILINE)}
    assert red == {test for test, runs in played.items() if not runs[-1]} != set()


def test_repeats_spend_the_budget_equally() -> None:
    assert [reruns for reruns, _ in islice(repeat(0.5, random.Random(0), 100), 2)] == [100, 100]


@pytest.mark.parametrize("plugin", flaky_nights.PLUGINS)
def test_a_broken_test_is_found_by_every_plugin(plugin: str) -> None:
    found = classify(plugin, 1.0, seed=0, budget=100, nights=3)
    assert found.night <= 2
    assert found.wrong == 0


def test_a_decision_counts_from_the_night_after_which_it_stays_right(monkeypatch: pytest.MonkeyPatch) -> None:
    nights = [(5, "fail"), (6, "pass"), (7, "open"), (8, "fail"), (9, "fail")]
    monkeypatch.setitem(flaky_nights.PLUGINS, "played", lambda *_: iter(nights))
    assert classify("played", 0.3, seed=0, budget=100, nights=5) == Classified(4, 26, 1)
