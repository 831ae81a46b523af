import math

import pytest

from thresher.experiment.calibration import Calibrated, calibrate
from thresher.experiment.simulation import simulate
from thresher.problem import Problem, named


def test_the_ratio_is_of_what_is_said_to_what_is_so() -> None:
    row = Calibrated("x", 100.0, predicted=3.0, realised=2.0, stderr=0.1)
    assert row.to_dict() == {
        "problem": "x", "budget": 100.0, "predicted": 3.0, "realised": 2.0, "ratio": 1.5, "stderr": 0.1,
    }  # fmt: skip
    assert math.isnan(Calibrated("x", 100.0, predicted=3.0, realised=0.0, stderr=0.1).ratio)


def test_mistakes_made_are_those_of_a_simulation() -> None:
    problem = named("gaussian-population:K=10")
    made = [row.realised for row in calibrate(problem, [40, 100], runs=50, fits=1, seed=4)]
    simulated = simulate(problem, ["stopping"], budgets=[40, 100], runs=50, seed=4)
    assert made == pytest.approx(list(simulated.losses("stopping").mean(axis=0)))


@pytest.mark.parametrize(
    ("problem", "budget"),
    [
        (named("gaussian-population:K=50"), 250),
        (named("beta-population"), 200),
        (named("linear"), 500),
        # Near arms on one side and far ones on the other: with a tilt alone it was 2.0 and 2.1 on two seeds.
        (Problem.gaussian([0.1, 0.12, 0.14, 0.16, 0.18, 0.2] * 4 + [-1.4, -1.2, -1.0, -0.8, -0.6] * 15), 1000),
    ],
)
def test_as_many_verdicts_are_wrong_as_are_said_to_be(problem: Problem, budget: float) -> None:
    row = calibrate(problem, [budget], runs=400, fits=30, seed=1)[0]
    # The promise. On three seeds the ratios lay between 0.87 and 1.33, standard errors up to 0.15. The seed is fixed.
    assert 0.6 <= row.ratio <= 1.6
    assert row.stderr < 0.2
