import pytest

from thresher.report.panels import Line, Panel
from thresher.research.papers.grid import PAPER
from thresher.research.papers.ratios import found

LINES = tuple(Line(name, (100.0, 500.0, 2000.0, 8000.0), (1.0, 0.9, 0.8, 0.7)) for name in PAPER)


def test_what_is_to_be_seen_is_read_off_the_panels() -> None:
    told = found((Panel("linear", "budget T", "ratio", LINES),))
    assert told.startswith("linear: at T = 100 apt 1.00, lsa 1.00, fwt-sqrt 1.00; at T = 500 apt 0.90")
    assert told.endswith("at T = 8000 apt 0.70, lsa 0.70, fwt-sqrt 0.70.")


def test_a_panel_without_these_budgets_is_not_told_wrongly() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        found((Panel("linear", "budget T", "ratio", (Line("apt", (1.0,), (1.0,)),)),))
