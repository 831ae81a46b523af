import math

import pytest

from reproduction.chen2013 import EXPERIMENT, PUBLISHED, PULLS_PER_ARM, _distance, accuracies
from thresher.research.papers.grid import Grid


def test_the_distance_by_hand() -> None:
    spread = math.sqrt(0.06**2 / 20 + 0.06**2 / 500 + 0.002**2)
    assert _distance(0.8, 0.79, 0.06, 500) == pytest.approx(-0.01 / spread)


def test_there_is_a_published_value_for_every_budget() -> None:
    assert EXPERIMENT.budgets == (100.0, 200.0, 300.0, 400.0, 500.0)
    assert all(len(values) == len(PULLS_PER_ARM) for values in PUBLISHED.values())


def test_accuracies_are_shares_of_right_verdicts() -> None:
    grid = Grid(runs=10)
    rows = accuracies(grid)
    assert [row.policy for row in rows] == [policy for policy in PUBLISHED for _ in PULLS_PER_ARM]
    losses = grid.result(EXPERIMENT).losses("opt-kg")
    assert rows[-1].ours == pytest.approx(1.0 - losses[:, -1].mean() / 50)
    assert rows[-1].spread == pytest.approx((losses[:, -1] / 50).std())
