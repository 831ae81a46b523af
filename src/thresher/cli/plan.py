"""``thresher plan``: how much budget a wished number of mistakes takes."""

from __future__ import annotations

import json as to_json
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.errors import InvalidProblemError

if TYPE_CHECKING:
    from thresher.experiment.plan import Plan
    from thresher.problem import Problem

ProblemArgument = Annotated[
    str | None, typer.Argument(help="A file or a name, see 'thresher problems'; or say what you assume by the options.")
]
Mistakes = Annotated[float, typer.Option("--mistakes", "-m", help="How many mistakes you would accept on average.")]
Arms = Annotated[int | None, typer.Option("--arms", "-k", min=1, help="How many things are to be judged.")]
Family = Annotated[str, typer.Option("--family", help="gaussian or bernoulli.")]
Bar = Annotated[float, typer.Option("--bar", help="The threshold.")]
Centre = Annotated[float | None, typer.Option("--centre", help="Where their means lie on average. [default: the bar]")]
Spread = Annotated[float | None, typer.Option("--spread", help="Standard deviation of their means.")]
Sigma = Annotated[float, typer.Option("--sigma", help="Standard deviation of a Gaussian outcome.")]
PolicyOption = Annotated[str, typer.Option("--policy", "-p", help="What to compare with uniform sampling.")]
Runs = Annotated[int, typer.Option("--runs", "-r", min=1, help="How many runs.")]
Seed = Annotated[int, typer.Option("--seed", "-s", min=0, help="Which luck.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Plot = Annotated[str | None, typer.Option("--plot", help="Draw the curves into this file, and in the terminal.")]


def plan(
    problem: ProblemArgument = None,
    mistakes: Mistakes = 1.0,
    arms: Arms = None,
    family: Family = "gaussian",
    bar: Bar = 0.0,
    centre: Centre = None,
    spread: Spread = None,
    sigma: Sigma = 1.0,
    policy: PolicyOption = "stopping",
    runs: Runs = 400,
    seed: Seed = 0,
    json: Json = False,
    plot: Plot = None,
) -> None:
    """Find the budget that a wished number of mistakes takes, and what uniform sampling would need.

    Say what you assume: how many things, how far apart their means, the bar. Or name a problem. Examples:

        thresher plan --arms 50 --family bernoulli --bar 0.8 --centre 0.75 --spread 0.1 --mistakes 2

        thresher plan linear --mistakes 1
    """
    from thresher.cli.show import answer, progress, say
    from thresher.experiment.plan import plan as make

    found = _problem(problem, arms=arms, family=family, bar=bar, centre=centre, spread=spread, sigma=sigma)
    with progress("simulating") as update:
        made = make(found, mistakes=mistakes, policy=policy, runs=runs, seed=seed, progress=update, say=say)
    if plot is not None:
        made.result.plot(plot)
    if json:
        answer(to_json.dumps(made.to_dict(), allow_nan=False))
        return
    _show(made, plot)


def _problem(
    name: str | None,
    *,
    arms: int | None,
    family: str,
    bar: float,
    centre: float | None,
    spread: float | None,
    sigma: float,
) -> Problem:
    from thresher.experiment.plan import assumed_problem
    from thresher.problem import find_problem

    if name is not None:
        return find_problem(name)
    if arms is None or spread is None:
        raise InvalidProblemError(
            "neither a problem nor assumptions", instead="name a problem, or give --arms and --spread"
        )
    return assumed_problem(arms=arms, family=family, bar=bar, centre=centre, spread=spread, sigma=sigma)


def _show(made: Plan, plot: str | None) -> None:
    from thresher.cli.show import answer, say, table
    from thresher.report import curves_of, terminal_picture

    def cell(value: float | None) -> str:
        return "more" if value is None else f"{value:,.0f}"

    per_arm = made.result.problem.n_arms
    rows = [
        [
            n.policy,
            cell(n.budget),
            f"{cell(n.low)} to {cell(n.high)}",
            "" if n.budget is None else f"{n.budget / per_arm:.1f}",
        ]
        for n in made.needs
    ]
    title = f"{made.result.problem.name}: for {made.mistakes:g} mistakes among {per_arm} arms, {made.result.runs} runs"
    table(["policy", "budget", "95 % interval", "per arm"], rows, title=title)
    one, other = made.needs
    if one.budget and other.budget:
        say(f"Uniform sampling needs {other.budget / one.budget:.2f} times the budget of {one.policy!r}.")
    elif one.budget:
        say("Uniform sampling needs more than every budget that was tried.")
    else:
        say("No budget that was tried is enough: some arms are too close to the bar for that few mistakes.")
    if plot is not None:
        answer("\n" + terminal_picture(curves_of(made.result.rows()), ylabel="mean loss (log)"))
        say(f"\nThe picture is in {plot}.")
