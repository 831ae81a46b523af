"""`stopping-fitted` against `stopping`, run by run, over the league's problems.

python -m benchmarks.fitted_population [--times 2] [--data DIR] [PROBLEM ...]

A ratio below 1 is fewer mistakes; the intervals are paired, at 95 %.
"""

import argparse
import sys
from pathlib import Path

from benchmarks.recorded_data import recorded_entries
from thresher.policy import find_policy
from thresher.research.league.suite import suite
from thresher.research.simulation import simulate

FITTED, PLAIN = "stopping-fitted", "stopping"


def main() -> None:
    """Print one line for each problem and budget."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", help="names of the league's problems; all of them unless given")
    parser.add_argument("--times", type=float, default=1.0, help="multiplies the league's number of runs")
    parser.add_argument("--data", type=Path, help="folder of recorded data")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| problem | budget | runs | `stopping` | `stopping-fitted` over it | 95 % interval |")
    print("|:---|---:|---:|---:|---:|:---|")
    recorded = [] if asked.data is None else recorded_entries(asked.data)
    for entry in [*suite(), *recorded]:
        if asked.problems and entry.problem.name not in asked.problems:
            continue
        if reason := find_policy(FITTED).why_not(entry.problem):
            print(f"{FITTED} {reason}: {entry.problem.name} is left out", file=sys.stderr)
            continue
        runs = max(2, int(asked.times * entry.runs))
        result = simulate(entry.problem, [FITTED, PLAIN], budgets=entry.budgets, runs=runs, seed=asked.seed)
        means = {row["budget"]: row["mean"] for row in result.to_dict()["results"] if row["policy"] == PLAIN}
        for d in result.compare(FITTED, PLAIN):
            place = f"| `{entry.problem.name}` | {d.budget:g} | {runs} | {means[d.budget]:.4g} "
            print(f"{place}| {d.ratio:.3f} | {d.ratio_low:.3f} to {d.ratio_high:.3f} |", flush=True)


if __name__ == "__main__":
    main()
