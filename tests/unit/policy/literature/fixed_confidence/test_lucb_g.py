import math

import pytest

from thresher.policy.literature.fixed_confidence.lucb_g import lucb_g_score
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_a_worked_case() -> None:
    assert lucb_g_score(-0.1, 5.0, 0.5, 10.0, 0.05) == pytest.approx(-0.1 + math.sqrt(math.log(20_000.0) / 10.0))


def test_a_worked_run() -> None:
    # 23 pulls decide an arm (see HDoC). The second arm, after one pull at -0.5 + 1.593 = 1.093, has its turn when the
    # first is below that, at n = 15: 0.5 + 0.591; after two pulls it is at 0.771, and the first never that low.
    result = simulate(Problem.bernoulli([1.0, 0.0]), "lucb-g", alpha=0.05, runs=1)
    assert [each.mean for each in result.outputs("lucb-g")] == [25.0]
    assert result.spent("lucb-g").tolist() == [[46.0]]
