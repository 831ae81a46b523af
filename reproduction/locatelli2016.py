"""The experiments of :cite:p:`locatelli2016`: their published curves and the same experiments here.

The published values were read off the vector graphics of their figures; reading them costs about one part in a hundred
of the axis, which spans some seven units of the natural logarithm. They agree with simulations when the axis of their
figures is taken for the pulls after every arm was pulled once, T − K. UCBE is told the horizon: its curves agree with
runs that are all told T = 500 and are looked at on the way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from thresher.report.panels import Line, Panel, Panels
from thresher.report.picture_style import PUBLISHED as SUFFIX
from thresher.research.papers.figure import FigureTable, PaperFigure
from thresher.research.papers.grid import Experiment, Grid
from thresher.research.simulation import Result

N_ARMS, RUNS, TOLERANCE = 10, 5000, 0.1
READING = 0.07  # of the natural logarithm: 1 % of an axis of seven units
FAR = 4.0  # standard errors: beyond this a number does not agree
ABSCISSAE = (100.0, 200.0, 300.0, 400.0, 490.0)
HORIZON = 500.0  # of their experiments
APT, UNIFORM, CSAR, UCBE = f"apt:epsilon={TOLERANCE}", "uniform-iid", "csar", "ucbe"

#: Chance of any mistake at ABSCISSAE, as published (locatelli2016, Figure 1 and the supplement), by problem and policy.
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "locatelli-1": {
        "apt": (0.175, 0.0528, 0.0174, 0.0063, 0.0032),
        UNIFORM: (0.432, 0.240, 0.152, 0.101, 0.071),
        UCBE: (0.195, 0.0483, 0.0117, 0.0031, 0.0009),
        CSAR: (0.226, 0.0726, 0.0312, 0.0148, 0.0088),
    },
    "locatelli-2": {
        "apt": (0.270, 0.0633, 0.0152, 0.0034, 0.0012),
        UNIFORM: (0.570, 0.267, 0.133, 0.073, 0.044),
        UCBE: (0.252, 0.0534, 0.0135, 0.0040, 0.0012),
        CSAR: (0.332, 0.101, 0.0282, 0.0084, 0.0024),
    },
    "locatelli-3": {
        "apt": (0.660, 0.391, 0.224, 0.120, 0.067),
        UNIFORM: (0.853, 0.669, 0.518, 0.397, 0.313),
        UCBE: (0.661, 0.391, 0.226, 0.127, 0.078),
        CSAR: (0.721, 0.483, 0.297, 0.193, 0.119),
    },
    "locatelli-1:family=gaussian": {"apt": (0.165, 0.0452, 0.0119, 0.0040, 0.0016)},
    "locatelli-2:family=gaussian": {"apt": (0.337, 0.1065, 0.0357, 0.0138, 0.0047)},
    "locatelli-3:family=gaussian": {"apt": (0.687, 0.4345, 0.264, 0.148, 0.086)},
}
TITLES = {"locatelli-1": "1: three groups", "locatelli-2": "2: arithmetic", "locatelli-3": "3: geometric"}
LEAST = {"locatelli-1": 3e-4, "locatelli-2": 3e-4, "locatelli-3": 3e-2}  # where the vertical axes begin
EXPERIMENTS = {
    problem: Experiment(
        problem,
        problem,
        (APT, UNIFORM) if "gaussian" in problem else (APT, UNIFORM, CSAR),
        tuple(N_ARMS + abscissa for abscissa in ABSCISSAE),
        runs=10,  # theirs are 5000 where the first paper's are 500
        tolerance=TOLERANCE,
    )
    for problem in PUBLISHED
}


def ucbe_experiment(problem: str, abscissa: float) -> Experiment:
    """Return UCBE(1) that is told the horizon of their experiments and is looked at on the way."""
    scale = (HORIZON - N_ARMS) / abscissa
    name = f"{UCBE}:scale={scale!r},epsilon={TOLERANCE}"
    budgets = (N_ARMS + abscissa,)
    return Experiment(f"{problem} {name}", problem, (name,), budgets, runs=10, tolerance=TOLERANCE)


@dataclass(frozen=True)
class Agreement:
    """One published value and ours; `z` is their distance in standard errors of the logarithm, reading included."""

    problem: str
    policy: str
    abscissa: float
    published: float
    ours: float
    z: float


def agreements(grid: Grid) -> list[Agreement]:
    """Return every published value and what the same experiment gives here."""
    rows = []
    for problem, policies in PUBLISHED.items():
        runs = grid.result(EXPERIMENTS[problem]).runs
        for policy, values in policies.items():
            chances = _chances(grid, problem, policy)
            for abscissa, published, ours in zip(ABSCISSAE, values, chances, strict=True):
                rows.append(Agreement(problem, policy, abscissa, published, ours, _distance(published, ours, runs)))
    return rows


def _distance(published: float, ours: float, runs: int) -> float:
    """Return how far two chances are apart, in standard errors of the difference of their logarithms."""
    seen = max(ours, 0.5 / runs)  # no mistake seen: about half a mistake
    spread = math.sqrt((1.0 - published) / (published * RUNS) + (1.0 - seen) / (seen * runs) + READING**2)
    return math.log(seen / published) / spread


def _chances(grid: Grid, problem: str, policy: str) -> list[float]:
    if policy == UCBE:
        experiments = (ucbe_experiment(problem, place) for place in ABSCISSAE)
        return [chance for each in experiments for chance in _any_mistake(grid.result(each), *each.policies)]
    return _any_mistake(grid.result(EXPERIMENTS[problem]), {"apt": APT}.get(policy, policy))


def _any_mistake(result: Result, policy: object) -> list[float]:
    return [float(chance) for chance in result.counted[str(policy)].any_mistakes.mean(axis=0)]


def _panels(grid: Grid) -> Panels:
    return tuple(_panel(grid, problem + family) for problem in TITLES for family in ("", ":family=gaussian"))


def _panel(grid: Grid, problem: str) -> Panel:
    runs, lines = grid.result(EXPERIMENTS[problem]).runs, []
    for policy, values in PUBLISHED[problem].items():
        chances = _chances(grid, problem, policy)
        errors = [2.0 * math.sqrt(chance * (1.0 - chance) / runs) for chance in chances]
        lines.append(Line(policy, ABSCISSAE, tuple(chances), *_band(chances, errors)))
        doubts = [2.0 * value * math.sqrt((1.0 - value) / (value * RUNS) + READING**2) for value in values]
        lines.append(Line(policy + SUFFIX, ABSCISSAE, values, *_band(list(values), doubts), is_dots=True))
    name, _, family = problem.partition(":family=")
    title = f"{TITLES[name]}, {family or 'bernoulli'}"
    axes = ("pulls after the first, T − K", "chance of any mistake")
    return Panel(title, *axes, tuple(lines), xlim=(85.0, 505.0), is_log_y=True, ylim=(LEAST[name], 1.1))


def _band(middle: list[float], spread: list[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    pairs = list(zip(middle, spread, strict=True))
    return tuple(value - each for value, each in pairs), tuple(value + each for value, each in pairs)


def _table(grid: Grid) -> FigureTable:
    rows = tuple(
        (a.problem, a.policy, f"{a.abscissa:g}", f"{a.published:.4g}", f"{a.ours:.4g}", f"{a.z:+.1f}")
        for a in agreements(grid)
    )
    return FigureTable(("problem", "policy", "T − K", "published", "ours", "z"), rows)


def _found(panels: Panels) -> str:
    told = []
    for panel in panels:
        ours, theirs = panel.line("apt"), panel.line("apt" + SUFFIX)
        ratios = [a / b for a, b in zip(theirs.y, ours.y, strict=True) if b > 0.0]
        told.append(f"{panel.title} {min(ratios):.2f} to {max(ratios):.2f}" if ratios else f"{panel.title} none seen")
    return (
        "Published over ours, for APT: "
        + "; ".join(told)
        + ". The first Bernoulli problem does not reproduce with its printed means."
    )


LOCATELLI2016 = PaperFigure(
    "locatelli2016",
    "APT, UCBE, CSAR and uniform sampling as published in 2016, and here",
    "Locatelli, Gutzeit and Carpentier 2016, Figure 1 and supplement",
    "Ten arms, bar ½, tolerance 0.1 (arms within it of the bar are forgiven), APT with ε = 0.1, arms drawn at random, "
    "UCBE(1) and CSAR; 0/1 outcomes, and Gaussian ones of variance ¼. Lines are ours with two standard errors; crosses "
    "were read off the published figures, with what their 5000 runs and the reading leave open. Their axis is taken "
    "for T − K, and UCBE's runs for ones that are told T = 500 throughout.",
    _panels,
    _found,
    _table,
)
