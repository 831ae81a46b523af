"""``thresher league``: every policy on every problem of the suite."""

from __future__ import annotations

import json as to_json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thresher.experiment.leagues import League

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Store runs, tables and a picture in this folder; an interrupted league resumes from it."
    ),
]
Policies = Annotated[
    str, typer.Option("--policies", help="Which policies: core, or all to include the literature baselines.")
]
Runs = Annotated[
    int | None, typer.Option("--runs", "-r", min=2, help="Runs of every problem. [default: each has its own number]")
]
Seed = Annotated[int, typer.Option("--seed", "-s", min=0, help="Random seed; the same seed gives the same answer.")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-j", min=1, help="How many workers. [default: one for each core]")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def league(
    out: Out = None,
    policies: Policies = "core",
    runs: Runs = None,
    seed: Seed = 0,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Run all policies on a suite of problems with common random numbers, and compare them with lower limits.

    It takes a few minutes, and about ten times as long with --policies all. With --out an interrupted league can be
    resumed. Example:

        thresher league --out league
    """
    from thresher.cli.show import answer, progress, say
    from thresher.experiment import Interrupted
    from thresher.experiment.leagues import league as play

    try:
        with progress("playing") as update:
            played = play(lineup=policies, runs=runs, seed=seed, out=out, workers=workers, progress=update, say=say)
    except Interrupted:
        if out is not None:
            say(f"Interrupted. Finished runs are in {out}: run the same command again to resume.")
        raise
    if json:
        answer(to_json.dumps(played.to_dict(), allow_nan=False))
    else:
        _show(played)
    if out is not None:
        _write(played, out)


def _show(played: League) -> None:
    from thresher.cli.show import answer, table
    from thresher.experiment.league_files import tables

    for each in tables(played):
        table(each.headers, each.rows, title=each.title, left=each.left, drop=each.dropped)
        answer("")


def _write(played: League, out: Path) -> None:
    from thresher.cli.show import say
    from thresher.experiment.league_files import write_league

    paths = write_league(played, out)
    say(f"Tables and picture are in {', '.join(map(str, paths))}.")
