"""``thresher verdicts``: what is known of each arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at

if TYPE_CHECKING:
    from thresher.live import Standing, Verdict, Verdicts

Check = Annotated[
    bool, typer.Option("--check", help="Exit 0 if every arm passes, 1 if some fails, 2 if some is not sure.")
]
Pass = Annotated[str, typer.Option("--pass", help="above or below: on which side an arm passes.")]
Abstain = Annotated[
    float, typer.Option("--abstain", help="Leave an arm open that is wrong with more than this chance.")
]
HEADERS = ["arm", "verdict", "sure", "mean", "pulls", "low", "high", "chance of error", "price"]


def verdicts(
    campaign: Name = None,
    check: Check = False,
    passes: Pass = "above",
    abstain: Abstain = 1.0,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Show the verdict on each arm, with how sure it is.

    Example: thresher verdicts coins --check --pass below
    """
    from thresher.runner.judgement import exit_code

    if passes not in ("above", "below"):
        raise typer.BadParameter(f"--pass {passes!r}: give above or below")
    if not 0 < abstain <= 1:
        raise typer.BadParameter(f"--abstain {abstain:g}: give a chance above 0 and at most 1")
    with campaign_at(db, campaign) as found:
        rows, standing = found.verdicts().leaving_open(abstain), found.standing
    _show(rows, standing, json=json)
    if check and (code := exit_code(rows, passes)):
        raise typer.Exit(code)


def _show(rows: Verdicts, standing: Standing, *, json: bool) -> None:
    from thresher.cli.show import answer, say, table

    if json:
        from json import dumps

        answer(dumps(document(rows, standing)))
        return
    spent = f"{standing.spent:g} of {standing.budget:g} spent"
    title = f"{standing.name}: {spent}, {rows.expected_mistakes:.2g} mistakes expected"
    table(HEADERS, [_cells(row) for row in rows], title=title, left=(0, 1, 2))
    for note in rows.notes:
        say(f"Note: {note}.")
    say("Note: arms are measured by what they showed before, which biases their means a little.")


def _cells(row: Verdict) -> list[str]:
    from thresher.cli.show import number

    mean = "" if row.mean is None else number(row.mean)
    limits = [number(row.low), number(row.high)] if row.pulls else ["", ""]
    rest = [*limits, f"{row.p_wrong:.2g}", f"{row.price:.2g}"]
    return [row.arm, row.verdict, "yes" if row.sure else "no", mean, str(row.pulls), *rest]


def document(rows: Verdicts, standing: Standing) -> dict[str, Any]:
    """Return what ``verdicts --json`` prints; an unknown number is None."""
    import math

    def known(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return {
        "campaign": standing.to_dict(),
        "expected_mistakes": known(rows.expected_mistakes),
        "verdicts": [{key: known(value) for key, value in row.items()} for row in rows.to_dicts()],
        "notes": list(rows.notes),
    }
