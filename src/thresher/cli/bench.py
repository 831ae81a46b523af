"""``thresher bench``: what a pull costs on this machine."""

from __future__ import annotations

import json as to_json
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def bench(json: Json = False) -> None:
    """Measure what a simulated pull costs on this machine.

    It takes a minute or two. Compare the ratios with one random draw: absolute times depend on the load.
    """
    from thresher.cli.show import answer, progress, table
    from thresher.number_text import figure
    from thresher.research.simulation import bench as measure

    with progress("measuring") as update:
        found = measure(update)
    if json:
        answer(to_json.dumps(found))
        return
    ratios = found["ratios"]
    arms = list(next(iter(found["pull_ns"].values())))
    rows = [
        [name, *(f"{figure(row[k])} ns ({figure(ratios['pull / own draw'][name][k])})" for k in arms)]
        for name, row in found["pull_ns"].items()
    ]
    draw = f"{figure(found['own_draw_ns'])} ns; NumPy's PCG64: {figure(found['draw_ns'])} ns"
    title = f"A pull of linear:K at T = 200 K, in draws of its stream ({draw})"
    table(["policy", *(f"{int(k):,} arms" for k in arms)], rows, title=title)
    for name in ("argmin loop / lsa", "vectorised numpy / lsa", "two threads / one"):
        answer(f"{name}: {figure(ratios[name])}")
    seconds = figure(found["paper_experiment_s"])
    answer(f"the paper's experiment (50 arms, 10,000 pulls, 500 runs, three policies): {seconds} s")
