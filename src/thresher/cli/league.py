"""``thresher league``: every policy on every problem of the suite."""

from __future__ import annotations

import json as to_json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thresher.cli.output_file import check_new_file
from thresher.errors import InvalidInputError

if TYPE_CHECKING:
    from thresher.research.league import League

Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Store runs, tables and a picture in this folder; an interrupted league resumes from it."
    ),
]
Policies = Annotated[
    str, typer.Option("--policies", help="Which policies: core, or all to include the literature baselines.")
]
Policy = Annotated[
    list[str] | None,
    typer.Option("--policy", "-p", help="A policy that plays too: a name, or module:Class of your own. Repeatable."),
]
Problems = Annotated[
    list[str] | None,
    typer.Option("--problem", help="A problem of the suite, to play a part of it. Repeatable. [default: all]"),
]
Read = Annotated[
    list[Path] | None,
    typer.Option("--read", help="Show this result (league.json) instead of playing. Several are put into one table."),
]
Runs = Annotated[
    int | None, typer.Option("--runs", "-r", min=2, help="Runs of every problem. [default: each has its own number]")
]
Seed = Annotated[int, typer.Option("--seed", "-s", min=0, help="Random seed; the same seed gives the same answer.")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-j", min=1, help="How many workers. [default: one for each core]")
]
Force = Annotated[bool, typer.Option("--force", help="With --read: replace tables that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def league(
    out: Out = None,
    policies: Policies = "core",
    policy: Policy = None,
    problem: Problems = None,
    runs: Runs = None,
    seed: Seed = 0,
    workers: Workers = None,
    read: Read = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare all policies on a suite of problems.

    They use common random numbers, and the result shows the lower limits too. It takes a few minutes, and about
    ten times as long with --policies all. With --out an interrupted league can be resumed. Examples:

        thresher league --out league

        thresher league --policy my_module:MyPolicy --out league

        thresher league --read league/league.json --read theirs.json
    """
    from thresher.cli.plugins import import_policies
    from thresher.cli.show import answer

    if read:
        if out is not None:  # without --read the folder has the runs, from which its tables can be made again
            check_new_file(out / "league.json", force=force)
        played = _read(read, {"--policy": policy, "--problem": problem, "--runs": runs})
    else:
        extra = import_policies(policy or [])
        asked = {"lineup": policies, "extra": extra, "problems": problem or (), "runs": runs, "seed": seed}
        played = _play(asked | {"workers": workers, "out": out})
    if json:
        answer(to_json.dumps(played.to_dict(), allow_nan=False))
    else:
        _show(played)
    if out is not None:
        _write(played, out)


def _play(asked: dict[str, Any]) -> League:
    from thresher.cli.show import progress, say
    from thresher.research.league import league as play
    from thresher.research.simulation import Interrupted

    try:
        with progress("playing") as update:
            return play(**asked, progress=update, say=say)
    except Interrupted:
        if asked["out"] is not None:
            say(f"Interrupted. Finished runs are in {asked['out']}: run the same command again to resume.")
        raise


def _read(paths: list[Path], asked: dict[str, Any]) -> League:
    from thresher.research.league import merge_leagues, read_league

    for option, given in asked.items():
        if given:
            raise InvalidInputError(option, given, rule="must be left out with --read: nothing is played")
    return merge_leagues([read_league(path) for path in paths])


def _show(played: League) -> None:
    from thresher.cli.show import answer, table
    from thresher.research.league import tables

    for each in tables(played):
        table(each.headers, each.rows, title=each.title, left=each.left, drop=each.dropped)
        answer("")


def _write(played: League, out: Path) -> None:
    from thresher.cli.show import say
    from thresher.research.league import write_league

    paths = write_league(played, out)
    say(f"Tables and picture are in {', '.join(map(str, paths))}.")
