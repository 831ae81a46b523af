"""Mean mistakes over the oracle's, against the budget: what figures 3 (right) and 6 show."""

from __future__ import annotations

from collections.abc import Callable

from thresher.report import Line, Panel, Panels
from thresher.research.papers.grid import OURS, PAPER, READINGS, Experiment, Grid
from thresher.research.papers.lines import exact_lines, ratio_lines

SETUP = (
    "Fifty Gaussian arms of variance 1 with means {means}, bar 0: mean mistakes over the oracle's expected ones, in "
    "which an "
    "arm that it gives up counts half."
)
YLABEL = "mistakes / oracle's"
ONE = (1.0, "equal to the oracle", "right")
SHOWN = {"linear": (0.0, 2.2), "quadratic": (0.65, 1.75)}  # what part of the vertical axis


def panels(*experiments: Experiment) -> Callable[[Grid], Panels]:
    """Return what makes one panel for each experiment, with the paper's policies."""

    def made(grid: Grid) -> Panels:
        return tuple(_panel(each.name, ratio_lines(grid.result(each), PAPER), SHOWN[each.name]) for each in experiments)

    return made


def panels_ours(*experiments: Experiment) -> Callable[[Grid], Panels]:
    """Return what makes two panels for each experiment: ours with fixed allocations and limits; both readings."""

    def made(grid: Grid) -> Panels:
        ours = tuple(_panel(each.name, _ours(grid, each), SHOWN[each.name]) for each in experiments)
        both = tuple(
            _panel(f"{each.name}, two readings of the gap", _readings(grid, each), (SHOWN[each.name][0], 1.1))
            for each in experiments
        )
        return *ours, *both

    return made


def _ours(grid: Grid, experiment: Experiment) -> list[Line]:
    exact = ("static-optimum", "uniform, exact", "adaptive limit")
    return [
        *exact_lines(experiment.name, experiment.budgets, exact, over_oracle=True),
        *ratio_lines(grid.result(experiment), OURS),
    ]


def _readings(grid: Grid, experiment: Experiment) -> list[Line]:
    raw = exact_lines(experiment.name, experiment.budgets, ("oracle, Δ = |μ|",), over_oracle=True)
    return [*raw, *ratio_lines(grid.result(experiment), READINGS)]


def found(made: Panels) -> str:
    """Return the ratios at the smallest budget, the largest and two between."""
    return " ".join(f"{panel.title}: " + _told(panel, PAPER, (100.0, 500.0, 2000.0, 8000.0)) for panel in made)


def found_ours(made: Panels) -> str:
    """Return how the fixed allocations and our index compare with the oracle."""
    names = ("static-optimum", "uniform, exact", "stopping", "adaptive limit")
    return " ".join(f"{panel.title}: " + _told(panel, names, (500.0, 4000.0)) for panel in made[: len(made) // 2])


def _told(panel: Panel, names: tuple[str, ...], budgets: tuple[float, ...]) -> str:
    at = [
        f"at T = {budget:g} " + ", ".join(f"{name} {panel.line(name).at(budget):.2f}" for name in names)
        for budget in budgets
    ]
    return "; ".join(at) + "."


def _panel(title: str, lines: list[Line], shown: tuple[float, float]) -> Panel:
    return Panel(title, "budget T", YLABEL, tuple(lines), is_log_x=True, ylim=shown, reference=ONE)
