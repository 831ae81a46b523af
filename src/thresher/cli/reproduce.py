"""``thresher reproduce``: every figure of the paper, with its claims checked."""

from __future__ import annotations

import json as to_json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thresher.cli.output_file import Force, check_new_file

if TYPE_CHECKING:
    from thresher.research.papers import CheckedClaim, Collection, Reproduction

Figures = Annotated[
    list[str] | None,
    typer.Argument(help="Names such as figure-1, figure-3 (both halves), toy. [default: all]"),
]
Out = Annotated[str, typer.Option("--out", "-o", help="The directory for figures and gallery.")]
Runs = Annotated[int, typer.Option("--runs", "-r", min=1, help="Runs of each simulation; the paper has 500.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def reproduce(
    figure: Figures = None, out: Out = "figures", runs: Runs = 500, force: Force = False, json: Json = False
) -> None:
    """Make the figures of the paper, and check its claims.

    Each FIGURE becomes a CSV, a PNG and an SVG; index.html shows them all, with what the paper claims and what was
    found.

        thresher reproduce --out figures
    """
    from thresher.research.papers import OUHAMMA2021

    reproduce_collection(OUHAMMA2021, figure or (), out=out, runs=runs, force=force, json=json)


def reproduce_collection(
    collection: Collection, names: Sequence[str], *, out: str, runs: int, force: bool, json: bool
) -> None:
    """Make figures of a collection with their gallery, and print what was made."""
    from thresher.cli.show import answer, progress, say
    from thresher.research.papers import files_of
    from thresher.research.papers import reproduce as run

    for file in files_of(collection.select(names)):
        check_new_file(Path(out) / file, force=force)
    with progress("reproducing") as update:
        whole = run(names, out=out, collection=collection, runs=runs, progress=update, say=say)
    if json:
        answer(to_json.dumps(_document(whole), allow_nan=False))
        return
    _show(whole)


def _document(whole: Reproduction) -> dict[str, object]:
    return {
        "runs": whole.runs,
        "seed": whole.seed,
        "gallery": str(whole.out / "index.html"),
        "figures": [
            {"name": made.figure.name, "title": made.figure.title, "found": made.found} for made in whole.figures
        ],
        "claims": [
            {
                "name": checked.claim.name,
                "place": checked.claim.place,
                "says": checked.claim.says,
                "verdict": checked.claim.verdict,
                "found": checked.finding.verdict,
                "numbers": checked.finding.numbers,
            }
            for checked in whole.claims
        ],
    }


def _show(whole: Reproduction) -> None:
    from thresher.cli.show import answer, table

    table(
        ["figure", "shows", "from"],
        [[made.figure.name, made.figure.title, made.figure.place] for made in whole.figures],
        left=(0, 1, 2),
        drop=(2,),
    )
    answer("")
    table(["claim", "verdict", "place"], [_row(checked) for checked in whole.claims], left=(0, 1, 2), drop=(2,))
    answer(f"\nThe gallery is {whole.out / 'index.html'}.")


def _row(checked: CheckedClaim) -> list[str]:
    doubt = "" if checked.agrees else f" (in these runs: {checked.finding.verdict})"
    return [checked.claim.name, checked.claim.verdict + doubt, checked.claim.place]
