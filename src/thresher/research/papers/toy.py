"""The toy problem of section 4: one non-zero outcome decides an arm, so adapting gains most."""

from __future__ import annotations

from dataclasses import replace

from thresher.report import Line, Panel, Panels
from thresher.research.papers.figure import PaperFigure
from thresher.research.papers.grid import Experiment, Grid
from thresher.research.papers.lines import mean_lines
from thresher.research.theory import toy_adaptive_bound, toy_adaptive_loss, toy_printed_bound, toy_uniform_loss

FEW = Experiment("toy-few", "toy:K=10", ("apt", "uniform"), tuple(float(budget) for budget in range(10, 61, 5)))
MANY = Experiment("toy-many", "toy:K=100", ("apt", "uniform"), tuple(float(budget) for budget in range(100, 321, 20)))
SETUP = (
    "Arms that give 0 or their own sign, each with probability ½: 10 of them (left) and 100 (right). Lines are "
    "exact: uniform sampling, the rule that leaves an arm once it has shown a value other than 0, and the bounds on "
    "that rule. Points are simulated; APT is that rule, since an arm that has shown itself has infinite evidence."
)
LABELS: dict[Experiment, tuple[tuple[str, float, str], ...]] = {
    FEW: (("apt", 0.68, "left"),),
    MANY: (("bound, printed", 0.3, "left"), ("apt", 0.7, "left")),
}


def tail_bound(n_arms: int, budget: int) -> float:
    """Return K P(Z > T), with Z the pulls until every arm has shown a non-zero outcome."""
    from scipy.special import betainc

    # Z > T iff fewer than K of the first T pulls show something.
    return float(n_arms * betainc(budget - n_arms + 1.0, float(n_arms), 0.5)) if budget >= n_arms else float(n_arms)


def _panel(grid: Grid, experiment: Experiment, n_arms: int, least: float) -> Panel:
    first, last = int(experiment.budgets[0]), int(experiment.budgets[-1])
    budgets = range(first, last + 1, max(1, n_arms // 20))
    exact = {
        "uniform, exact": [toy_uniform_loss(n_arms, budget=budget) for budget in budgets],
        "adaptive, exact": [toy_adaptive_loss(n_arms, budget=budget) for budget in budgets],
        "K·P(Z > T)": [tail_bound(n_arms, budget) for budget in budgets],
        "bound, printed": [toy_printed_bound(n_arms, budget=budget) for budget in budgets],
        "bound, corrected": [toy_adaptive_bound(n_arms, budget=budget) for budget in budgets],
    }
    lines = [Line(name, tuple(map(float, budgets)), tuple(values)) for name, values in exact.items()]
    lines += [replace(line, is_dots=True) for line in mean_lines(grid.result(experiment), ("apt", "uniform"))]
    title, ylim = f"K = {n_arms}", (least, 4.0 * n_arms)
    return Panel(title, "budget T", "mistakes", tuple(lines), is_log_y=True, ylim=ylim, labels=LABELS[experiment])


def _panels(grid: Grid) -> Panels:
    return _panel(grid, FEW, 10, 1e-8), _panel(grid, MANY, 100, 1e-12)


def _found(panels: Panels) -> str:
    told = []
    for panel, budget in zip(panels, (40.0, 300.0), strict=True):
        exact, printed = panel.line("adaptive, exact").at(budget), panel.line("bound, printed").at(budget)
        uniform = panel.line("uniform, exact").at(budget)
        told.append(
            f"{panel.title}, T = {budget:g}: uniform {uniform:.3g}, adaptive {exact:.3g}; the printed bound is "
            f"{printed:.3g}" + (" and lies below what it bounds." if printed < exact else ".")
        )
    return " ".join(told)


TOY = PaperFigure("toy", "The toy problem, exactly", "Section 4", SETUP, _panels, _found)
