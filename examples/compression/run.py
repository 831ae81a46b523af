"""Decide which compression settings are fast enough on this machine, and compare the result with uniform sampling.

``make run`` runs this script. A setting passes if it takes at most 1.5 times as long as zlib at its default level.
"""

import argparse
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from thresher.cli.decisions import show_decisions, wrapped
from thresher.cli.live_table import watching
from thresher.cli.report import html_of
from thresher.cli.run import next_step_of
from thresher.cli.show import answer, say
from thresher.live import Campaign
from thresher.problem import Problem
from thresher.runner import Finished, Run, RunSpec, load_spec
from thresher.runner.summaries import markdown_summary

HERE = Path(__file__).parent
RUNS = 400  # simulated campaigns per policy


def samples(campaign: Campaign) -> dict[str, list[float]]:
    """Return the outcomes of every arm of a campaign, read from its event log."""
    names = [row.arm for row in campaign.verdicts()]
    arm_of: dict[int, str] = {}
    found: dict[str, list[float]] = {name: [] for name in names}
    for entry in campaign.history():
        if entry.kind == "asked":
            arm_of |= {number: names[position] for number, _, position in entry.details["pulls"]}
        if entry.kind == "told":
            for number, value in entry.details["outcomes"]:
                found[arm_of[number]].append(value)
    return found


def show(finished: Finished) -> None:
    """Print which settings are fast enough, then the decision on each."""
    fast = [row.arm for row in finished.verdicts if row.decision == "pass"]
    answer(wrapped(f"Fast enough: {', '.join(fast) or 'none'}.") + "\n")
    show_decisions(finished.verdicts, finished.standing, step=next_step_of(finished))


def compare(spec: RunSpec, found: dict[str, list[float]]) -> None:
    """Simulate the campaign and uniform sampling on the measured times; print the mistakes of each."""
    import thresher as th

    problem = Problem.replay(
        found, spec.bar, family="gaussian-unknown-variance", replacement=True, name="measured times"
    )
    say("Simulating the same budget on the measured times …")
    result = th.simulate(problem, ["stopping", "uniform"], budgets=[spec.budget], runs=RUNS, say=say)
    ours, even = (row.mean for row in result.rows())
    gap = result.compare("stopping", "uniform")[0]
    fewest = min(map(len, found.values()))
    text = (
        f"At this budget uniform sampling gets {even:.2f} of {len(found)} verdicts wrong on average, "
        f"thresher {ours:.2f} (difference {gap.difference:.2f}, 95 % interval {gap.low:.2f} to {gap.high:.2f}). "
        f"This is an estimate from {RUNS} simulated campaigns of each, with common random numbers. They draw from "
        f"the measured times with replacement, and take the mean of a setting's times as its true mean. "
        f"It is rough for settings far from the bar: some were measured only {fewest} times."
    )
    answer(f"\n{wrapped(text)}")


def report(spec: RunSpec, out: Path) -> None:
    """Print where the report is and how to open the dashboard."""
    answer(f"\nReport: {out / 'compression.html'} (for a browser) and {out / 'compression.md'} (text).")
    program = os.path.relpath(Path(sys.executable).with_name("thresher"))
    answer(f"Dashboard: {program} serve --db {spec.db}")


def main() -> None:
    """Run the campaign, print the verdicts, compare with uniform sampling, write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the database and the report")
    parser.add_argument("--budget", type=float, help="number of measurements (default: that of spec.toml)")
    given = parser.parse_args()
    out: Path = given.out
    out.mkdir(parents=True, exist_ok=True)
    flags = {
        "budget": given.budget,
        "name": f"compression {time.strftime('%Y-%m-%d %H:%M:%S')}",
        "db": f"sqlite:///{out / 'compression.db'}",
    }
    spec = load_spec(HERE / "spec.toml", flags)
    with closing(Run(spec)) as run:
        with watching() as watch:
            finished = run.go(watch)
        assert run.campaign is not None
        found = samples(run.campaign)
        (out / "compression.html").write_text(html_of(run.campaign, finished.verdicts, spec.db), encoding="utf-8")
    show(finished)
    (out / "compression.md").write_text(markdown_summary(finished, next_step_of(finished)))
    compare(spec, found)
    report(spec, out)


if __name__ == "__main__":
    main()
