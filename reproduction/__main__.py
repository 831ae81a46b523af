"""``python -m reproduction``: figures and claims of the paper and its neighbours; options of ``thresher reproduce``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from thresher.cli.main import run_app
from thresher.cli.output_file import Force
from thresher.cli.reproduce import Json, Out, Runs, reproduce_collection

Figures = Annotated[
    list[str] | None,
    typer.Argument(help="Names such as locatelli2016, katz-samuels2018, figure-1, toy. [default: all]"),
]

app = typer.Typer(
    name="python -m reproduction", add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)


@app.command()
def reproduce(
    figure: Figures = None, out: Out = "figures", runs: Runs = 500, force: Force = False, json: Json = False
) -> None:
    """Make the figures of the paper and of its neighbours, and check their claims.

    Each FIGURE becomes a CSV, a PNG and an SVG; index.html shows them all, with what the papers claim and what was
    found. Example:

        python -m reproduction kano2019 --out figures
    """
    from reproduction.catalogue import LITERATURE

    reproduce_collection(LITERATURE, figure or (), out=out, runs=runs, force=force, json=json)


if __name__ == "__main__":
    run_app(app, sys.argv[1:])
