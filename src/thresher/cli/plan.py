"""``thresher plan``: the budget for a target number of mistakes."""

from __future__ import annotations

import json as to_json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.simulate import ControlOption, MarginOption
from thresher.cli.usage import RATE
from thresher.errors import InvalidInputError

if TYPE_CHECKING:
    from thresher.problem import Problem
    from thresher.research.simulation import Plan
    from thresher.run.importers import Columns

ProblemArgument = Annotated[
    str | None, typer.Argument(help="A file or a name, see 'thresher problems'; or describe the arms with the options.")
]
Mistakes = Annotated[float, typer.Option("--mistakes", "-m", help="Target number of mistakes, on average.")]
Arms = Annotated[int | None, typer.Option("--arms", "-k", min=1, help="Number of arms.")]
Family = Annotated[
    str, typer.Option("--family", help="gaussian or bernoulli. [default: gaussian, or as the pilot's outcomes are]")
]
Bar = Annotated[float | None, typer.Option("--bar", help="The threshold. [default: 0]", **RATE)]
Centre = Annotated[float | None, typer.Option("--centre", help="Mean of the arms' means. [default: the bar]", **RATE)]
Spread = Annotated[float | None, typer.Option("--spread", help="Standard deviation of the arms' means.", **RATE)]
Sigma = Annotated[
    float | None, typer.Option("--sigma", help="Standard deviation of a Gaussian outcome. [default: 1, or the pilot's]")
]
Cost = Annotated[
    list[float] | None,
    typer.Option("--cost", help="Cost of a mistake. Several values are assigned to the arms in turn."),
]
PullCost = Annotated[
    list[float] | None, typer.Option("--pull-cost", help="Cost of a measurement, in the unit of the budget.")
]
Items = Annotated[
    int | None,
    typer.Option("--items", help="Size of the pool: an arm answers each item at most once, the truth is their mean."),
]
JudgeAgreement = Annotated[
    float | None,
    typer.Option(
        "--judge-agreement",
        help="Also say what a judge of all answers saves that is right on this share of them.",
        **RATE,
    ),
]
Pilot = Annotated[
    Path | None, typer.Option("--pilot", help="Outcomes of some arms, in a file that 'thresher tell --from' takes.")
]
ArmColumn = Annotated[list[str] | None, typer.Option("--arm-column", help="Of the pilot: which column names the arm.")]
OutcomeColumn = Annotated[str, typer.Option("--outcome-column", help="Of the pilot: which column is the outcome.")]
Success = Annotated[list[str] | None, typer.Option("--success", help="Of the pilot: a word that counts as 1.")]
PolicyOption = Annotated[str, typer.Option("--policy", "-p", help="Policy to compare with uniform sampling.")]
Runs = Annotated[int, typer.Option("--runs", "-r", min=2, help="How many runs.")]
Seed = Annotated[int, typer.Option("--seed", "-s", min=0, help="Random seed.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Plot = Annotated[
    str | None, typer.Option("--plot", help="Draw mistakes against budget into this file, and in the terminal.")
]


def plan(
    problem: ProblemArgument = None,
    mistakes: Mistakes = 1.0,
    arms: Arms = None,
    family: Family = "",
    bar: Bar = None,
    centre: Centre = None,
    spread: Spread = None,
    sigma: Sigma = None,
    cost: Cost = None,
    pull_cost: PullCost = None,
    items: Items = None,
    judge_agreement: JudgeAgreement = None,
    pilot: Pilot = None,
    arm_column: ArmColumn = None,
    outcome_column: OutcomeColumn = "",
    success: Success = None,
    policy: PolicyOption = "stopping",
    runs: Runs = 400,
    seed: Seed = 0,
    json: Json = False,
    plot: Plot = None,
    control: ControlOption = None,
    margin: MarginOption = None,
) -> None:
    """Find the budget for a target number of mistakes.

    It also shows what uniform sampling would need. Describe the arms: their number, the spread of their means, the
    bar. Or give a pilot or a problem. Examples:

        thresher plan --arms 50 --family bernoulli --bar 0.8 --centre 0.75 --spread 0.1 --mistakes 2

        thresher plan --pilot runs.csv --bar 0.8 --arms 50

        thresher plan linear --mistakes 1

        thresher plan --arms 40 --family bernoulli --bar 0.5 --spread 0.15 --items 700

        thresher plan --arms 40 --family bernoulli --bar 0.5 --spread 0.15 --items 700 --judge-agreement 95%

        thresher plan --arms 20 --family bernoulli --bar 0.1 --spread 0.02 --control today --margin -2%

    With --control the bar is the mean of one more arm, which is measured too; --bar is what you expect that mean to be.
    With --items the plan takes the finite pool into account, but not the correlation of arms that share items.
    """
    from thresher.cli.show import answer, progress, say
    from thresher.report import picture_path
    from thresher.research.simulation import check_judge, judge_saving, with_costs, with_items
    from thresher.research.simulation import plan as make
    from thresher.run.importers import Columns

    picture = None if plot is None else picture_path(plot)
    columns = Columns(arm=tuple(arm_column or ()), outcome=outcome_column, success=tuple(success or ()))
    assumed = {"arms": arms, "family": family, "bar": bar, "centre": centre, "spread": spread, "sigma": sigma}
    given = {key: value for key, value in assumed.items() if value not in (None, "")}
    bar_of = {key: value for key, value in (("control", control), ("margin", margin)) if value is not None}
    found = _problem(problem, pilot, columns, given, bar_of)
    if cost or pull_cost:
        found = with_costs(found, costs=cost or [1.0], pull_costs=pull_cost or [1.0])
    unpooled = found
    if items is not None:
        found = with_items(found, items)
    if judge_agreement is not None:
        check_judge(unpooled, _items_of(items), judge_agreement)
    asked: dict[str, Any] = {"mistakes": mistakes, "policy": policy, "runs": runs, "seed": seed}
    with progress("simulating") as update:
        made = make(found, **asked, progress=update, say=say)
    saving = None
    if judge_agreement is not None:
        with progress("simulating the judge") as update:
            saving = judge_saving(unpooled, items=_items_of(items), agreement=judge_agreement, **asked, progress=update)
    if picture is not None:
        made.plot(picture)
    if json:
        judge = {} if saving is None else {"judge": saving.to_dict()}
        answer(to_json.dumps(made.to_dict() | judge, allow_nan=False))
        return
    _show(made, picture)
    if saving is not None:
        say(saving.summary)


def _items_of(items: int | None) -> int:
    """Return how many items there are, or raise: a judge grades answers to items."""
    if items is None:
        raise InvalidInputError("--items", rule="must come with --judge-agreement: how many answers are graded")
    return items


def _problem(
    name: str | None, pilot: Path | None, columns: Columns, given: dict[str, Any], control: dict[str, Any]
) -> Problem:
    """Return the problem to plan for: a named one, the population of a pilot, or an assumed population."""
    from thresher.problem import find_problem
    from thresher.research.simulation import assumed_problem

    if name is not None:
        if pilot is not None or given:
            raise InvalidInputError(
                "problem", name, rule="must be the only source: leave out --pilot and the assumptions"
            )
        return find_problem(name, **control)
    if pilot is not None:
        if control:
            rule, fix = "must be left out with --pilot", "say --arms and --spread"
            raise InvalidInputError(f"--{next(iter(control))}", next(iter(control.values())), rule=rule, fix=fix)
        return _piloted(pilot, columns, given)
    if "arms" not in given or "spread" not in given:
        raise InvalidInputError("problem", rule="name a problem, give --pilot, or give --arms and --spread")
    return assumed_problem(**given, **control)


def _piloted(path: Path, columns: Columns, given: dict[str, Any]) -> Problem:
    from thresher.cli.show import say
    from thresher.report import counted
    from thresher.research.simulation import pilot_problem
    from thresher.run.importers import read_log

    if "bar" not in given or "centre" in given or "spread" in given:
        rule = "needs --bar, and neither --centre nor --spread: the pilot shows where the means lie and how they spread"
        raise InvalidInputError("--pilot", str(path), rule=rule)
    samples: dict[str, list[float]] = {}
    for one in read_log(path, columns)[0]:
        samples.setdefault(one.arm, []).append(one.value)
    say(f"The pilot has {counted(sum(map(len, samples.values())), 'outcome')} of {counted(len(samples), 'arm')}.")
    return pilot_problem(samples, **given)


def _show(made: Plan, picture: Path | None) -> None:
    from thresher.cli.show import answer, say, table
    from thresher.report import curves_of, terminal_picture

    heads, rows = made.table()
    table(heads, rows, title=made.title)
    say(made.summary)
    if picture is not None:
        answer("\n" + terminal_picture(curves_of(made.result.rows()), ylabel="mistakes expected (log)"))
        say(f"\nThe picture is in {picture}.")
