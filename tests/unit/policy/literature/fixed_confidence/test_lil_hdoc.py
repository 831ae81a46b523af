import pytest

from thresher.errors import InvalidInputError
from thresher.policy import Stop, find_policy
from thresher.policy.literature.fixed_confidence.warm_up import first_rounds
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_the_first_pulls_are_as_many_as_asked_for_or_as_needed() -> None:
    problem = Problem.named("kano-1")
    for name, first in (("lil-hdoc:first=7", 7), ("lil-hdoc", first_rounds(0.01, 10, 0.05))):
        rule = find_policy(name).bind(problem, Stop(1000.0, alpha=0.05))
        assert rule.known.parameters.tolist() == [0.01, first]


def test_no_arm_is_judged_during_the_first_pulls() -> None:
    # Every outcome tells at once here, so that all arms are out as soon as they are looked at: in the last round.
    problem = Problem.gaussian([50.0, 60.0, -50.0])
    result = simulate(problem, "lil-hdoc:first=4", alpha=0.05, runs=1)
    assert [each.mean for each in result.outputs("lil-hdoc:first=4")] == [10.0, 11.0]
    assert result.spent("lil-hdoc:first=4").tolist() == [[12.0]]


def test_on_a_hard_problem_it_stops_before_hdoc() -> None:
    problem = Problem.gaussian([0.02])
    result = simulate(problem, ["hdoc", "lil-hdoc"], alpha=1e-6, runs=8, seed=1)
    gain = result.spent("hdoc") - result.spent("lil-hdoc")
    # Paired, and past the first pulls the narrower interval can only be sooner.
    assert (gain > 0.0).all()


@pytest.mark.parametrize("wrong", ["epsilon=0", "epsilon=1", "first=-1"])
def test_a_parameter_out_of_range_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInputError, match="lil-hdoc"):
        find_policy(f"lil-hdoc:{wrong}")
    assert find_policy("lil-hdoc:epsilon=0.3").traits.stops
