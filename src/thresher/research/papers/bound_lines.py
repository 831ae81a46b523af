"""The upper bounds of the paper's figures 2 and 4 as lines: as printed there, and capped alike for all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from thresher.policy.index import stopping_formula
from thresher.report import Line, Panel
from thresher.research.theory import adaptive_limit, lower_bound, oracle, static_optimum
from thresher.research.theory.upper_bound import (
    LevelledBound,
    apt,
    apt_corollary_1,
    fwt,
    fwt_corollary_2,
    lsa,
    lsa_explicit,
    theorem_2,
)
from thresher.types import Floats

ROUNDING = 1e-9


def _stopping(gaps: Floats, *, budget: float, capped: bool) -> LevelledBound:
    return theorem_2([partial(stopping_formula, cost=1.0)] * gaps.size, gaps, budget=budget, capped=capped)


CAPPED: dict[str, Callable[..., LevelledBound]] = {"apt": apt, "lsa": lsa, "fwt": fwt, "stopping": _stopping}


def printed_bounds(gaps: Floats, budgets: tuple[float, ...], *, least: float) -> Panel:
    """Return the bounds that the paper compares: Corollary 1, the explicit one for LSA, Corollary 2, the oracle's."""

    def curve(name: str, bound: Callable[[float], float]) -> Line:
        return Line(name, budgets, tuple(bound(budget) for budget in budgets))

    lines = (
        curve("oracle, bound", lambda budget: oracle(gaps, budget=budget).bound),
        curve("fwt", lambda budget: fwt_corollary_2(gaps, budget=budget).value),
        curve("lsa", lambda budget: lsa_explicit(gaps, budget=budget).value),
        curve("apt", lambda budget: apt_corollary_1(gaps, budget=budget).value),
    )
    labels = (("oracle, bound", 0.25, "right"), ("fwt", 0.8, "left"), ("lsa", 0.2, "left"), ("apt", 0.42, "right"))
    return _bound_panel("upper bounds, as printed", lines, labels, n_arms=gaps.size, least=least)


def set_sizes(gaps: Floats, budgets: tuple[float, ...]) -> Panel:
    """Return the sizes of the sets S and S′ that make Corollary 2 least."""
    bounds = [fwt_corollary_2(gaps, budget=budget) for budget in budgets]
    lines = (
        Line("S", budgets, tuple(float(bound.explored) for bound in bounds)),
        Line("S′", budgets, tuple(float(bound.kept) for bound in bounds)),
    )
    return _count_panel("sets of Corollary 2", lines, (("S", 0.5, "right"), ("S′", 0.55, "left")), n_arms=gaps.size)


def capped_bounds(gaps: Floats, budgets: tuple[float, ...], *, least: float) -> tuple[Panel, Panel]:
    """Return Theorem 2 for each policy, an arm charged at most its cost; and how many each charges less."""
    bounds = {name: [bound(gaps, budget=budget, capped=True) for budget in budgets] for name, bound in CAPPED.items()}
    lines = [Line("oracle, bound", budgets, tuple(oracle(gaps, budget=budget).bound for budget in budgets))]
    lines += [Line(name, budgets, tuple(bound.value for bound in found)) for name, found in bounds.items()]
    judged = tuple(
        Line(name, budgets, tuple(float(_judged(bound)) for bound in found)) for name, found in bounds.items()
    )
    ours = (("fwt", 0.62, "left"), ("lsa", 0.53, "left"), ("stopping", 0.44, "left"), ("apt", 0.53, "right"))
    labels = (("oracle, bound", 0.25, "right"), *ours)
    counted = (("fwt", 0.3, "left"), ("lsa", 0.5, "right"), ("stopping", 0.6, "left"), ("apt", 0.2, "right"))
    return (
        _bound_panel("upper bounds, capped alike", tuple(lines), labels, n_arms=gaps.size, least=least),
        _count_panel("arms that a bound covers", judged, counted, n_arms=gaps.size),
    )


def limits(gaps: Floats, budgets: tuple[float, ...]) -> Panel:
    """Return the oracle's bound and its loss, with lower bounds on the loss of every policy."""
    exact = [oracle(gaps, budget=budget) for budget in budgets]
    found = {
        "oracle, bound": [each.bound for each in exact],
        "oracle": [each.loss for each in exact],
        "static-optimum": [static_optimum(gaps, budget=budget).loss for budget in budgets],
        "adaptive limit": [adaptive_limit(gaps, budget=budget).loss for budget in budgets],
        "lower bound": [lower_bound(gaps, budget=budget) for budget in budgets],
    }
    lines = tuple(Line(name, budgets, tuple(values)) for name, values in found.items())
    return Panel(
        "what the oracle loses, and limits", "budget T", "expected mistakes", lines, is_log_x=True, is_log_y=True
    )


def _judged(bound: LevelledBound) -> int:
    """Return how many arms a capped bound charges less than their cost of 1."""
    return int(np.count_nonzero(bound.log_shares < -ROUNDING))


def _bound_panel(
    title: str, lines: tuple[Line, ...], labels: tuple[tuple[str, float, str], ...], *, n_arms: int, least: float
) -> Panel:
    worst = float(n_arms)
    return Panel(
        title,
        "budget T",
        "expected mistakes, at most",
        lines,
        is_log_x=True,
        is_log_y=True,
        ylim=(least, 3.0 * worst),
        reference=(worst, f"all {n_arms} arms wrong", "left"),
        labels=labels,
    )


def _count_panel(
    title: str, lines: tuple[Line, ...], labels: tuple[tuple[str, float, str], ...], *, n_arms: int
) -> Panel:
    top = 1.08 * n_arms
    return Panel(title, "budget T", "arms", lines, is_log_x=True, ylim=(0.0, top), labels=labels)


def first_below(line: Line, value: float) -> float:
    """Return the first budget at which a curve is below a value, infinity if there is none."""
    return next((x for x, y in zip(line.x, line.y, strict=True) if y < value), float("inf"))
