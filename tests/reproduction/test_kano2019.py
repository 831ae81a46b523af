import pytest

from reproduction.kano2019 import EXPERIMENTS, POLICIES, REPRODUCED, distance, timed
from thresher.problem import named
from thresher.research.papers.grid import Grid


def test_the_distance_by_hand() -> None:
    # 1000 runs of ours with a standard error of 3, and theirs alike: 9 / (3 * sqrt 2).
    assert distance(109.0, 3.0, 100.0, 1000) == pytest.approx(9.0 / (3.0 * 2.0**0.5))
    # A quarter of their runs: theirs is half of ours.
    assert distance(109.0, 3.0, 100.0, 250) == pytest.approx(9.0 / (3.0 * 1.25**0.5))
    assert distance(109.0, 0.0, 100.0, 1) == 0.0


def test_there_is_a_time_for_every_good_arm_and_one_for_the_stop() -> None:
    for problem, policies in REPRODUCED.items():
        above = int((named(problem).means > named(problem).thresholds).sum())
        assert set(policies) == set(POLICIES)
        for times in policies.values():
            assert len(times) == above + 1
            assert list(times) == sorted(times)


def test_times_are_rounds() -> None:
    grid = Grid(runs=3)
    rows = timed(grid)
    assert len(rows) == 42
    result = grid.result(EXPERIMENTS["kano-2"])
    (stop,) = [row for row in rows if (row.problem, row.policy, row.event) == ("kano-2", "hdoc", "stop")]
    assert stop.ours == result.spent("hdoc").mean() + 1.0
