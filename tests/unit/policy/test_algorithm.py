import pickle

import numpy as np
import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import AlgorithmPolicy, Parameter, RuleSetup, Stop, find_policy
from thresher.policy.listing import list_policies
from thresher.policy.registry import ALGORITHMS
from thresher.problem import Problem


def algorithm_policy(text: str) -> AlgorithmPolicy:
    """Return the policy of an algorithm by its name."""
    found = find_policy(text)
    assert isinstance(found, AlgorithmPolicy)
    return found


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_travels_by_name(name: str) -> None:
    assert pickle.loads(pickle.dumps(ALGORITHMS[name])) is ALGORITHMS[name]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_is_listed_with_parameters_that_can_be_typed(name: str) -> None:
    (entry,) = [entry for entry in list_policies() if entry.name == name]
    again = algorithm_policy(f"{name}:{entry.parameters}" if entry.parameters else name)
    assert again.algorithm is algorithm_policy(name).algorithm
    assert again.parameters == pytest.approx(algorithm_policy(name).parameters, rel=1e-3)
    assert entry.summary


def test_parameters_have_names_and_defaults() -> None:
    assert algorithm_policy("ucbe").parameters == (1.0, 0.0)
    assert algorithm_policy("ucbe:epsilon=0.1").parameters == (1.0, 0.1)
    assert algorithm_policy("ucbe:epsilon=0.1").name == "ucbe:epsilon=0.1"


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("ucbe:scal=1", UnknownNameError, "unknown parameter 'scal' of 'ucbe'; did you mean 'scale'"),
        ("csar:a=1", UnknownNameError, "unknown parameter 'a' of 'csar'; known: none"),
        (
            "ucbe:scale=much",
            InvalidInputError,
            "scale of 'ucbe:scale=much' is 'much'; must be a positive number",
        ),
        ("ucbe:scale=0", InvalidInputError, "scale of 'ucbe:scale=0' is 0; must be a positive number"),
        ("ucbe:epsilon=-1", InvalidInputError, "epsilon of 'ucbe:epsilon=-1' is -1; must be 0 or a positive number"),
        (
            "evt-pf:epsilon=nan",
            InvalidInputError,
            "epsilon of 'evt-pf:epsilon=nan' is nan; must be 0 or a positive number",
        ),
        (
            "lil-hdoc:first=1.5",
            InvalidInputError,
            "first of 'lil-hdoc:first=1.5' is 1.5; must be 0 or a positive whole number",
        ),
        ("lil-hdoc:epsilon=1", InvalidInputError, "must be a number between 0 and 1"),
        ("sticky-tas:log_c=0.5", InvalidInputError, "must be a number of at least 0.693147"),
        ("stopping-fitted:share=2", InvalidInputError, "must be a number from 0 to 1"),
        ("jj-fdr:find=some", UnknownNameError, "unknown find 'some' of 'jj-fdr:find=some'; known: all, most"),
        ("hdoc:epsilon=1", UnknownNameError, "unknown parameter 'epsilon' of 'hdoc'"),
        ("ucb", UnknownNameError, "did you mean 'ucbe'"),
    ],
)
def test_a_wrong_parameter_is_refused_with_a_sentence(text: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error) as caught:
        find_policy(text)
    assert sentence in str(caught.value)


def test_a_parameter_says_what_it_takes() -> None:
    # The ends count or do not; words are told by their places.
    closed, ends = Parameter("a", 1.0, low=0.0, high=2.0, is_open=False), Parameter("a", 1.0, low=0.0, high=2.0)
    assert [closed.read("p", text) for text in ("0", "2")] == [0.0, 2.0]
    for text in ("0", "2"):
        with pytest.raises(InvalidInputError, match="a number between 0 and 2"):
            ends.read("p", text)
    word = Parameter("find", 1.0, words=("most", "all"))
    assert (word.read("p", "all"), word.shown) == (1.0, "find=all")


def told(name: str, problem: Problem, *, budget: float = 1e6) -> RuleSetup:
    """Return what a rule is told."""
    return find_policy(name).bind(problem, Stop(budget, alpha=0.05)).known


def test_only_those_that_need_the_truth_are_told_the_gaps() -> None:
    problem = Problem.gaussian([0.5, -0.2, 0.3, 1.0, 2.0])
    for name in ALGORITHMS:
        policy = find_policy(name)
        if policy.why_not(problem) is None:
            assert (told(name, problem).gaps != 0.0).any() == policy.traits.needs_truth
    assert told("ucbe", problem).gaps.tolist() == [0.5, 0.2, 0.3, 1.0, 2.0]


def test_an_unknown_variance_is_hidden() -> None:
    problem = Problem.gaussian_unknown_variance([0.5, -0.2], sigma=3.0)
    assert told("straddle", problem).sigma.tolist() == [0.0, 0.0]
    assert told("straddle", Problem.gaussian([0.5, -0.2], sigma=3.0)).sigma.tolist() == [3.0, 3.0]


def test_a_rule_is_told_what_kind_of_outcomes_there_are() -> None:
    coins, bounded = Problem.bernoulli([0.2, 0.4], thresholds=0.3), Problem.bounded([0.1], 0.2, low=-1.0, high=2.0)
    assert (told("evt-pf", coins).is_binary, told("evt-pf", bounded).is_binary) == (True, False)
    assert (told("evt-pf", coins).width, told("evt-pf", bounded).width) == (1.0, 3.0)
    assert told("evt-pf", coins).thresholds.tolist() == [0.3, 0.3]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_sums_are_counted_from_the_bar_by_those_that_stop(name: str) -> None:
    problem = Problem.bernoulli([0.2, 0.3, 0.5, 0.6, 0.7], thresholds=0.3)
    policy = find_policy(name)
    if policy.why_not(problem) is None:
        bar = 0.3 if policy.traits.stops else 0.0
        assert policy.bind(problem, Stop(1e6, alpha=0.05)).origin.tolist() == [bar] * 5


@pytest.mark.parametrize(
    ("name", "problem", "sentence"),
    [
        ("kg", Problem.gaussian([0.1]), "it plays bernoulli and not gaussian; use another policy or another problem"),
        ("ucbe", Problem.two_point([0.1]), "and not two-point"),
        ("ucbe", Problem.named("gaussian-population:K=3"), "policy is 'ucbe'; it needs the true means"),
        ("lucb-g", Problem.gaussian_unknown_variance([0.1, 0.2]), "plays gaussian, bernoulli, bounded and not"),
        ("lucb-g", Problem.two_point([0.5, -0.5]), "and not two-point"),
        ("lucb-g", Problem.replay({"a": [0, 1], "b": [1, 1]}, 0.5), "replacement=yes"),
        ("lucb-g", Problem.gaussian([0.1, 0.2], pull_costs=[1.0, 2.0]), "counts pulls: leave the pull costs out"),
    ],
)
def test_a_problem_that_it_cannot_play_is_refused(name: str, problem: Problem, sentence: str) -> None:
    policy = find_policy(name)
    with pytest.raises(InvalidInputError) as caught:
        policy.bind(problem, Stop(100.0, alpha=0.05))
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(f"policy is {name!r}; {policy.why_not(problem)}")


def test_the_horizon_is_what_the_budget_pays_for() -> None:
    problem = Problem.gaussian([0.1, 0.2], pull_costs=[1.0, 3.0])
    assert told("ucbe", problem, budget=21.0).horizon == 10
    with pytest.raises(InvalidInputError, match="budget for 'evt-pf' on 2 arms is 7; must be at least 8, for 4 pulls"):
        told("evt-pf", problem, budget=7.0)
    assert find_policy("evt-pf").least_budget(problem) == 8.0
    assert find_policy("kg").least_budget(Problem.bernoulli([0.1, 0.2])) == 2.0


def test_families_may_ask_for_more_first_pulls() -> None:
    unknown = Problem.gaussian_unknown_variance([0.1])
    assert find_policy("evt-pf").bind(Problem.gaussian([0.1]), Stop(10.0)).first_pulls == 2
    assert find_policy("evt-pf").bind(unknown, Stop(10.0)).first_pulls == 3
    assert find_policy("uniform-iid").bind(unknown, Stop(10.0)).first_pulls == 0
    assert np.isclose(algorithm_policy("augucb").parameters[0], 1 / 3)


def test_what_tells_policies_of_one_name_apart() -> None:
    one, other = (AlgorithmPolicy("same", ALGORITHMS["ucbe"], values) for values in ((1.0, 0.0), (1.0, 0.1)))
    assert repr(one.identity()) != repr(other.identity())
    assert not one.is_own
