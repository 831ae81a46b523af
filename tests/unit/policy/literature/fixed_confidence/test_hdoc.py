import math

import pytest

from thresher.policy.literature.fixed_confidence.hdoc import HDOC, hdoc_score
from thresher.problem import Problem
from thresher.research.simulation import simulate

SURE = Problem.bernoulli([1.0, 0.0])  # every outcome of the first arm is 1, of the second 0


def test_a_worked_case() -> None:
    # Outcomes in [0, 1], n = 4, the eleventh pull: mean - θ + sqrt(log 11 / (2 * 4)).
    assert hdoc_score(0.2, 4.0, 0.5, 10.0) == pytest.approx(0.2 + math.sqrt(math.log(11.0) / 8.0))


def test_a_worked_run() -> None:
    # An arm is out when log(4 * 2 * n² / 0.05) <= n / 2: 11.26 > 11 at n = 22, 11.35 <= 11.5 at n = 23. The first arm
    # is pulled until then: the second would have to gain 1 by sqrt(log(t) / 2) (1 - 1 / sqrt(n)), at most 0.99.
    result = simulate(SURE, "hdoc", alpha=0.05, runs=2)
    (row,) = result.rows()
    assert row.spent == 46.0
    assert [each.mean for each in result.outputs("hdoc")] == [24.0]
    assert result.pulls("hdoc")[0].tolist() == [23.0, 23.0]
    assert row.mean == 0.0


def test_it_promises_that_no_arm_is_misjudged() -> None:
    assert HDOC.traits.promise == "any mistake"
    assert not HDOC.ends_when_found
