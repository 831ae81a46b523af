"""Figure 5: mean mistakes against the budget, linear and quadratic problem."""

from __future__ import annotations

from thresher.report import Line, Panel, Panels
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import LINEAR, PAPER, QUADRATIC, READINGS, Experiment, Grid
from thresher.research.papers.lines import exact_lines, mean_lines, over

INTEGER_BUDGETS = (100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
SETUP = (
    "Fifty Gaussian arms of variance 1, bar 0, means (−1)^k k/50 (left) and (−1)^k (k/50)² (right): mean number of "
    "misjudged arms when the budget is spent, with two standard errors. The oracle's curve is its expected loss; an "
    "arm that it gives up counts half."
)
LIMIT = "adaptive limit"
LEAST = {LINEAR: 0.13, QUADRATIC: 3.2}
MOST_RATIO = {LINEAR: 3.0, QUADRATIC: 1.45}
LEAST_OURS = {LINEAR: 0.055, QUADRATIC: 3.0}


def _panel(title: str, lines: list[Line], least: float) -> Panel:
    return Panel(title, "budget T", "mistakes", tuple(lines), is_log_x=True, is_log_y=True, ylim=(least, 22.0))


def _panels(grid: Grid) -> Panels:
    return tuple(
        _panel(
            each.name,
            [*exact_lines(each.name, each.budgets, ("oracle",)), *mean_lines(grid.result(each), PAPER)],
            least,
        )
        for each, least in LEAST.items()
    )


def _panels_ours(grid: Grid) -> Panels:
    kinds = (_losses, _over_limit, _readings)
    return tuple(kind(grid, each) for kind in kinds for each in LEAST_OURS)


def _losses(grid: Grid, experiment: Experiment) -> Panel:
    """Return the panel of mistakes: those that are far apart."""
    exact = exact_lines(experiment.name, experiment.budgets, ("uniform, exact", "oracle", "static-optimum"))
    exact += exact_lines(experiment.name, INTEGER_BUDGETS, ("integer limit",))
    lines = [*exact, *mean_lines(grid.result(experiment), ("apt", "stopping"))]
    return _panel(experiment.name, lines, LEAST_OURS[experiment])


def _over_limit(grid: Grid, experiment: Experiment) -> Panel:
    """Return the panel of mistakes over the adaptive limit: those that nearly coincide."""
    lines = over(mean_lines(grid.result(experiment), ("lsa", "fwt-sqrt", "fwt", "stopping")), LIMIT, experiment.name)
    return _ratio_panel(f"{experiment.name}, over the adaptive limit", lines, MOST_RATIO[experiment])


def _readings(grid: Grid, experiment: Experiment) -> Panel:
    lines = over(mean_lines(grid.result(experiment), READINGS), LIMIT, experiment.name)
    return _ratio_panel(f"{experiment.name}, two readings of the gap", lines, MOST_RATIO[experiment])


def _ratio_panel(title: str, lines: list[Line], most: float) -> Panel:
    return Panel(title, "budget T", "mistakes / adaptive limit", tuple(lines), is_log_x=True, ylim=(0.95, most))


def _told(panels: Panels) -> str:
    at = [
        f"{panel.title} at T = 1000: " + ", ".join(f"{line.name} {line.at(1000.0):.2f}" for line in panel.lines)
        for panel in panels
    ]
    return ". ".join(at) + "."


FIGURE_5 = PaperFigure("figure-5", "Sums of errors", "Figure 5, appendix G", SETUP, _panels, _told)
FIGURE_5_OURS = PaperFigure(
    "figure-5-ours",
    "Sums of errors with uniform sampling, the limits and both readings of the gap",
    "Figure 5, continued",
    SETUP + " Policies that nearly coincide are shown over the adaptive limit, which no policy can pass.",
    _panels_ours,
    _told,
)
