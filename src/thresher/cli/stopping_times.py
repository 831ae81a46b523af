"""The tables of ``thresher simulate --alpha``: stopping times of policies with a stopping rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thresher.number_text import amount, chance

if TYPE_CHECKING:
    from thresher.research.simulation import OutputTime, Result

FEW = 5  # outputs that a table shows


def show_times(result: Result) -> None:
    """Show how many pulls each policy takes until it stops, how often it is wrong, and when it outputs arms."""
    from thresher.cli.show import say_note, table
    from thresher.report import text_cell

    rows = result.rows()
    columns = ("spent", "spent_stderr", "spent_q25", "spent_median", "spent_q75")
    table(
        ["policy", "pulls", "std. error", "25 %", "median", "75 %", "error", "std. error", "an error is"],
        [
            [
                row.policy,
                *(amount(getattr(row, column), 4) for column in columns),
                text_cell(row.mean),
                text_cell(row.stderr),
                row.loss,
            ]
            for row in rows
        ],
        title=result.title,
        left=(0, 8),
        drop=(3, 5, 7, 8, 4),
    )
    _show_outputs(result)
    for row in rows:
        if row.stopped != 1.0:
            say_note(
                f"{chance(1.0 - (row.stopped or 0.0))} of the runs of {row.policy!r} ended at "
                f"{amount(row.budget)} pulls, the limit; raise it with --budget"
            )


def _with_error(output: OutputTime) -> str:
    return f"{amount(output.mean, 4)} ({amount(output.stderr, 4)})"


def _show_outputs(result: Result) -> None:
    from thresher.cli.show import answer, table

    outputs = {policy: result.outputs(policy) for policy in result.policies}
    shown = min(FEW, max((len(each) for each in outputs.values()), default=0))
    if not shown:
        return
    answer("")
    rows = [
        [policy, *([_with_error(output) for output in each[:shown]] + [""] * shown)[:shown]]
        for policy, each in outputs.items()
    ]
    title = "Pulls until the first arm was output as above the bar, the second, …"
    table(["policy", *(f"{i}." for i in range(1, shown + 1))], rows, title=title, drop=range(shown, 1, -1))
