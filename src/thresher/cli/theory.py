"""``thresher theory``: bounds and limits of a problem, computed without simulation."""

from __future__ import annotations

import json as to_json
import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.simulate import ControlOption, HistoryOption, MarginOption, ProxyOption
from thresher.number_text import counted, whole_percent

if TYPE_CHECKING:
    from pathlib import Path

    from thresher.problem import Problem
    from thresher.research.theory import Theory

ProblemArgument = Annotated[str, typer.Argument(help="A file (JSON, TOML, CSV) or a name, see 'thresher problems'.")]
Budgets = Annotated[
    list[float] | None,
    typer.Option(
        "--budget", "-b", help="A budget, in the unit of the pull costs. Repeatable. [default: 5, 10, 20, 50 per arm]"
    ),
]
PopulationOption = Annotated[
    str | None,
    typer.Option(
        "--population",
        help="Also show the Bayes limit: a number τ for means from N(θ, τ²), or the word 'means' for 0/1 arms that "
        "draw their means from those of the problem.",
    ),
]
Runs = Annotated[
    int,
    typer.Option("--runs", "-r", min=0, help="Also simulate `stopping` this often: how far is it from each limit?"),
]
Seed = Annotated[int, typer.Option("--seed", "-s", min=0, help="Random seed of these runs.")]
Allocation = Annotated[
    bool, typer.Option("--allocation", help="Also show how the oracle and the static optimum spend each budget.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Plot = Annotated[str | None, typer.Option("--plot", help="Plot all of them against the budget to this file.")]

LIMITS = ("adaptive_limit", "integer_limit", "bayes_limit")
COLUMNS = {
    "lower_bound": "lower bound",
    "adaptive_limit": "adaptive limit",
    "integer_limit": "integer limit",
    "bayes_limit": "Bayes limit",
    "static_optimum_loss": "static-optimum",
    "oracle_loss": "oracle",
    "oracle_bound": "oracle, bound",
    "fixed_allocation_loss": "fixed allocation, about",
}


def theory(
    problem: ProblemArgument,
    budget: Budgets = None,
    population: PopulationOption = None,
    runs: Runs = 0,
    seed: Seed = 0,
    allocation: Allocation = False,
    json: Json = False,
    plot: Plot = None,
    control: ControlOption = None,
    margin: MarginOption = None,
    history: HistoryOption = None,
    proxy: ProxyOption = None,
) -> None:
    """Show oracle, bounds and limits of a problem.

    The result has a row for each budget: oracle, static optimum, upper and lower bounds and limits. Limits are what
    no policy can beat, averaged over the signs of the gaps; upper bounds are the paper's Theorem 2.

        thresher theory linear --budget 500 --budget 1000 --plot theory.png

    With --runs also how far `stopping` is from each limit:

        thresher theory gaussian-population:mean=0.4 --budget 400 --runs 200

    Where arms answer the same items no limit is known; what is left of the variance says about how much the best fixed
    numbers of answers lose:

        thresher theory answers.csv:threshold=0.5 --history past.csv --proxy judge.csv --budget 900
    """
    from thresher.cli.show import answer, say, say_note
    from thresher.problem import Combination, find_problem, number_in
    from thresher.report import picture_path
    from thresher.research.theory import theory_of

    picture = None if plot is None else picture_path(plot)
    found = find_problem(problem, control=control, margin=margin, history=history, proxy=proxy)
    has_control, has_items = not found.has_known_bar, not found.sampling.is_independent
    Combination(has_control=has_control, has_items=has_items, allocation=allocation).check()
    budgets = sorted(set(budget or [found.least_budget * share for share in (5, 10, 20, 50)]))
    spread = population if population is None else number_in(population)
    rows = theory_of(found, budgets=budgets, population=population if spread is None else spread)
    if picture is not None:
        _draw(found, rows, picture)
    played = _played(found, rows, runs, seed, is_assumed=spread is not None) if runs else []
    if json:
        results = [row.to_dict() | ({"stopping": played[i]} if runs else {}) for i, row in enumerate(rows)]
        document = {"problem": found.summary(), "results": results}
        if allocation:
            document["allocations"] = _allocations(found, budgets)
        answer(to_json.dumps(document, allow_nan=False))
        return
    _show(found, rows)
    if played:
        _show_played(found, played, runs)
    if allocation:
        _show_allocations(found, budgets)
    for note in [*found.notes, *_notes(found), *_share_notes(found, rows), *_fraction_notes(rows)]:
        say_note(note)
    if picture is not None:
        say(f"The picture is in {picture}.")


def _notes(problem: Problem) -> list[str]:
    """Return why most of the table is empty for a finite pool or a control."""
    if not problem.has_known_bar:
        return ["limits are those of a policy that is given the control's mean; the least cost of measuring it is open"]
    if problem.sampling.is_independent:
        return []
    if problem.sampling.repeats > 1:
        return ["outcomes of an item depend on each other, so bounds for independent draws do not apply"]
    rest = "only the adaptive limit is known, and only for 0/1 outcomes"
    if problem.sampling.layout.size:
        rest = "where arms share items no limit is known"
    return [f"items are drawn without replacement, so bounds for independent draws do not apply; {rest}"]


def _share_notes(problem: Problem, rows: list[Theory]) -> list[str]:
    """Return the inputs of a fixed allocation of answers to shared items."""
    left = rows[0].share_left
    if left is None:
        return []
    sampling = problem.sampling
    signals = {"past arms": sampling.history, "scores": sampling.proxy}
    named = " and ".join(["items", *(name for name, table in signals.items() if table is not None)])
    return [
        f"{named} leave {whole_percent(left)} of the variance; the fixed allocation is given that and all means; its "
        "loss is an approximation by the normal law, not a bound"
    ]


def _fraction_notes(rows: list[Theory]) -> list[str]:
    """Return why a fixed allocation loses less than a limit, where one does."""
    pairs = [(row.integer_limit, loss) for row in rows for loss in (row.static_optimum_loss, row.oracle_loss)]
    if not any(limit is not None and loss is not None and loss < limit for limit, loss in pairs):
        return []
    return ["static-optimum and oracle use fractions of measurements; the integer limit is for whole ones"]


def _show(problem: Problem, rows: list[Theory]) -> None:
    from thresher.cli.show import table
    from thresher.report import text_cell

    def cell(value: float | None) -> str:
        return "–" if value is None else text_cell(value)

    worst = float(problem.costs.sum())

    def bound(value: float | None) -> str:
        return "vacuous" if value is not None and value >= worst else cell(value)

    shown = {key: name for key, name in COLUMNS.items() if any(getattr(row, key) is not None for row in rows)}
    policies = (
        list(rows[0].upper_bounds) if any(v is not None for row in rows for v in row.upper_bounds.values()) else []
    )
    toys = list(rows[0].toy or {})
    headers = ["budget", *shown.values(), *(f"{policy} ≤" for policy in policies), *(t.replace("_", " ") for t in toys)]
    cells = [
        [
            text_cell(row.budget),
            *(cell(getattr(row, key)) for key in shown),
            *(bound(row.upper_bounds[p]) for p in policies),
        ]
        + [cell((row.toy or {})[t]) for t in toys]
        for row in rows
    ]
    vacuous = f"; an upper bound of {text_cell(worst)} or more is vacuous" if policies else ""
    title = f"{problem.name}: {counted(problem.n_arms, 'arm')}{vacuous}"
    named = [headers.index(name) for name in ("oracle, bound", "lower bound", "oracle") if name in headers]
    toys_at = range(len(headers) - 1, len(headers) - 1 - len(toys), -1)
    bounds_at = range(len(shown) + 1, len(shown) + 1 + len(policies))
    table(headers, cells, title=title, left=(), drop=[*bounds_at, *toys_at, *named])


def _played(problem: Problem, rows: list[Theory], runs: int, seed: int, *, is_assumed: bool) -> list[dict[str, Any]]:
    """Return the mistakes of `stopping` at every budget, and how many times each limit they are.

    The Bayes limit of an assumed population is left out: the runs have the means of the problem.
    """
    from thresher.cli.show import progress, say
    from thresher.research.simulation import simulate

    with progress("simulating") as update:
        budgets = [row.budget for row in rows]
        result = simulate(problem, "stopping", budgets=budgets, runs=runs, seed=seed, progress=update, say=say)
    found = []
    for row, made in zip(rows, result.rows(), strict=True):
        limits = {key: getattr(row, key) for key in LIMITS if key != "bayes_limit" or not is_assumed}
        over = {key: made.mean / limit for key, limit in limits.items() if limit}
        stderr = None if math.isnan(made.stderr) else made.stderr
        found.append({"budget": made.budget, "mean": made.mean, "stderr": stderr, "over": over})
    return found


def _show_played(problem: Problem, played: list[dict[str, Any]], runs: int) -> None:
    from thresher.cli.show import answer, table
    from thresher.report import text_cell

    keys = [key for key in LIMITS if any(key in row["over"] for row in played)]
    cells = [
        [
            text_cell(row["budget"]),
            text_cell(row["mean"]),
            "–" if row["stderr"] is None else text_cell(row["stderr"]),
            *(text_cell(row["over"][key]) if key in row["over"] else "–" for key in keys),
        ]
        for row in played
    ]
    headers = ["budget", "stopping", "std. error", *(f"over {COLUMNS[key]}" for key in keys)]
    answer("")
    over = ", and over each limit" if keys else ""
    title = f"Mistakes of 'stopping' on {problem.name} ({counted(runs, 'run')}){over}"
    table(headers, cells, title=title, left=())


def _allocations(problem: Problem, budgets: list[float]) -> list[dict[str, object]]:
    from thresher.research.theory import oracle, static_optimum

    rows: list[dict[str, object]] = []
    for each in budgets:
        fixed = (problem.gaps, problem.costs, problem.pull_costs)
        best, optimum = oracle(*fixed, budget=each), static_optimum(*fixed, budget=each)
        rows.append({"budget": each, "oracle": best.counts.tolist(), "static_optimum": optimum.counts.tolist()})
    return rows


def _show_allocations(problem: Problem, budgets: list[float]) -> None:
    from thresher.cli.show import answer, table
    from thresher.report import exact, text_cell

    for budget, row in zip(budgets, _allocations(problem, budgets), strict=True):
        best, optimum = row["oracle"], row["static_optimum"]
        assert isinstance(best, list)
        assert isinstance(optimum, list)
        cells = [
            [arm, text_cell(mean), text_cell(one), text_cell(other)]
            for arm, mean, one, other in zip(problem.arms, problem.means, best, optimum, strict=True)
        ]
        answer("")
        table(["arm", "mean", "oracle", "static-optimum"], cells, title=f"Pulls at budget {exact(budget)}")


def _draw(problem: Problem, rows: list[Theory], path: Path) -> None:
    from thresher.report import Line, draw_curves

    curves = []
    for key, name in COLUMNS.items():
        points = [(row.budget, value) for row in rows if (value := getattr(row, key)) is not None]
        if points:
            budgets, values = zip(*points, strict=True)
            curves.append(Line(name, budgets, values))
    for policy in rows[0].upper_bounds:
        points = [(row.budget, value) for row in rows if (value := row.upper_bounds[policy]) is not None]
        points = [
            (at, value) for at, value in points if value < float(problem.costs.sum())
        ]  # a larger bound is trivial
        if points:
            budgets, values = zip(*points, strict=True)
            curves.append(Line(f"{policy} ≤", budgets, values))
    draw_curves(curves, title=f"{problem.name}: bounds and limits", ylabel="expected mistakes", path=path)
