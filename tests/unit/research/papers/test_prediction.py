"""The time of a reproduction is predicted from a few runs of its simulations."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from thresher.report.panels import Panels
from thresher.research.papers import prediction
from thresher.research.papers.catalogue import FIGURES
from thresher.research.papers.grid import Grid


class Clock:
    """A clock that moves only when a simulation or a computation moves it."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


def test_it_adds_what_is_computed_to_what_all_runs_take(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = Clock(), list[int]()
    monkeypatch.setattr(prediction, "time", clock)

    def run(*, runs: int, **_: object) -> None:
        asked.append(runs)
        clock.now += 30.0 if len(asked) == 1 else 0.02 * runs  # the first run compiles

    def panels(grid: Grid) -> Panels:
        clock.now += 5.0
        grid.result(SimpleNamespace(name="one", run=run))
        grid.result(SimpleNamespace(name="one", run=run))
        return ()

    figure = replace(FIGURES["figure-1"], panels=panels)
    assert prediction.predicted_seconds([figure], runs=10_000) == pytest.approx(5.0 + 0.02 * 10_000)
    assert asked == [1, prediction.PROBE], "a simulation is run once, as in a reproduction"
    asked[:] = [0]
    sentence = prediction.prediction([figure], runs=10_000)
    assert sentence == "10,000 runs of each simulation: about 4 minutes on this machine"
    assert prediction.prediction([figure], runs=500) == ""


def test_a_real_figure_is_predicted() -> None:
    assert 0.0 < prediction.predicted_seconds([FIGURES["figure-1"]], runs=2_000) < 3600.0
