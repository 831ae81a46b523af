import json
from pathlib import Path

import numpy as np
import pytest

from thresher.policy.index.curves import QUANTUM, load_curve
from thresher.research.theory.boundary import solve_boundary
from thresher.research.theory.curves import GRID, SOLVER, curve_of, write_curves


@pytest.mark.parametrize("power", [0, 1])
def test_the_shipped_curve_is_what_the_solver_gives_on_another_grid(power: int) -> None:
    solved = curve_of(solve_boundary(float(power), cells=400, log_step=0.005))
    shipped = load_curve(f"power-{power}")
    assert shipped.power == power
    np.testing.assert_allclose(shipped.knots, solved.knots, rtol=0, atol=1e-5)


def test_writing_the_curves_anew_gives_the_shipped_files(tmp_path: Path) -> None:
    write_curves(tmp_path)
    for power in (0, 1):
        written = json.loads((tmp_path / f"power-{power}.json").read_text(encoding="utf-8"))
        knots = np.array(written.pop("knots")) * QUANTUM
        # Another processor may round otherwise in the last digits of the solver.
        np.testing.assert_allclose(knots, load_curve(f"power-{power}").knots, rtol=0, atol=1e-8)
        assert written == {"power": float(power), "solver": SOLVER, "grid": GRID, "unit": "2^-32"}
