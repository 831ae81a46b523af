"""Whether as many verdicts are wrong as campaigns say, problem by problem and budget by budget.

Mistakes expected under the fitted population and mistakes made, of the policy `stopping`, on the problems of the league
and on populations whose near arms lie on one side and the far ones on the other. It takes some ten minutes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from thresher.experiment.calibration import Calibrated, calibrate
from thresher.experiment.suite import NAMED
from thresher.problem import Problem, named
from thresher.report import Dots, draw_dots, markdown_table
from thresher.types import Floats

PROMISED = (0.6, 1.6)
HEADERS = ["problem", "least budget", "second", "third", "largest"]
MORE = (
    ("linear:K=10", (40, 100, 200, 400)),
    ("linear:K=20", (80, 200, 400, 800)),
    ("gaussian-population:K=20", (40, 100, 200, 500)),
    ("gaussian-population:K=50,mean=-0.5", (100, 250, 500, 1250)),
    ("beta-population:K=100,a=2", (200, 400, 1000, 2000)),
    ("beta-population:a=5,b=2,threshold=0.8", (100, 200, 500, 1000)),
)
CLUSTERED = (  # of each cluster: how many arms, about where, how far apart
    ("clustered: 70 near below, 30 far above", ((70, -0.2, 0.1), (30, 1.0, 0.2)), (200, 500, 1000, 2000)),
    ("clustered: 30 below, 30 far above", ((30, -0.3, 0.05), (30, 0.8, 0.1)), (120, 300, 600, 1500)),
    ("clustered: 25 near above, 75 far below", ((25, 0.15, 0.05), (75, -1.0, 0.3)), (200, 500, 1000, 2000)),
    ("clustered: 10 near above, 10 far below", ((10, 0.2, 0.1), (10, -1.0, 0.3)), (40, 100, 200, 400)),
)


def normal_places(count: int, middle: float, spread: float) -> Floats:
    """Return so many quantiles of a normal distribution, evenly."""
    return np.asarray(middle + spread * ndtri((np.arange(count) + 0.5) / count))


def cases(only: Sequence[str]) -> Iterator[tuple[Problem, Sequence[float]]]:
    """Yield problems with their budgets, those whose name contains one of the words, or all."""
    for name, budgets in [*((name, budgets) for name, budgets, _ in NAMED), *MORE]:
        if not only or any(word in name for word in only):
            yield named(name), budgets
    for name, clusters, budgets in CLUSTERED:
        if not only or any(word in name for word in only):
            means = np.concatenate([normal_places(*cluster) for cluster in clusters])
            yield Problem.gaussian(means, name=name), budgets


def by_problem(rows: Sequence[Calibrated]) -> dict[str, list[Calibrated]]:
    """Return the rows of each problem, its least budget first."""
    names = dict.fromkeys(row.problem for row in rows)
    return {name: [row for row in rows if row.problem == name] for name in names}


def cell_of(row: Calibrated) -> str:
    """Return one cell of the table; a star marks what is out of the promised range by more than two errors."""
    low, high = PROMISED
    star = "*" if row.ratio + 2 * row.stderr < low or row.ratio - 2 * row.stderr > high else ""
    return f"{row.budget:g}: {row.predicted:.3g} / {row.realised:.3g} = {row.ratio:.2f} ± {row.stderr:.2f}{star}"


def draw(rows: Sequence[Calibrated], path: Path) -> None:
    """Draw the ratios: a row for each problem, a mark for each of its four budgets, the least first."""
    ratios = {name: [row.ratio for row in own] for name, own in by_problem(rows).items()}
    words = ("least budget", "second", "third", "largest budget")
    series = [Dots(word, {name: own[i] for name, own in ratios.items()}) for i, word in enumerate(words)]
    limits = [Dots(f"promised: {end:g}", dict.fromkeys(ratios, end), is_limit=True) for end in PROMISED]
    draw_dots([*series, *limits], list(ratios), title="", xlabel="mistakes predicted / mistakes made", paths=[path])


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", nargs="*", help="a part of its name; without any, all")
    parser.add_argument("--runs", type=int, default=4000, help="in which mistakes are counted")
    parser.add_argument("--fits", type=int, default=100, help="of those runs, to which a population is fitted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    rows: list[Calibrated] = []
    for problem, budgets in cases(given.problem):
        rows += calibrate(problem, budgets, runs=given.runs, fits=given.fits, seed=given.seed)
    if given.plot is not None:
        draw(rows, given.plot)
    if given.json:
        print(json.dumps({"runs": given.runs, "fits": given.fits, "rows": [row.to_dict() for row in rows]}))
        return
    table = [[name, *map(cell_of, own)] for name, own in by_problem(rows).items()]
    print(markdown_table(HEADERS, table, left=(0,)))
    kept = sum(PROMISED[0] <= row.ratio <= PROMISED[1] for row in rows)
    print(f"\nBudget: predicted / realised = ratio ± standard error; {given.runs} runs, {given.fits} fits.")
    print(f"{kept} of {len(rows)} ratios are within {PROMISED[0]} to {PROMISED[1]}.")


if __name__ == "__main__":
    main()
