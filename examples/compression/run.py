"""Decide which compression settings are fast enough on this machine.

``make run`` runs this script. A setting passes if its median time is at most 1.5 times that of zlib at its default
level.
"""

import argparse
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from thresher.cli.decisions import show_decisions
from thresher.cli.live_table import watching
from thresher.cli.report import html_of
from thresher.cli.run import next_step_of
from thresher.cli.show import answer, wrapped
from thresher.run import Finished, Run, RunSpec, load_spec
from thresher.run.summaries import markdown_summary

HERE = Path(__file__).parent


def show(finished: Finished) -> None:
    """Print which settings are fast enough, then the decision on each."""
    fast = [row.arm for row in finished.verdicts if row.decision == "pass"]
    answer(wrapped(f"Fast enough: {', '.join(fast) or 'none'}.") + "\n")
    show_decisions(finished.verdicts, finished.standing, step=next_step_of(finished))


def report(spec: RunSpec, out: Path) -> None:
    """Print where the report is and how to open the dashboard."""
    answer(f"\nReport: {out / 'compression.html'} (for a browser) and {out / 'compression.md'} (text).")
    program = os.path.relpath(Path(sys.executable).with_name("thresher"))
    answer(f"Dashboard: {program} serve --db {spec.db}")


def main() -> None:
    """Run the campaign, print the decisions, write the report."""
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
        (out / "compression.html").write_text(html_of(run.campaign, finished.verdicts, spec.db), encoding="utf-8")
    show(finished)
    (out / "compression.md").write_text(markdown_summary(finished, next_step_of(finished)))
    report(spec, out)


if __name__ == "__main__":
    main()
