"""The table of :cite:p:`kano2019`: when HDoC, LUCB-G and APT-G output their first good arms, and when they stop.

The paper was not at hand. Ours are compared with a public reproduction of its Table 2 with 1000 runs,
whose author found them close to the paper's. They count rounds, of which the next one begins with an output: one more
than the pulls.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reproduction.experiments import StoppingExperiment
from thresher.report.panels import Line, Panel, Panels
from thresher.report.picture_style import PUBLISHED as SUFFIX
from thresher.research.papers.figure import FigureTable, PaperFigure
from thresher.research.papers.grid import Grid

ALPHA, RUNS = 0.05, 1000
FAR = 4.0  # standard errors: beyond this a number does not agree
POLICIES = ("hdoc", "lucb-g", "apt-g")

#: Mean round of each output, and of the stop, in the reproduction, by problem and policy.
REPRODUCED: dict[str, dict[str, tuple[float, ...]]] = {
    "kano-1": {
        "hdoc": (112.7, 148.3, 182.3, 728.0, 5579.0, 10282.0),
        "lucb-g": (127.2, 162.8, 194.6, 814.0, 5790.0, 10231.0),
        "apt-g": (6125.0, 6332.0, 6533.0, 8274.0, 10189.0, 10267.0),
    },
    "kano-2": {
        "hdoc": (230.1, 680.5, 5273.0, 9929.0),
        "lucb-g": (259.1, 750.6, 5505.0, 9947.0),
        "apt-g": (6813.0, 7906.0, 9874.0, 9958.0),
    },
    "kano-3": {
        "hdoc": (9000.0, 12827.0, 15959.0, 46021.0),
        "lucb-g": (10361.0, 14095.0, 17075.0, 46009.0),
        "apt-g": (44596.0, 45492.0, 45896.0, 46051.0),
    },
}
TITLES = {"kano-1": "Threshold 1", "kano-2": "Threshold 2", "kano-3": "Threshold 3"}
EXPERIMENTS = {problem: StoppingExperiment(problem, problem, POLICIES, ALPHA) for problem in REPRODUCED}


@dataclass(frozen=True)
class Timed:
    """One mean of the reproduction and ours, in rounds; `z` is their distance in standard errors of the difference.

    Their standard error is taken for ours, scaled from our runs to their 1000.
    """

    problem: str
    policy: str
    event: str
    theirs: float
    ours: float
    stderr: float
    z: float


def timed(grid: Grid) -> list[Timed]:
    """Return every mean of the reproduction and what the same experiment gives here."""
    rows = []
    for problem, policies in REPRODUCED.items():
        result = grid.result(EXPERIMENTS[problem])
        found = {row.policy: row for row in result.rows()}
        for policy, values in policies.items():
            row = found[policy]
            outputs, stop = result.outputs(policy)[: len(values) - 1], ("stop", row.spent, row.spent_stderr)
            events = [(f"output {each.nth}", each.mean, each.stderr) for each in outputs]
            for (event, mean, stderr), theirs in zip([*events, stop], values, strict=True):
                z = distance(mean + 1.0, stderr, theirs, result.runs)
                rows.append(Timed(problem, policy, event, theirs, mean + 1.0, stderr, z))
    return rows


def distance(ours: float, stderr: float, theirs: float, runs: int) -> float:
    """Return how far two means are apart, in standard errors of their difference; 0 where no spread is known."""
    return (ours - theirs) / (stderr * math.sqrt(1.0 + runs / RUNS)) if stderr > 0.0 else 0.0


def _panels(grid: Grid) -> Panels:
    rows = timed(grid)
    scale = 2.0 * math.sqrt(grid.runs / RUNS)
    return tuple(
        _panel([row for row in rows if row.problem == problem], title, scale) for problem, title in TITLES.items()
    )


def _panel(rows: list[Timed], title: str, scale: float) -> Panel:
    lines = []
    for policy in POLICIES:
        own = [row for row in rows if row.policy == policy]
        places = tuple(float(i) for i in range(1, len(own) + 1))
        low, high = (tuple(row.ours + sign * row.stderr for row in own) for sign in (-2.0, 2.0))
        least, most = (tuple(row.theirs + sign * row.stderr for row in own) for sign in (-scale, scale))
        lines.append(Line(policy, places, tuple(row.ours for row in own), low, high))
        lines.append(Line(policy + SUFFIX, places, tuple(row.theirs for row in own), least, most, is_dots=True))
    return Panel(title, "output (the last: the stop)", "rounds", tuple(lines), is_log_y=True, xticks=lines[0].x)


def _found(panels: Panels) -> str:
    told = []
    for panel in panels:
        first = {policy: panel.line(policy).y[0] for policy in POLICIES}
        told.append(f"{panel.title}: " + ", ".join(f"{policy} {rounds:,.0f}" for policy, rounds in first.items()))
    return "Rounds until the first good arm is output: " + "; ".join(told) + ". All three stop after as many rounds."


def _table(grid: Grid) -> FigureTable:
    rows = tuple(
        (row.problem, row.policy, row.event, f"{row.theirs:g}", f"{row.ours:.1f}", f"{row.stderr:.2g}", f"{row.z:+.1f}")
        for row in timed(grid)
    )
    return FigureTable(("problem", "policy", "event", "reproduction", "ours", "std. error", "z"), rows)


KANO2019 = PaperFigure(
    "kano2019",
    "When good arms are output: HDoC, LUCB-G and APT-G, there and here",
    "Kano, Honda, Sakamaki, Matsuura, Nakamura and Sugiyama 2019, Table 2, by way of a public reproduction",
    "The three threshold settings of the paper with 0/1 outcomes, δ = 0.05. Lines are ours with two standard errors, "
    "crosses the means of a public reproduction of the paper's table (1000 runs). Times are rounds, one more than "
    "pulls, as there. With common random numbers all three rules stop together: each arm is judged by its own "
    "outcomes, whenever they come.",
    _panels,
    _found,
    _table,
)
