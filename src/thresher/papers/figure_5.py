"""Figure 5: mean mistakes against the budget, linear and quadratic problem."""

from __future__ import annotations

from thresher.papers.figure import Line, Panel, Panels, PaperFigure
from thresher.papers.grid import LINEAR, OURS, PAPER, QUADRATIC, READINGS, Grid
from thresher.papers.lines import exact_lines, mean_lines
from thresher.papers.ratios import TITLE_OURS

INTEGER_BUDGETS = (100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
SETUP = (
    "Fifty Gaussian arms of variance 1, bar 0, means (−1)^k k/50 (left) and (−1)^k (k/50)² (right): mean number of "
    "misjudged arms when the budget is spent, with two standard errors. The oracle's curve is its expected loss; an "
    "arm that it gives up counts half."
)
LEAST = {LINEAR: 0.13, QUADRATIC: 3.2}
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
    ours, both = [], []
    for each, least in LEAST_OURS.items():
        result = grid.result(each)
        exact = exact_lines(each.name, each.budgets, ("oracle", "static-optimum", "adaptive limit"))
        exact += exact_lines(each.name, INTEGER_BUDGETS, ("integer limit",))
        ours.append(_panel(each.name, [*exact, *mean_lines(result, OURS)], least))
        oracles = exact_lines(each.name, each.budgets, ("oracle", "oracle, Δ = |μ|"))
        title = f"{each.name}, two readings of the gap"
        both.append(_panel(title, [*oracles, *mean_lines(result, READINGS)], LEAST[each]))
    return *ours, *both


def _told(panels: Panels) -> str:
    at = [
        f"{panel.title} at T = 1000: " + ", ".join(f"{line.name} {line.at(1000.0):.2f}" for line in panel.lines)
        for panel in panels
    ]
    return ". ".join(at) + "."


FIGURE_5 = PaperFigure("figure-5", "Sums of errors", "Figure 5, appendix G", SETUP, _panels, _told)
FIGURE_5_OURS = PaperFigure("figure-5-ours", TITLE_OURS, "Figure 5, continued", SETUP, _panels_ours, _told)
