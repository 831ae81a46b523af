"""The curves that ship with thresher, from solved boundaries: run ``write_curves()`` after a change of the solver."""

from __future__ import annotations

import json
import math
from importlib import resources
from pathlib import Path

import numpy as np

from thresher.policy.index.curves import CELLS_PER_UNIT, QUANTUM, REACH, SolvedCurve
from thresher.research.theory.boundary import Boundary, solve_boundary

SOLVER = "front tracking on z/h, BDF2 in log-time, Richardson; version 1"
GRID = {"cells": 800, "log_step": 0.0025}


def curve_of(boundary: Boundary) -> SolvedCurve:
    r"""Return the lift :math:`\psi_p(\sqrt{2x}) - \tfrac12 \log x` of a solved boundary, at the knots of formulas."""
    roots = np.arange(int(REACH * CELLS_PER_UNIT) + 1) / CELLS_PER_UNIT
    lift = boundary.lift(math.sqrt(2.0) * roots) + 0.5 * math.log(2.0)
    return SolvedCurve(boundary.power, np.round(lift / QUANTUM) * QUANTUM)


def write_curves(directory: Path | None = None) -> None:
    """Solve and write the curves that ship: mistakes (power 0) and gaps (power 1).

    Parameters
    ----------
    directory : Path, optional
        Where to write ``power-0.json`` and ``power-1.json``; the package itself if left out.
    """
    target = directory or Path(str(resources.files("thresher.policy.index.curves")))
    for power in (0, 1):
        curve = curve_of(solve_boundary(float(power), **GRID))
        stored = {
            "power": float(power),
            "solver": SOLVER,
            "grid": GRID,
            "unit": "2^-32",
            "knots": [round(knot / QUANTUM) for knot in curve.knots.tolist()],
        }
        (target / f"power-{power}.json").write_text(_one_line_each(stored), encoding="utf-8")


def _one_line_each(stored: dict[str, object]) -> str:
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in stored.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
