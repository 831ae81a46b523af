"""Processor time and modules of ours of every first step, on a new installation (no compiled code) and a later one.

Every command is a process of its own. Its processor time is that of all its threads, in seconds; the least of some
rounds is printed, since a busy machine only adds to it. *First* has an empty cache of compiled code, *later* one that
the first has filled. *Modules* counts the entries of ``sys.modules`` that are ours at the end of a later one, and
``numba`` or ``scipy`` follow if it has loaded them.

A command may take the seconds in `at most` on a processor that imports NumPy in 0.1 seconds.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.passed_modules import served_campaign
from thresher.campaign import Campaign

THRESHER = str(Path(sys.executable).parent / "thresher")
OURS, HEAVY = "thresher", ("numba", "scipy")
README = """
import thresher as th
problem = th.Problem.gaussian([0.5, -0.2, 0.1, -0.8], thresholds=0.0, sigma=1.0)
th.simulate(problem, ["uniform", "lsa", "stopping"], budgets=[50, 200], runs=500, seed=1)
"""
QUICKSTART = """
import thresher as th
problem = th.Problem.bernoulli([0.97, 0.93, 0.88, 0.77, 0.62, 0.5], thresholds=0.8)
th.simulate(problem, ["uniform", "lsa:evidence=kl", "stopping"], budgets=[60, 300], runs=400, seed=1)
"""
CLIENT = """
import sys, thresher as th
campaign = th.Campaign.open(sys.argv[1], "coins", token=sys.argv[2])
campaign.tell(campaign.ask(), True)
campaign.verdicts()
"""
# The campaign of the quickstart when its budget is spent: of each arm the measurements and the right answers.
PROMPTS = {
    "terse": (47, 44), "polite": (54, 50), "formal": (128, 108), "plain": (18, 8), "playful": (27, 15),
    "rambling": (26, 14),
}  # fmt: skip
MARK = "modules:"
LISTING = f"""
import atexit, runpy, sys
atexit.register(lambda: print({MARK!r}, *sys.modules, file=sys.stderr))
program, sys.argv = (sys.argv[2], sys.argv[2:]) if sys.argv[1] == "-c" else ("", sys.argv[1:])
exec(program) if program else runpy.run_path(sys.argv[0], run_name="__main__")
"""
SMALL = ["simulate", "linear", "--policy", "lsa", "--policy", "stopping", "--budget", "500", "--runs", "200"]
LARGE = ["simulate", "linear", "--policy", "lsa", "--budget", "2000", "--runs", "5000"]
LARGEST = ["simulate", "linear", "--policy", "lsa", "--budget", "20000", "--runs", "10000"]


@dataclass(frozen=True)
class Step:
    """One command: its words after the interpreter, and the seconds that it may take first and later."""

    name: str
    words: Callable[[], list[str]]
    first: float | None = None
    later: float | None = None


def command(*words: str) -> Callable[[], list[str]]:
    """Return the words of a command of thresher."""
    return lambda: [THRESHER, *words]


def steps(address: str, token: str) -> list[Step]:
    """Return all commands, in the order in which they are run; `address` is that of a service with a campaign."""

    def new() -> list[str]:
        return [THRESHER, "new", os.urandom(4).hex(), "--arm", "a", "--arm", "b", "--bar", "0.5", "--budget", "9"]

    def tell() -> list[str]:
        done = subprocess.run([sys.executable, THRESHER, "ask", "coins"], check=True, capture_output=True, text=True)
        return [THRESHER, "tell", "coins", done.stdout.split()[0], "yes"]

    return [
        Step("import numpy", lambda: ["-c", "import numpy"]),
        Step("import thresher", lambda: ["-c", "import thresher"]),
        Step("thresher --help", command("--help")),
        Step("th.Campaign", lambda: ["-c", "import thresher; thresher.Campaign"]),
        Step("new", new, 0.6, 0.6),
        Step("ask", command("ask", "coins"), 0.6, 0.6),
        Step("tell", tell, 0.6, 0.6),
        Step("list", command("list", "coins"), 0.6, 0.6),
        Step("HTTP client", lambda: ["-c", CLIENT, address, token], 0.6, 0.6),
        Step("verdicts", command("verdicts", "coins"), 3.0, 1.5),
        Step("verdicts with a forecast", command("verdicts", "prompts"), 3.0, 1.5),
        Step("simulation of the README", lambda: ["-c", README], 5.0, 5.0),
        Step("simulation of the quickstart", lambda: ["-c", QUICKSTART], 5.0, 5.0),
        Step("simulate, 200 thousand pulls", command(*SMALL), 5.0, 5.0),
        Step("simulate, 10 million pulls", command(*LARGE), 30.0),
        Step("simulate, 200 million pulls", command(*LARGEST), 30.0),
    ]


def campaign_to_forecast() -> None:
    """Create the campaign of the quickstart, whose verdicts say what more budget would decide."""
    campaign = Campaign.create(os.environ["THRESHER_DB"], "prompts", arms=[*PROMPTS], threshold=0.8, budget=300)
    for arm, (n, total) in PROMPTS.items():
        campaign.tell_counts(arm, n=n, total=total)
    assert campaign.verdicts().offer is not None
    campaign.disconnect()


def run(words: list[str], cache: str) -> str:
    """Run Python with these words and a cache of compiled code; return its standard error."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=True)
    return done.stderr


def seconds_of(words: list[str], cache: str) -> float:
    """Return the processor seconds of one process."""
    before = os.times()
    run(words, cache)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def modules_of(words: list[str], cache: str) -> list[str]:
    """Return the modules that a process has loaded when it ends."""
    return run(["-c", LISTING, *words], cache).rpartition(MARK)[2].split()


def measure(step: Step, rounds: int) -> str:
    """Return the row of a command."""
    first, later = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            first.append(seconds_of(step.words(), cache))
            later.append(seconds_of(step.words(), cache))
            names = modules_of(step.words(), cache)
    ours = sum(name.partition(".")[0] == OURS for name in names)
    heavy = [name for name in HEAVY if name in names]
    limits = "" if step.first is None else f"{step.first:g}" + ("" if step.later is None else f", {step.later:g}")
    return f"{step.name:30} {min(first):7.2f} {min(later):7.2f}   {limits:9} {ours:7}  {' '.join(heavy)}".rstrip()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of every command (default: 3)")
    rounds = parser.parse_args().rounds
    versions = f"Python {platform.python_version()}, numpy {version('numpy')}, numba {version('numba')}"
    print(f"{versions}, {platform.machine()}; least of {rounds} rounds")
    print(f"{'':30} {'first':>7} {'later':>7}   {'at most':9} modules")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["THRESHER_DB"] = f"sqlite:///{folder}/startup.db"
        campaign_to_forecast()
        with served_campaign(os.environ["THRESHER_DB"]) as (address, token):
            for step in steps(address, token):
                print(measure(step, rounds), flush=True)


if __name__ == "__main__":
    main()
