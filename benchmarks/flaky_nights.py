"""How many nights and reruns until a flaky test is classified: ours beside pytest-rerunfailures and pytest-repeat.

    python -m benchmarks.flaky_nights nights sessions

``nights`` simulates the outcomes of tests; which test is rerun, and all decisions, are made by the code of the plugin.
The other two plugins only rerun: the outcomes that they produce are judged by the same decisions. ``sessions`` runs
pytest itself, with the real plugins, to show what each of them reports. The two are installed into an environment of
their own.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from benchmarks.compare.bench_simulator import python_of
from thresher.live import Campaign
from thresher.pytest_plugin.history import History
from thresher.pytest_plugin.night import Night
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.tally import Test, TestRun
from thresher.report import markdown_table
from thresher.storage.memory import MemoryStorage

BAR, TESTS, FLAKY = 0.98, 50, "flaky"
RATES = (0.01, 0.05, 0.3)
RERUNS = 2  # of each failure by pytest-rerunfailures; runs of each test beside the first by pytest-repeat
NAMES = (FLAKY, *(f"good{i}" for i in range(1, TESTS)))


@dataclass(frozen=True)
class Classified:
    """How a test was decided over some nights: when it was right for good, reruns until then, wrong nights."""

    night: float
    reruns: float
    wrong: int


def ours(rate: float, draw: random.Random, budget: int) -> Iterator[tuple[int, str]]:
    """Yield the reruns of each night, and the decision on the flaky test after it."""
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "history.db")
        while True:
            night = Night(budget=RerunBudget(budget), past=history.load())
            for name in NAMES:
                night.first(Test(name, BAR, 1.0, "source"), _run(name, rate, draw))
            while (chosen := night.next()) is not None:
                night.rerun(chosen, _run(chosen, rate, draw))
            decisions = {each.test.name: each.verdict.decision for each in night.judge()}
            history.keep(night.kept("2026-11-17"))
            yield int(night.spent), decisions[FLAKY]


def rerun_failures(rate: float, draw: random.Random, budget: int) -> Iterator[tuple[int, str]]:
    """Yield the same for ``--reruns 2``: a failure is repeated until it passes, twice at most."""
    runs, failures = 0, 0
    for night in count(1):
        outcomes = [_run(FLAKY, rate, draw).passed]
        while not outcomes[-1] and len(outcomes) <= min(RERUNS, budget):
            outcomes.append(_run(FLAKY, rate, draw).passed)
        runs, failures = runs + len(outcomes), failures + outcomes.count(False)
        yield len(outcomes) - 1, _decision(runs, failures, others=night)


def repeat(rate: float, draw: random.Random, budget: int) -> Iterator[tuple[int, str]]:
    """Yield the same for ``--count``: the budget goes to all tests in equal parts."""
    runs, failures, each = 0, 0, budget // TESTS
    for night in count(1):
        outcomes = [_run(FLAKY, rate, draw).passed for _ in range(1 + each)]
        runs, failures = runs + len(outcomes), failures + outcomes.count(False)
        yield each * TESTS, _decision(runs, failures, others=night * (1 + each))


PLUGINS: dict[str, Callable[[float, random.Random, int], Iterator[tuple[int, str]]]] = {
    "thresher": ours,
    "pytest-repeat": repeat,
    "pytest-rerunfailures": rerun_failures,
}


def _run(name: str, rate: float, draw: random.Random) -> TestRun:
    return TestRun(name != FLAKY or draw.random() >= rate)


def _decision(runs: int, failures: int, *, others: int) -> str:
    """Return the decision on the flaky test, beside tests that passed in all of so many runs."""
    campaign = Campaign.create(MemoryStorage(), "runs", arms=NAMES, threshold=BAR, budget=TESTS)
    campaign.tell_counts(FLAKY, n=runs, total=float(runs - failures), paid=False)
    for name in NAMES[1:]:
        campaign.tell_counts(name, n=others, total=float(others), paid=False)
    return campaign.verdicts()[0].decision


def classify(plugin: str, rate: float, *, seed: int, budget: int, nights: int) -> Classified:
    """Return from which night on the decision on the flaky test of a simulated suite is right, to the last night."""
    right = "pass" if 1.0 - rate > BAR else "fail"
    found = list(islice(PLUGINS[plugin](rate, random.Random(seed), budget), nights))
    wrong = sum(decision not in (right, "open") for _, decision in found)
    before = max((number for number, (_, decision) in enumerate(found, start=1) if decision != right), default=0)
    if before == nights:
        return Classified(math.inf, math.inf, wrong)
    return Classified(before + 1, sum(reruns for reruns, _ in found[: before + 1]), wrong)


def print_nights(suites: int, budget: int, nights: int) -> None:
    """Print how many nights and reruns it takes until the flaky test is decided rightly for good."""
    rows = []
    for rate in RATES:
        for plugin in PLUGINS:
            found = [classify(plugin, rate, seed=seed, budget=budget, nights=nights) for seed in range(suites)]
            rows.append([f"{100 * rate:g} %", plugin, *_cells(found, nights)])
            print(f"{rate:.0%} {plugin} done", file=sys.stderr)
    print(
        f"{TESTS} tests, one of them flaky, bar {BAR:g}, {budget} reruns a night, {nights} nights, {suites} suites:\n"
    )
    heads = ["fails in", "plugin", "nights", "9 of 10 suites", "reruns until then", "nights wrong"]
    print(markdown_table(heads, rows))


def _cells(found: Sequence[Classified], nights: int) -> list[str]:
    """Return the median number of nights, the ninth decile, the median number of reruns, the share of wrong nights."""
    numbers = sorted(each.night for each in found)
    reruns = statistics.median_low(each.reruns for each in found)
    wrong = sum(each.wrong for each in found) / (nights * len(found))
    ends = statistics.median_low(numbers), numbers[math.ceil(0.9 * len(numbers)) - 1]
    shown = [f"{end:g}" if math.isfinite(end) else f"more than {nights}" for end in ends]
    return [*shown, f"{reruns:,.0f}" if math.isfinite(reruns) else "–", f"{wrong:.1%}"]


SUITE = """
import random
from pathlib import Path

import pytest

@pytest.mark.parametrize("i", range(9))
def test_good(i):
    pass

def test_flaky():
    log = Path(__file__).with_name("runs.txt")
    runs = log.read_text().count("\\n") if log.exists() else 0
    passed = random.Random(f"{runs} SEED").random() >= RATE
    with log.open("a") as file:
        file.write(f"{passed}\\n")
    assert passed
"""
SESSIONS = {
    "no plugin": [],
    "pytest-rerunfailures": ["-p", "pytest_rerunfailures", "--reruns", str(RERUNS)],
    "pytest-repeat": ["-p", "pytest_repeat", "--count", str(1 + RERUNS)],
    "thresher": ["-p", "thresher.pytest_plugin", "--thresher-bar", str(BAR), "--thresher-budget", str(10 * RERUNS)],
}


def print_sessions(nights: int, seed: int) -> None:
    """Print what pytest reports over some nights, with each of the real plugins."""
    rows = [
        [f"{100 * rate:g} %", plugin, *map(str, run_sessions(plugin, rate, nights=nights, seed=seed))]
        for rate in (0.05, 0.3)
        for plugin in SESSIONS
    ]
    print(f"\n10 tests, one of them flaky, {nights} sessions of pytest:\n")
    heads = ["fails in", "plugin", "red nights", "runs of the flaky test", "failures", "said in the end"]
    print(markdown_table(heads, rows))


def run_sessions(plugin: str, rate: float, *, nights: int, seed: int) -> tuple[int, int, int, str]:
    """Return how many sessions were red, how often the flaky test ran and failed, and what the last session said."""
    python = Path(sys.executable) if plugin == "thresher" else python_of("flaky")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_it.py").write_text(SUITE.replace("SEED", str(seed)).replace("RATE", str(rate)))
        red, done = 0, None
        for _ in range(nights):
            command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *SESSIONS[plugin]]
            alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1):
                raise RuntimeError(done.stdout + done.stderr)
            red += done.returncode
        outcomes = (Path(folder) / "runs.txt").read_text().split()
    assert done is not None
    lines = [line.strip() for line in done.stdout.splitlines()]
    about = [line for line in lines if line.startswith("test_it.py::test_flaky: ")]
    return red, len(outcomes), outcomes.count("False"), (about or lines)[-1].split(": ", 1)[-1]


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=["nights", "sessions"])
    parser.add_argument("--suites", type=int, default=20, help="Simulated suites for each row.")
    parser.add_argument("--budget", type=int, default=100, help="Reruns of a simulated night.")
    parser.add_argument("--nights", type=int, default=40, help="Simulated nights.")
    parser.add_argument("--sessions", type=int, default=20, help="Sessions of pytest.")
    parser.add_argument("--seed", type=int, default=0, help="Random seed of the sessions.")
    given = parser.parse_args()
    if "nights" in given.parts:
        print_nights(given.suites, given.budget, given.nights)
    if "sessions" in given.parts:
        print_sessions(given.sessions, given.seed)


if __name__ == "__main__":
    main()
