import math

from reproduction.degenne2019 import EXPERIMENTS, PER_LOG, REPRODUCED, timed
from thresher.research.papers.grid import Grid


def test_the_levels_are_those_of_the_reproduction() -> None:
    for log, experiment in EXPERIMENTS.items():
        assert -math.log(experiment.alpha) == log
    assert math.exp(-900.0) == 0.0  # the row that is left out


def test_no_rule_can_do_with_fewer_pulls_for_each_unit() -> None:
    assert PER_LOG == 8.0
    assert all(rounds > PER_LOG * log for log, rounds in REPRODUCED.items())


def test_times_are_rounds_next_to_theirs() -> None:
    rows = timed(Grid(runs=2))
    assert [row.theirs for row in rows] == list(REPRODUCED.values())
    assert all(row.ours > 0.5 * row.theirs for row in rows)
