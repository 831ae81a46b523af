"""``thresher simulate --confidence``: how long policies take that stop by themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import InvalidProblemError

if TYPE_CHECKING:
    from thresher.experiment import StoppingTimes
    from thresher.experiment.stopping_result import OutputTime
    from thresher.problem import Problem

FEW = 5  # outputs that a table shows


def until_sure(
    problem: Problem,
    policies: Sequence[str],
    *,
    budgets: Sequence[float],
    others: Sequence[str],
    json: bool,
    **options: Any,
) -> None:
    """Show how many pulls each policy takes until it stops, and how often it is wrong.

    Parameters
    ----------
    problem : Problem
    policies : sequence of str
    budgets : sequence of float
        None, or one: the most pulls of a run.
    others : sequence of str
        Options that were given and go with a budget only.
    json : bool
        Print one JSON document.
    **options
        As of :func:`thresher.experiment.stopping_times`.
    """
    from thresher.cli.show import answer, progress, say
    from thresher.experiment import stopping_times

    if others:
        raise InvalidProblemError(
            f"--confidence with {others[0]}", instead=f"leave {others[0]} out: it belongs to a policy with a budget"
        )
    with progress("simulating") as update:
        result = stopping_times(problem, policies, **_most(budgets), **options, progress=update, say=say)
    if json:
        answer(result.to_json())
    else:
        _show(result)


def _most(budgets: Sequence[float]) -> dict[str, Any]:
    if len(budgets) > 1 or not all(float(budget).is_integer() for budget in budgets):
        raise InvalidProblemError(
            "--confidence with several budgets, or a budget that is no number of pulls",
            instead="give one --budget, the most pulls of a run, or none",
        )
    return {"most_pulls": int(budgets[0])} if budgets else {}


def _show(result: StoppingTimes) -> None:
    from thresher.cli.show import number, say, table

    rows = result.rows()
    problem = result.problem
    title = f"{problem.name}: {problem.n_arms} arms, {result.runs} runs, confidence {result.confidence:g}"
    table(
        ["policy", "pulls", "std. error", "25 %", "median", "75 %", "error", "std. error", "what counts as an error"],
        [
            [
                row.policy,
                *(_pulls(value) for value in (row.mean, row.stderr, row.q25, row.median, row.q75)),
                number(row.error),
                number(row.error_stderr),
                row.promise,
            ]
            for row in rows
        ],
        title=title,
        left=(0, 8),
    )
    _show_outputs(result)
    for row in rows:
        if row.capped:
            say(
                f"Note: {row.capped:.1%} of the runs of {row.policy!r} ended at {row.budget:,} pulls, the most; "
                "give more with --budget."
            )
    for note in problem.notes:
        say(f"Note: {note}.")


def _pulls(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1f}"


def _with_error(output: OutputTime) -> str:
    return f"{output.mean:.1f} ({'–' if math.isnan(output.stderr) else f'{output.stderr:.2g}'})"


def _show_outputs(result: StoppingTimes) -> None:
    from thresher.cli.show import answer, table

    shown = min(FEW, max((len(row.outputs) for row in result.rows()), default=0))
    if not shown:
        return
    answer("")
    rows = [
        [row.policy, *([_with_error(each) for each in row.outputs[:shown]] + [""] * shown)[:shown]]
        for row in result.rows()
    ]
    title = "Pulls until the first arm was output as above the bar, the second, …"
    table(["policy", *(f"{i}." for i in range(1, shown + 1))], rows, title=title)
