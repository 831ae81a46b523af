import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thresher.policy.index.curves import QUANTUM, load_curve
from thresher.research.theory import curves
from thresher.research.theory.curves import GRID, SOLVER, write_curves


@pytest.mark.by_day("another grid")
@pytest.mark.parametrize(
    # Another processor may round otherwise in the last digits of the solver.
    ("grid", "apart"),
    [(GRID, 1e-8), ({"cells": 400, "log_step": 0.005}, 1e-5)],
    ids=["its grid", "another grid"],
)
def test_writing_the_curves_anew_gives_the_shipped_files(
    grid: dict[str, Any], apart: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "GRID", grid)
    write_curves(tmp_path)
    for power in (0, 1):
        written = json.loads((tmp_path / f"power-{power}.json").read_text(encoding="utf-8"))
        knots = np.array(written.pop("knots")) * QUANTUM
        shipped = load_curve(f"power-{power}")
        assert shipped.power == power
        np.testing.assert_allclose(knots, shipped.knots, rtol=0, atol=apart)
        assert written == {"power": float(power), "solver": SOLVER, "grid": grid, "unit": "2^-32"}
