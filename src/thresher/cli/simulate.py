"""``thresher simulate``: how many arms each policy misjudges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.usage import RATE

if TYPE_CHECKING:
    from pathlib import Path

    from thresher.problem import Problem
    from thresher.research.simulation import Result

ProblemArgument = Annotated[str, typer.Argument(help="A file (JSON, TOML, CSV) or a name, see 'thresher problems'.")]
ControlOption = Annotated[
    str | None,
    typer.Option("--control", help="The arm whose mean is the bar of all others, in place of thresholds; by its name."),
]
MarginOption = Annotated[
    str | None,
    typer.Option(
        "--margin", help="Distance of the bar above the control's mean: a number, or a percentage such as -2%."
    ),
]
HistoryOption = Annotated[
    str | None,
    typer.Option("--history", help="Outcomes of past arms on the same items: a CSV with arm, item and value."),
]
ProxyOption = Annotated[
    str | None,
    typer.Option(
        "--proxy", help="A cheap score of every answer, such as a judge's: a CSV with arm, item and value or score."
    ),
]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", "-p", help="A policy, see 'thresher policies', or module:Class for one of your own. Repeatable."
    ),
]
Budgets = Annotated[
    list[float] | None,
    typer.Option(
        "--budget", "-b", help="A budget, in the unit of the pull costs. Repeatable. [default: 5, 10, 20, 50 per arm]"
    ),
]
Runs = Annotated[int, typer.Option("--runs", "-r", min=1, help="How many runs.")]
Seed = Annotated[int, typer.Option("--seed", "-s", min=0, help="Random seed; the same seed gives the same answer.")]
Recommend = Annotated[str, typer.Option("--recommend", help="final: judge at the end; peak: at the paper's t_max.")]
Loss = Annotated[
    str,
    typer.Option(
        "--loss",
        help="costs: sum of mistake costs; gaps: sum of gaps; any: chance of any mistake; "
        "more-than:m=2: chance of more than 2.",
    ),
]
Tolerance = Annotated[float, typer.Option("--tolerance", help="Forgive arms within this distance of the bar.", **RATE)]
StopPrice = Annotated[
    float,
    typer.Option(
        "--stop-price",
        min=0,
        help="Stop once no measurement saves this much per unit of budget; shows what was spent, and the total cost.",
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(
        "--alpha",
        help="Error rate of policies with a stopping rule, such as hdoc; --budget is then the "
        "maximum number of pulls of a run, 1,000,000 unless given.",
        **RATE,
    ),
]
InFlight = Annotated[int, typer.Option("--in-flight", min=0, help="Pulls outstanding at a time; 0 waits for each.")]
Delays = Annotated[str, typer.Option("--delays", help="batch: outcomes arrive together; random: one by one.")]
ExecutorOption = Annotated[str, typer.Option("--executor", help="threads, processes or dask.")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-j", min=1, help="How many workers. [default: one for each core]")
]
Address = Annotated[str | None, typer.Option("--address", help="Address of a Dask scheduler, such as tls://host:8786.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a simulation that takes hours.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Out = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", help="Store finished runs in this database (results.db) and resume from it. Rows: --json."
    ),
]
Plot = Annotated[
    str | None,
    typer.Option(
        "--plot",
        help="Draw loss against budget into this file, and in the terminal; with --alpha, pulls and errors.",
    ),
]


LONG = 3600.0  # seconds of a simulation before which a person is asked
COLUMNS = {
    "mean": "mean",
    "stderr": "std. error",
    "q25": "25 %",
    "median": "median",
    "q75": "75 %",
    "any_mistake": "any mistake",
}
DROPPED = (
    "q25",
    "q75",
    "median",
    "spent_stderr",
    "total_stderr",
    "any_mistake",
    "spent",
)  # dropped on a narrow terminal
SPENT = {"spent": "spent", "spent_stderr": "std. error"}
TOTAL = {"total": "total cost", "total_stderr": "std. error"}


def simulate(
    problem: ProblemArgument,
    policy: Policies = None,
    budget: Budgets = None,
    runs: Runs = 1000,
    seed: Seed = 0,
    recommend: Recommend = "final",
    loss: Loss = "costs",
    tolerance: Tolerance = 0.0,
    in_flight: InFlight = 0,
    delays: Delays = "batch",
    stop_price: StopPrice = 0.0,
    alpha: Alpha = None,
    executor: ExecutorOption = "threads",
    workers: Workers = None,
    address: Address = None,
    json: Json = False,
    out: Out = None,
    plot: Plot = None,
    control: ControlOption = None,
    margin: MarginOption = None,
    history: HistoryOption = None,
    proxy: ProxyOption = None,
    yes: Yes = False,
) -> None:
    """Estimate how many arms each policy misjudges.

    The result has a row for each policy and budget. All policies use common random numbers. Example:

        thresher simulate linear --policy lsa --policy stopping --budget 500 --budget 1000

    With --alpha: how many pulls a policy takes until it stops, and how often it is wrong.

        thresher simulate locatelli-1 --policy hdoc --alpha 0.05

    With --control the bar is the mean of that arm, which is measured too:

        thresher simulate variants.csv --control today --margin -2% --budget 20000

    With arms that answer the same items, what past arms answered and a judge's score of every answer help:

        thresher simulate answers.csv:threshold=0.5 --history past.csv --proxy judge.csv --budget 900
    """
    from thresher.cli.plugins import import_policies
    from thresher.cli.show import progress, say
    from thresher.problem import find_problem
    from thresher.report import picture_path
    from thresher.research.simulation import Interrupted
    from thresher.research.simulation import simulate as run

    picture = None if plot is None else picture_path(plot)
    found = find_problem(problem, control=control, margin=margin, history=history, proxy=proxy)
    budgets = budget or (None if alpha is not None else [found.least_budget * share for share in (5, 10, 20, 50)])
    chosen = import_policies(policy) if policy else None
    if budgets is not None and not stop_price and not yes:
        _check_time(found, budgets, runs=runs, workers=workers, n_policies=len(chosen or [None]))
    try:
        with progress("simulating") as update:
            result = run(
                found,
                chosen,
                budgets=budgets,
                alpha=alpha,
                runs=runs,
                seed=seed,
                recommend=recommend,
                loss=loss,
                tolerance=tolerance,
                stop_price=stop_price,
                in_flight=in_flight,
                delays=delays,
                executor=executor,
                workers=workers,
                address=address,
                out=out,
                progress=update,
                say=say,
            )
    except Interrupted as interrupted:
        _show_interrupted(interrupted.result, out, json=json)
        raise
    _show(result, json=json, plot=picture)


def _check_time(problem: Problem, budgets: list[float], **given: Any) -> None:
    """Ask before a simulation that takes hours; raise InvalidInputError if it is not wanted."""
    from thresher.cli.show import confirm
    from thresher.report import amount, counted, duration
    from thresher.research.simulation import expected_seconds

    seconds = expected_seconds(problem, budgets=budgets, **given)
    if LONG < seconds < math.inf:
        runs = counted(given["runs"], "run")
        confirm(f"{runs} with a budget of {amount(max(budgets))} take about {duration(seconds)}; fewer runs take less")


def _show(result: Result, *, json: bool, plot: Path | None) -> None:
    from thresher.cli.show import answer, say_note
    from thresher.cli.stopping_times import show_times

    if json:
        answer(result.to_json())
        if plot is not None:
            result.plot(plot)
        return
    if result.asked.alpha is None:
        _show_losses(result)
    else:
        show_times(result)
    for note in result.problem.notes:
        say_note(note)
    if plot is not None:
        _show_picture(result, plot)


def _show_losses(result: Result) -> None:
    from thresher.cli.show import table
    from thresher.report import amount, text_cell

    asked = result.asked
    columns = COLUMNS | (SPENT if asked.stop_price else {}) | (TOTAL if asked.has_total else {})
    rows = [[r.policy, amount(r.budget, 12), *(text_cell(getattr(r, key)) for key in columns)] for r in result.rows()]
    drop = [2 + i for name in DROPPED for i, key in enumerate(columns) if key == name]
    table(["policy", "budget", *columns.values()], rows, title=result.title, drop=drop)


def _show_picture(result: Result, plot: Path) -> None:
    from thresher.cli.show import answer, say
    from thresher.report import curves_of, terminal_picture

    result.plot(plot)
    curves = curves_of(result.rows()) if result.asked.alpha is None else []
    if picture := terminal_picture(curves, ylabel="mean loss (log)"):
        answer("\n" + picture)
    say(f"\nThe picture is in {plot}.")


def _show_interrupted(result: Result | None, out: str | None, *, json: bool) -> None:
    from thresher.cli.show import say
    from thresher.number_text import counted

    if out is not None:
        say(f"Interrupted. Finished runs are in {out}: run the same command again to resume.")
    if result is not None:
        say(f"Interrupted after {counted(result.runs, 'run')} of every policy; results are for these.")
        _show(result, json=json, plot=None)
