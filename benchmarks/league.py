"""The league with recorded data in addition to its suite: ``thresher league``, and four problems from a folder.

python -m benchmarks.league DATA --out DIR [--policies all] [--runs N]

It writes what ``thresher league --out`` writes, and goes on where it was interrupted.
"""

import argparse
from pathlib import Path

from benchmarks.recorded_data import recorded_entries
from thresher.cli.show import progress
from thresher.research.league.files import write_league
from thresher.research.league.leagues import league
from thresher.research.league.suite import LINEUPS, suite


def main() -> None:
    """Play the league, write its files and print where they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of recorded data")
    parser.add_argument("--out", type=Path, required=True, help="folder for runs, tables and a picture")
    parser.add_argument("--policies", choices=LINEUPS, default="core")
    parser.add_argument("--runs", type=int, help="runs of every problem; each has its own number unless given")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    entries = [*suite(asked.policies), *recorded_entries(asked.data, asked.policies)]
    with progress("playing") as update:
        played = league(entries, runs=asked.runs, seed=asked.seed, out=asked.out, progress=update)
    print(*write_league(played, asked.out), sep="\n")


if __name__ == "__main__":
    main()
