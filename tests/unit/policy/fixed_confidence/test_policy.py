import pytest

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.policy import find_policy
from thresher.policy.fixed_confidence import CONFIDENCE, ConfidencePolicy
from thresher.policy.listing import list_policies
from thresher.problem import Problem


def named(name: str) -> ConfidencePolicy:
    found = find_policy(name)
    assert isinstance(found, ConfidencePolicy)
    return found


@pytest.mark.parametrize("name", CONFIDENCE)
def test_every_rule_is_found_by_its_name_and_listed(name: str) -> None:
    assert named(name).name == name
    (entry,) = [entry for entry in list_policies() if entry.name == name]
    assert entry.summary.startswith("With --confidence: ")
    assert named(f"{name}:{entry.parameters}" if entry.parameters else name).code == named(name).code


def test_codes_differ() -> None:
    assert len({named(name).code for name in CONFIDENCE}) == len(CONFIDENCE)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_a_confidence_is_a_probability(confidence: float) -> None:
    with pytest.raises(InvalidProblemError, match=r"0\.05"):
        named("hdoc").demand(Problem.named("kano-1"), confidence)


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (Problem.gaussian_unknown_variance([0.1, 0.2]), "known σ"),
        (Problem.two_point([0.5, -0.5]), "known σ"),
        (Problem.replay({"a": [0, 1], "b": [1, 1]}, 0.5), "replacement=yes"),
        (Problem.gaussian([0.1, 0.2], pull_costs=[1.0, 2.0]), "counts pulls"),
    ],
)
def test_problems_that_do_not_fit_are_refused(problem: Problem, says: str) -> None:
    with pytest.raises(InvalidProblemError, match=says):
        named("lucb-g").demand(problem, 0.05)


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="epsilon"):
        find_policy("hdoc:epsilon=1")
