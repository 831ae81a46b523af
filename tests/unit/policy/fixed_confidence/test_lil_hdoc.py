import pytest

from thresher.errors import InvalidProblemError
from thresher.experiment import stopping_times
from thresher.policy import find_policy
from thresher.policy.fixed_confidence import ConfidencePolicy
from thresher.policy.fixed_confidence.lil_hdoc import lil_hdoc
from thresher.policy.fixed_confidence.warm_up import first_rounds
from thresher.problem import Problem


def test_the_first_pulls_are_as_many_as_asked_for_or_as_needed() -> None:
    problem = Problem.named("kano-1")
    assert lil_hdoc(first=7).demand(problem, 0.05).rounds == 7
    assert lil_hdoc().demand(problem, 0.05).rounds == first_rounds(0.01, 10, 0.05)


def test_no_arm_is_judged_during_the_first_pulls() -> None:
    # Every outcome tells at once here, so that all arms are out as soon as they are looked at: in the last round.
    problem = Problem.gaussian([50.0, 60.0, -50.0])
    (row,) = stopping_times(problem, "lil-hdoc:first=4", confidence=0.05, runs=1).rows()
    assert [each.mean for each in row.outputs] == [10.0, 11.0]
    assert row.mean == 12.0


def test_on_a_hard_problem_it_stops_before_hdoc() -> None:
    problem = Problem.gaussian([0.02])
    result = stopping_times(problem, ["hdoc", "lil-hdoc"], confidence=1e-6, runs=8, seed=1)
    gain = result.times("hdoc") - result.times("lil-hdoc")
    # Paired, and past the first pulls the narrower interval can only be sooner.
    assert (gain > 0.0).all()


@pytest.mark.parametrize("wrong", ["epsilon=0", "epsilon=1", "first=-1"])
def test_a_parameter_out_of_range_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidProblemError, match="lil-hdoc"):
        find_policy(f"lil-hdoc:{wrong}")
    assert isinstance(find_policy("lil-hdoc:epsilon=0.3"), ConfidencePolicy)
