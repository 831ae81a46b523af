"""How many nights and reruns until a flaky test is classified: ours, pytest-rerunfailures and pytest-repeat.

    python -m benchmarks.flaky_nights classes same-cost nights sessions

``classes`` simulates eight nights of a suite of 300 tests with five rates of failure, with 600 reruns a night, and
``same-cost`` with the number of reruns that pytest-rerunfailures makes in such nights; ``nights`` simulates suites
with one flaky test. The outcomes of tests are random numbers; which test is rerun, and all decisions, are made by the
code of the plugin. The other two plugins only rerun: :func:`rerunfailures_nights` is the rule of the one, which a test
compares with the real plugin. ``sessions`` runs pytest itself, with the real plugins, to show what each of them
reports. The two are installed into an environment of their own.
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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from itertools import repeat as repeated
from pathlib import Path

from benchmarks.compare.bench_simulator import python_of
from thresher.campaign import Campaign
from thresher.campaign.storage.memory import MemoryStorage
from thresher.pytest_plugin.night import Night
from thresher.pytest_plugin.rerun_budget import RerunBudget
from thresher.pytest_plugin.stored_test import StoredTest
from thresher.pytest_plugin.tally import Test, TestRun
from thresher.report import markdown_table

BAR, TESTS, FLAKY = 0.98, 50, "flaky"
RATES = (0.01, 0.05, 0.3)
RERUNS = 2  # of each failure by pytest-rerunfailures; further runs of each test by pytest-repeat
NAMES = (FLAKY, *(f"good{i}" for i in range(1, TESTS)))


@dataclass(frozen=True)
class Classified:
    """How a test was decided over some nights: when it was right for good, reruns until then, wrong nights."""

    night: float
    reruns: float
    wrong: int


def ours(rate: float, draw: random.Random, budget: int) -> Iterator[tuple[int, str]]:
    """Yield the reruns of each night, and the decision on the flaky test after it."""
    for night in plugin_nights({name: rate if name == FLAKY else 0.0 for name in NAMES}, draw, repeated(budget)):
        decisions = {each.test.name: each.decision for each in night.judge()}
        yield int(night.spending.spent), decisions[FLAKY]


def plugin_nights(rates: Mapping[str, float], draw: random.Random, budgets: Iterable[int]) -> Iterator[Night]:
    """Yield the nights of a suite, each after its last rerun; `rates` are those at which its tests fail."""
    records: dict[str, StoredTest] = {}
    for number, budget in enumerate(budgets, start=1):
        night = Night(budget=RerunBudget(budget), records=records)
        for name, rate in rates.items():
            night.first(Test(name, BAR, 1.0, "source"), TestRun(draw.random() >= rate))
        while (chosen := night.next()) is not None:
            night.rerun(chosen, TestRun(draw.random() >= rates[chosen]))
        yield night
        for name, now in night.stored_as(str(number), number, "2026-11-17").items():
            before = records.get(name, now)
            runs = now.runs if before is now else (*before.runs, *now.runs)
            records[name] = replace(now, runs=runs, since=max(before.since, now.since))


def until_it_passes(run: Callable[[], bool], reruns: int = RERUNS) -> list[bool]:
    """Return whether each run of a test passes under ``--reruns``: a failure is repeated until it passes."""
    outcomes = [run()]
    while not outcomes[-1] and len(outcomes) <= reruns:
        outcomes.append(run())
    return outcomes


def rerunfailures_nights(rates: Mapping[str, float], draw: random.Random) -> Iterator[dict[str, list[bool]]]:
    """Yield the nights of a suite with pytest-rerunfailures: whether each run of each test passed."""
    while True:
        yield {name: until_it_passes(lambda rate=rate: draw.random() >= rate) for name, rate in rates.items()}  # type: ignore[misc]


def rerun_failures(rate: float, draw: random.Random, budget: int) -> Iterator[tuple[int, str]]:
    """Yield the same for ``--reruns 2``: a failure is repeated until it passes, twice at most."""
    runs, failures = 0, 0
    for night in count(1):
        outcomes = until_it_passes(lambda: _run(FLAKY, rate, draw).passed, min(RERUNS, budget))
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
    """Return the decision on the flaky test, in a suite of tests that passed in all of `runs` runs."""
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


CLASSES = {"never": (0.0, 240), "0.5 %": (0.005, 20), "2 %": (0.02, 15), "10 %": (0.1, 15), "30 %": (0.3, 10)}


@dataclass
class ClassNights:
    """What some nights gave for the tests of one class.

    Parameters
    ----------
    decided : list of float
        For each test the night from which on its decision is right, infinite if it never is.
    reruns : int
    wrong : int
        Wrong decisions, counted in each night.
    red : int
        Tests that were red, counted in each night.
    """

    decided: list[float]
    reruns: int = 0
    wrong: int = 0
    red: int = 0


def suite_of(share: float) -> dict[str, float]:
    """Return how often each test of the suite fails, by name, with that share of the tests of each class."""
    sizes = {name: max(round(share * size), 1) for name, (_, size) in CLASSES.items()}
    return {f"{name} {i}": CLASSES[name][0] for name, size in sizes.items() for i in range(size)}


def nights_of_classes(budgets: Sequence[int], seed: int, share: float = 1.0) -> dict[str, ClassNights]:
    """Return what the plugin finds in each class of the suite, with a number of reruns for each night.

    A test exactly at its bar has no right decision.
    """
    rates, draw, nights = suite_of(share), random.Random(seed), len(budgets)
    found = {name: ClassNights([]) for name in CLASSES}
    undecided_until: Counter[str] = Counter()
    for number, night in enumerate(plugin_nights(rates, draw, budgets), start=1):
        for each in night.judge():
            own, right = found[_class_of(each.test.name)], _right(rates[each.test.name])
            own.reruns += each.tally.runs - 1
            own.wrong += each.decision not in (right, "open") and right != "open"
            own.red += each.is_red
            if each.decision != right:
                undecided_until[each.test.name] = number
    for name in rates:
        last = undecided_until[name]
        found[_class_of(name)].decided.append(last + 1 if last < nights else math.inf)
    return found


def _class_of(test: str) -> str:
    return test.rpartition(" ")[0]


def _right(rate: float) -> str:
    passes = round(1.0 - rate, 9)
    return "open" if passes == BAR else "pass" if passes > BAR else "fail"


def print_classes(nights: int, budget: int, seeds: int) -> None:
    """Print what the plugin finds in each class."""
    runs = [nights_of_classes([budget] * nights, seed) for seed in range(seeds)]
    rows = []
    for name, (rate, size) in CLASSES.items():
        shown = [_found_by(runs, name, until) for until in (1, 3, nights)]
        shown = ["–"] * 3 if _right(rate) == "open" else shown
        totals = [_a_night(runs, name, what, nights) for what in ("reruns", "wrong", "red")]
        rows.append([name, str(size), *shown, *totals])
    tests = sum(size for _, size in CLASSES.values())
    print(f"\n{tests} tests, bar {BAR:g}, {budget} reruns a night, {nights} nights, {seeds} suites:\n")
    heads = [
        "fails in", "tests", "right from night 1", "from night 3", f"by night {nights}", "reruns a night",
        "wrong a night", "red a night",
    ]  # fmt: skip
    print(markdown_table(heads, rows))


def print_same_cost(nights: int, seeds: int) -> None:
    """Print what both plugins find with the same number of reruns: those of pytest-rerunfailures in each night."""
    theirs = [list(islice(rerunfailures_nights(suite_of(1.0), random.Random(seed)), nights)) for seed in range(seeds)]
    costs = [[sum(len(runs) - 1 for runs in night.values()) for night in suite] for suite in theirs]
    ours = [nights_of_classes(budgets, seed) for seed, budgets in enumerate(costs)]
    rows = []
    for name, (rate, size) in CLASSES.items():
        failed = "–" if _right(rate) != "fail" else _found_by(ours, name, nights)
        outcomes = [
            runs for suite in theirs for night in suite for test, runs in night.items() if _class_of(test) == name
        ]
        red = sum(not runs[-1] for runs in outcomes) / (nights * seeds)
        rerun = sum(
            any(len(night[test]) > 1 for night in suite)
            for suite in theirs
            for test in suite[0]
            if _class_of(test) == name
        )
        rows.append(
            [name, str(size), failed, *(_a_night(ours, name, what, nights) for what in ("wrong", "red")),
             f"{red:.2f}", f"{rerun / (size * seeds):.0%}"]
        )  # fmt: skip
    spent = statistics.mean(cost for suite in costs for cost in suite)
    print(f"\nThe same nights with the reruns of pytest-rerunfailures --reruns {RERUNS}, {spent:.1f} a night:\n")
    heads = [
        "fails in", "tests", f"decided by night {nights}", "wrong a night", "red a night",
        "red a night by rerunfailures",
        f"rerun by it in {nights} nights",
    ]  # fmt: skip
    print(markdown_table(heads, rows))


def _found_by(runs: Sequence[Mapping[str, ClassNights]], name: str, until: int) -> str:
    decided = [night for run in runs for night in run[name].decided]
    return f"{sum(night <= until for night in decided) / len(decided):.0%}"


def _a_night(runs: Sequence[Mapping[str, ClassNights]], name: str, what: str, nights: int) -> str:
    return f"{sum(getattr(run[name], what) for run in runs) / (len(runs) * nights):.2f}"


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
    parser.add_argument("parts", nargs="+", choices=["classes", "same-cost", "nights", "sessions"])
    parser.add_argument("--suites", type=int, default=20, help="Simulated suites for each row.")
    parser.add_argument("--budget", type=int, default=100, help="Reruns of a simulated night.")
    parser.add_argument("--nights", type=int, default=40, help="Simulated nights.")
    parser.add_argument("--sessions", type=int, default=20, help="Sessions of pytest.")
    parser.add_argument("--seed", type=int, default=0, help="Random seed of the sessions.")
    given = parser.parse_args()
    if "classes" in given.parts:
        print_classes(8, 600, given.suites)
    if "same-cost" in given.parts:
        print_same_cost(8, given.suites)
    if "nights" in given.parts:
        print_nights(given.suites, given.budget, given.nights)
    if "sessions" in given.parts:
        print_sessions(given.sessions, given.seed)


if __name__ == "__main__":
    main()
