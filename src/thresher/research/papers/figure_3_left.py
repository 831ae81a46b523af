"""Figure 3, left: the mistakes of each policy over those of the oracle, all gaps equal."""

from __future__ import annotations

from thresher.report import Line, Panel, Panels
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import CONSTANT, OURS, PAPER, READINGS, Grid
from thresher.research.papers.lines import exact_lines, median_lines, ratio_lines
from thresher.research.papers.ratios import ONE, YLABEL

LIMITED = CONSTANT.budgets[2:]  # at a pull and a quarter each the adaptive limit says hardly anything
SETUP = (
    "A hundred Gaussian arms of variance 1 with means ±1, bar 0. The oracle samples uniformly here; its expected "
    "mistakes, 100 Φ(−√(T/100)), are what every run's mistakes are divided by (the paper does not say by what it "
    "divides)."
)
SETUP_OURS = (
    SETUP + " The means are on a logarithmic axis: the limits are what no policy can beat, averaged over the signs."
)


def _medians(grid: Grid, policies: tuple[str, ...]) -> Panel:
    lines = tuple(median_lines(grid.result(CONSTANT), policies))
    title = "median and quartiles of the runs"
    return Panel(title, "budget T", YLABEL, lines, xlim=(100.0, 300.0), ylim=(0.0, 1.2), reference=ONE)


def _means(title: str, lines: list[Line]) -> Panel:
    return Panel(
        title, "budget T", YLABEL, tuple(lines), xlim=(100.0, 500.0), is_log_y=True, ylim=(6e-3, 1.7), reference=ONE
    )


def _panels(grid: Grid) -> Panels:
    return (_medians(grid, PAPER),)


def _panels_ours(grid: Grid) -> Panels:
    result = grid.result(CONSTANT)
    limits = exact_lines("constant", LIMITED, ("adaptive limit", "integer limit"), over_oracle=True)
    return (
        _medians(grid, OURS),
        _means("ratio of the means", [*limits, *ratio_lines(result, OURS)]),
        _means("two readings of the gap", ratio_lines(result, READINGS)),
    )


def _found(panels: Panels) -> str:
    (panel,) = panels
    told = ", ".join(f"{name} {panel.line(name).at(200.0):.2f}" for name in PAPER)
    return f"At T = 200 the median run has, in units of the oracle's expected mistakes: {told}."


def _found_ours(panels: Panels) -> str:
    _, means, readings = panels
    told = ", ".join(f"{line.name} {line.at(200.0):.3f}" for line in means.lines)
    raw = readings.line("fwt, Δ = |μ|").at(400.0) / readings.line("fwt").at(400.0)
    return (
        f"Mean mistakes at T = 200 over the oracle's: {told}. Which gap the evidence is made of matters: with Δ = |μ| "
        f"the FWT of the theorems makes {raw:.2f} times the mistakes at T = 400 that it makes with the paper's "
        "definition."
    )


FIGURE_3_LEFT = PaperFigure(
    "figure-3-left", "Mistakes over the oracle's, equal gaps", "Figure 3, left; section 4", SETUP, _panels, _found
)
FIGURE_3_LEFT_OURS = PaperFigure(
    "figure-3-left-ours",
    "Mistakes over the oracle's, equal gaps, with stopping, the limits and both readings of the gap",
    "Figure 3, left, continued",
    SETUP_OURS,
    _panels_ours,
    _found_ours,
)
