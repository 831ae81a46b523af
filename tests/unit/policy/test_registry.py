import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import (
    AlgorithmPolicy,
    IndexPolicy,
    arm_index,
    find_index_policy,
    find_policy,
    per_arm,
    policy_names,
    rule_of,
)
from thresher.policy.index import INDICES
from thresher.policy.registry import ALGORITHMS, find_algorithm
from thresher.problem import Problem


def index_after(policy: IndexPolicy, problem: Problem, arm: int, values: list[float]) -> float:
    """Return the index of an arm that has shown these values."""
    squares = sum((value - problem.thresholds[arm]) ** 2 for value in values)
    return arm_index(rule_of(policy.rank(problem), arm), float(len(values)), sum(values), squares)


@pytest.mark.parametrize("name", policy_names())
def test_every_name_finds_its_policy(name: str) -> None:
    assert find_policy(name).name == name


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lsb", "unknown policy 'lsb'; did you mean 'lsa'"),
        ("fwt_sqrt", "unknown policy 'fwt_sqrt'; did you mean 'fwt-sqrt'"),
        ("uniform-idd", "unknown policy 'uniform-idd'; did you mean 'uniform-iid'"),
        ("qqqq", "unknown policy 'qqqq'; known: apt, "),
        ("lsa:alfa=1", "unknown parameter 'alfa' of 'lsa'; did you mean 'alpha'"),
        ("fwt:alpha=1", "unknown parameter 'alpha' of 'fwt'"),
        ("lsa:evidence=kll", "unknown evidence 'kll'; did you mean 'kl'"),
        ("uniform-iid:seed=1", "unknown parameter 'seed' of 'uniform-iid'; known: none"),
        ("sprt:gap=1", "unknown parameter 'gap' of 'sprt'; known: evidence, prior_a"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(text: str, sentence: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_policy(text)
    assert sentence in str(caught.value)


def test_what_is_a_policy_already_stays_itself() -> None:
    policy = find_policy("lsa")
    assert find_policy(policy) is policy


@pytest.mark.parametrize("wrong", [None, 7, ["lsa"], object(), IndexPolicy])
def test_what_is_neither_a_name_nor_a_policy_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInputError, match=r"policy is .*; must be a name such as 'lsa', or a policy"):
        find_policy(wrong)


def test_a_class_in_place_of_an_instance_is_refused_with_the_call_to_make() -> None:
    class Mut:
        def choose(self, seen: object, rng: object) -> int:
            return 0

    with pytest.raises(InvalidInputError, match=r"pass an instance: Mut\(\)$"):
        find_policy(Mut)
    assert find_policy(Mut()).name == "Mut"


def test_an_object_without_choose_is_refused_with_the_method_it_needs() -> None:
    with pytest.raises(InvalidInputError, match=r"an object with a method choose\(seen, rng\)$"):
        find_policy(object())


def test_a_name_finds_the_class_that_plays_it() -> None:
    assert isinstance(find_policy("lsa"), IndexPolicy)
    for name in ("uniform-iid", "more-than", "evt-pf", "hdoc"):
        assert isinstance(find_policy(name), AlgorithmPolicy)
    assert find_algorithm("evt-pf") is ALGORITHMS["evt-pf"]
    with pytest.raises(UnknownNameError, match="unknown policy 'evt-pff'; did you mean 'evt-pf'"):
        find_algorithm("evt-pff")


def test_only_indices_are_index_policies() -> None:
    assert find_index_policy("lsa:alpha=2") == find_policy("lsa:alpha=2")
    with pytest.raises(UnknownNameError, match="unknown index 'uniform-iid'"):
        find_index_policy("uniform-iid")


def test_every_arm_may_have_an_index_of_its_own() -> None:
    problem = Problem.gaussian([1.0, -1.0, 0.5])
    policy = per_arm(["lsa:alpha=2", "fwt", "uniform"])
    ranking = policy.rank(problem)
    assert ranking.codes.tolist() == [INDICES[name].code for name in ("lsa", "fwt", "uniform")]
    assert ranking.parameters.tolist() == [2.0, 0.0, 0.0]
    values = [1.0, 2.0]
    for arm, name in enumerate(("lsa:alpha=2", "fwt", "uniform")):
        assert index_after(policy, problem, arm, values) == index_after(find_index_policy(name), problem, arm, values)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5))
def test_the_same_index_for_each_arm_is_the_policy_of_that_index(values: list[float]) -> None:
    problem = Problem.gaussian([1.0, -1.0], costs=[1.0, 7.0])
    for name in ("apt:epsilon=0.2", "lsa", "sprt"):
        for arm in range(2):
            assert index_after(per_arm([name, name]), problem, arm, values) == index_after(
                find_index_policy(name), problem, arm, values
            )


def test_per_arm_wants_one_plain_index_for_each_arm() -> None:
    with pytest.raises(InvalidInputError, match=r"number of indices is 2; must be 1, or the number of arms \(3\)"):
        per_arm(["lsa", "fwt"]).rank(Problem.gaussian([1.0, 2.0, 3.0]))
    for name in ("lsa:prior_mean=0,prior_sd=1", "lsa:evidence=kl"):
        with pytest.raises(InvalidInputError, match="must have neither prior nor evidence; name plain indices"):
            per_arm([name, "lsa"])
    with pytest.raises(UnknownNameError, match="unknown index 'uniform-iid'"):
        per_arm(["uniform-iid", "lsa"])


@pytest.mark.parametrize("name", ["lsa:alpha=1.35", "stopping", "sprt", *ALGORITHMS, "ucbe:epsilon=0.1"])
def test_a_policy_that_travelled_is_equal(name: str) -> None:
    policy = find_policy(name)
    back = pickle.loads(pickle.dumps(policy))
    assert back == policy
    assert hash(back) == hash(policy)
