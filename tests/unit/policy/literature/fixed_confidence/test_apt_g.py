import pytest

from thresher.policy.literature.fixed_confidence.apt_g import apt_g_score
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_a_worked_case() -> None:
    assert apt_g_score(-0.3, 16.0, 0.5) == pytest.approx(-2.4)  # -sqrt(16) * 0.3 / 0.5
    assert apt_g_score(0.3, 16.0, 0.5) == apt_g_score(-0.3, 16.0, 0.5)


def test_a_worked_run() -> None:
    # Both arms show the same distance from the bar and are pulled in turn, the lower one first: 23 pulls decide it
    # (see HDoC) when the other has 22.
    result = simulate(Problem.bernoulli([1.0, 0.0]), "apt-g", alpha=0.05, runs=1)
    assert [each.mean for each in result.outputs("apt-g")] == [45.0]
    assert result.spent("apt-g").tolist() == [[46.0]]


def test_the_order_of_pulls_does_not_change_when_a_rule_of_this_kind_stops() -> None:
    # Each arm is judged by its own outcomes alone, whenever they come.
    result = simulate("kano-2", ["hdoc", "lucb-g", "apt-g"], alpha=0.05, runs=20, seed=4)
    assert result.spent("hdoc").tolist() == result.spent("lucb-g").tolist() == result.spent("apt-g").tolist()
