"""The tables of docs/explanation/how-sure.md: ``python -m benchmarks.decisions calibration peeking …``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.decisions.assumptions import assumptions
from benchmarks.decisions.calibration import calibration
from benchmarks.decisions.controls import controls
from benchmarks.decisions.extensions import extensions
from benchmarks.decisions.few import few, held
from benchmarks.decisions.guarantees import guarantees
from benchmarks.decisions.nights import nights
from benchmarks.decisions.peeking import peeking
from benchmarks.decisions.power import power, reference

PARTS: dict[str, Callable[[float, int, Path | None], None]] = {
    "calibration": calibration,
    "few": few,
    "intervals": held,
    "peeking": peeking,
    "nights": nights,
    "assumptions": assumptions,
    "controls": controls,
    "guarantees": guarantees,
    "power": power,
    "reference": reference,
    "extensions": extensions,
}


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all unless given")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the number of runs")
    parser.add_argument("--seed", type=int, default=2, help="random seed")
    parser.add_argument(
        "--problem",
        default="",
        help="of the calibration, of controls and of extensions: only those with this in their names",
    )
    parser.add_argument("--plot", type=Path, help="of claimed and realised chances")
    given = parser.parse_args()
    parts = PARTS | {
        "calibration": partial(calibration, part=given.problem),
        "controls": partial(controls, part=given.problem),
        "extensions": partial(extensions, part=given.problem),
    }
    for name in given.part or parts:
        print(f"\n{name}\n", flush=True)
        parts[name](given.scale, given.seed, given.plot)


if __name__ == "__main__":
    main()
