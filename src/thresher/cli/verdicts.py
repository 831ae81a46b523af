"""``thresher verdicts``: the decision and the statistics of each arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.campaigns import DEFAULT, Database, Json, Name, campaign_at
from thresher.cli.decisions import All, Guarantee, Pass, Risk, SigmaCheck
from thresher.cli.usage import RATE

if TYPE_CHECKING:
    from thresher.campaign import Standing, Verdicts

Check = Annotated[
    bool,
    typer.Option(
        "--check", help="Exit with 0 if every arm passes, 1 if any fails, 2 if none fails and some are undecided."
    ),
]
OtherBar = Annotated[
    float | None,
    typer.Option("--bar", help="What would change if this were the bar; the campaign keeps its own.", **RATE),
]
MOST_FLIPS = 20  # arms in a sentence


def verdicts(
    campaign: Name = None,
    check: Check = False,
    passes: Pass = None,
    risk: Risk = None,
    guarantee: Guarantee = None,
    sigma_check: SigmaCheck = None,
    bar: OtherBar = None,
    all_: All = False,
    db: Database = DEFAULT,
    json: Json = False,
) -> None:
    """Show which arms pass, which fail and which are undecided.

    Examples: thresher verdicts coins --check --risk 0.01; thresher verdicts coins --bar 0.85
    """
    from thresher.campaign import are_imported
    from thresher.cli.decisions import next_step_of, show_decisions
    from thresher.report import exit_code

    under: dict[str, Any] = {"risk": risk, "guarantee": guarantee, "passes": passes, "sigma_check": sigma_check}
    with campaign_at(db, campaign) as found:
        rows, standing = found.verdicts(**under), found.standing
        own, rows = rows, rows if bar is None else found.verdicts(**under, bar=bar)
        if json:
            _answer(rows, standing, own)
        else:  # while the campaign is open: the next step may ask it for an offer
            is_imported = are_imported(found.history, standing)
            step = next_step_of(rows, standing, db, is_imported=is_imported)
            show_decisions(rows, standing, step=step if bar is None else _changes(own, rows), all_rows=all_)
            _say_notes(rows, is_adaptive=standing.spent > 0)
    if check and (code := exit_code(rows)):
        raise typer.Exit(code)


def _changes(own: Verdicts, rows: Verdicts) -> str:
    """Return which arms another bar would decide otherwise."""
    from thresher.campaign import flips
    from thresher.report import KEPT, WORDS, flips_clause

    changed = flips(own, rows)
    listed = [f"{one.arm} ({WORDS[one.before]} → {WORDS[one.after]})" for one in changed]
    rest = f" and {len(listed) - MOST_FLIPS:,} more (--json)" if len(listed) > MOST_FLIPS else ""
    names = f": {', '.join(listed[:MOST_FLIPS])}{rest}" if listed else ""
    return f"{flips_clause(changed, len(rows))}{names}. {KEPT}"


def _answer(rows: Verdicts, standing: Standing, own: Verdicts) -> None:
    from dataclasses import asdict
    from json import dumps

    from thresher.campaign import flips
    from thresher.cli.show import answer

    document = {"campaign": standing.to_dict(), **rows.to_document()}
    if own is not rows:
        document["flips"] = [asdict(one) for one in flips(own, rows)]
    answer(dumps(document))


def _say_notes(rows: Verdicts, *, is_adaptive: bool) -> None:
    from thresher.cli.show import say_note

    for note in rows.notes:
        say_note(note)
    if is_adaptive and any(row.mean is not None for row in rows):
        say_note(
            "adaptive sampling biases the means a little; for an interval of a mean use valid_low, valid_high in --json"
        )
