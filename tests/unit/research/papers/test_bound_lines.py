import numpy as np
import pytest

from thresher.report.panels import Line
from thresher.research.papers.bound_lines import capped_bounds, first_below, limits, printed_bounds, set_sizes

GAPS = np.arange(1, 51) / 50.0


def test_the_printed_bounds_have_the_values_of_the_formulas() -> None:
    panel = printed_bounds(GAPS, (1e4, 7e4, 1e5, 3e5), least=1e-3)
    assert panel.line("fwt").at(7e4) == pytest.approx(38.34, abs=5e-3)
    assert panel.line("fwt").at(3e5) == pytest.approx(2.625e-4, rel=1e-3)
    assert panel.line("apt").at(1e5) == pytest.approx(110.9, rel=1e-3)  # not capped, as printed
    assert panel.line("oracle, bound").at(1e4) == pytest.approx(0.3899, rel=1e-3)


def test_the_sets_have_the_sizes_of_the_optimum() -> None:
    panel = set_sizes(GAPS, (1e3, 7e4, 1e5, 3e5))
    assert panel.line("S′").y == (0.0, 29.0, 44.0, 50.0)
    assert panel.line("S").y == (0.0, 50.0, 50.0, 50.0)


def test_capped_bounds_charge_no_arm_more_than_its_cost() -> None:
    bounds, arms = capped_bounds(GAPS, (1e3, 1.5e5), least=1e-3)
    for name in ("apt", "lsa", "fwt", "stopping"):
        assert bounds.line(name).at(1e3) == pytest.approx(50.0)
        assert arms.line(name).y == (0.0, 50.0)
        assert bounds.line(name).at(1.5e5) < bounds.line(name).at(1e3)


def test_limits_are_in_order() -> None:
    panel = limits(GAPS, (500.0,))
    values = [
        panel.line(name).y[0] for name in ("oracle, bound", "oracle", "static-optimum", "adaptive limit", "lower bound")
    ]
    assert values == sorted(values, reverse=True)


def test_the_first_budget_below_a_value() -> None:
    line = Line("lsa", (1.0, 2.0, 3.0), (9.0, 4.0, 1.0))
    assert first_below(line, 5.0) == 2.0
    assert first_below(line, 0.5) == float("inf")
