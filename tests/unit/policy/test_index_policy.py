import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import InvalidIndexError, InvalidInputError, UnknownNameError
from thresher.inference.evidence import KL, SQUARED, STUDENT, TWO_POINT
from thresher.policy import (
    IndexPolicy,
    Prior,
    Stop,
    arm_index,
    find_index_policy,
    find_policy,
    per_arm,
    rule_of,
)
from thresher.policy.index import INDICES, register_index
from thresher.policy.index_policy import least_index
from thresher.policy.rule import Turn, new_state
from thresher.policy.tournament import leaves_of
from thresher.problem import Problem, Question


def index_after(policy: IndexPolicy, problem: Problem, arm: int, values: list[float]) -> float:
    """Return the index of an arm that has shown these values."""
    squares = sum((value - problem.thresholds[arm]) ** 2 for value in values)
    return arm_index(rule_of(policy.rank(problem), arm), float(len(values)), sum(values), squares)


# By name


def test_a_name_and_its_parameters_are_read() -> None:
    policy = find_index_policy("lsa:alpha=1.35,evidence=kl")
    assert policy.name == "lsa:alpha=1.35,evidence=kl"
    assert policy.indices == (INDICES["lsa"],)
    assert policy.parameters == (1.35,)
    assert policy.evidence == "kl"
    assert policy.prior is None
    assert not policy.traits.needs_truth
    assert not policy.is_own


def test_a_prior_is_read() -> None:
    assert find_index_policy("stopping:prior_mean=0.2,prior_sd=3").prior == Prior(mean=0.2, sd=3.0)
    assert find_index_policy("stopping:prior_a=1,prior_b=2").prior == Prior(a=1.0, b=2.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lsa:alpha", "parameter of 'lsa:alpha' is 'alpha'"),
        ("lsa:alpha=much", "alpha of 'lsa:alpha=much' is 'much'; must be a number"),
        ("lsa:alpha=nan", "is nan; must be a finite number"),
        ("lsa:alpha=inf", "is inf; must be a finite number"),
        ("lsa:alpha=0", "alpha of 'lsa' is 0; must be positive"),
        ("lsa:alpha=-1", "alpha of 'lsa' is -1; must be positive"),
        ("apt:epsilon=-0.1", "epsilon of 'apt' is -0.1; must be at least 0"),
        (
            "lsa:prior_mean=0",
            "prior is 'prior_mean'; must be both prior_mean and prior_sd, or both prior_a and prior_b",
        ),
        ("lsa:prior_a=1", "prior is 'prior_a'; must be both"),
        ("lsa:prior_mean=0,prior_sd=1,prior_a=1,prior_b=1", "must be both prior_mean and prior_sd, or both"),
        ("lsa:prior_mean=0,prior_sd=1,prior_a=1", "prior is 'prior_mean, prior_sd, prior_a'; must be both"),
        ("lsa:prior_mean=0,prior_sd=0", "prior_sd is 0; must be positive"),
        ("lsa:prior_a=1,prior_b=-1", "prior_b is -1; must be positive"),
    ],
)
def test_a_parameter_that_makes_no_policy_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the sentence is compared below
        find_policy(text)
    assert sentence in str(caught.value)


def test_a_tolerance_of_nothing_is_allowed() -> None:
    assert find_index_policy("apt:epsilon=0").parameters == (0.0,)


@pytest.fixture
def mine() -> Iterator[str]:
    """Give the name of an index of the user's own."""

    @register_index("test-policy")
    def formula(count: float, evidence: float, cost: float, weight: float = 0.5) -> float:
        return evidence - weight * math.log(max(evidence, 1.0)) + math.log(count / cost)

    yield "test-policy"
    del INDICES["test-policy"]


def test_a_users_parameter_may_be_anything_that_keeps_assumption_1(mine: str) -> None:
    assert find_index_policy(f"{mine}:weight=0").parameters == (0.0,)
    assert find_index_policy(f"{mine}:weight=-2").parameters == (-2.0,)
    with pytest.raises(InvalidIndexError, match="index 'test-policy:weight=3' breaks Assumption 1"):
        find_policy(f"{mine}:weight=3")


def test_two_indices_of_the_users_own_do_not_go_together(mine: str) -> None:
    other = register_index("test-other")(lambda count, evidence, cost: count + evidence)
    assert other is not None
    try:
        with pytest.raises(InvalidInputError, match="number of your own indices in a policy is 2; must be at most 1"):
            per_arm([mine, "test-other"]).rank(Problem.gaussian([1.0, -1.0]))
    finally:
        del INDICES["test-other"]


# Bound to a problem


def test_the_ranking_holds_what_the_formula_needs() -> None:
    problem = Problem.gaussian(
        [1.0, -1.0], thresholds=[0.1, 0.2], sigma=[1.0, 2.0], costs=[3.0, 4.0], pull_costs=[1.0, 8.0]
    )
    ranking = find_index_policy("lsa:alpha=2").rank(problem)
    assert ranking.codes.tolist() == [INDICES["lsa"].code] * 2
    assert ranking.parameters.tolist() == [2.0, 2.0]
    assert ranking.evidence == SQUARED
    assert ranking.thresholds.tolist() == [0.1, 0.2]
    assert ranking.precisions.tolist() == [0.5, 0.125]
    assert ranking.costs.tolist() == [3.0, 0.5]  # a_k / m_k
    assert ranking.pseudo_counts.tolist() == ranking.pseudo_totals.tolist() == [0.0, 0.0]


def test_the_index_of_an_arm_by_hand() -> None:
    # Values 1, 3 and bar 0.5, sigma 2, a = 6, m = 2: x = 2 * 1.5^2 / 8 = 0.5625; F = 1.5 x + log(2 / 3)
    problem = Problem.gaussian([1.0], thresholds=0.5, sigma=2.0, costs=6.0, pull_costs=2.0)
    assert index_after(find_index_policy("lsa:alpha=1.5"), problem, 0, [1.0, 3.0]) == pytest.approx(
        0.84375 + math.log(2 / 3)
    )


def test_a_tolerance_is_divided_by_the_noise_of_each_arm() -> None:
    problem = Problem.gaussian([1.0, 1.0], sigma=[1.0, 3.0])
    ranking = find_index_policy("apt:epsilon=0.6").rank(problem)
    assert ranking.parameters == pytest.approx([0.6 / math.sqrt(2.0), 0.2 / math.sqrt(2.0)])


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8), st.floats(0.01, 1.0))
def test_apt_with_tolerance_is_the_index_of_locatelli(values: list[float], epsilon: float) -> None:
    problem = Problem.gaussian([1.0], thresholds=0.2, sigma=0.5)
    theirs = math.sqrt(len(values)) * (abs(np.mean(values) - 0.2) + epsilon)
    ours = index_after(find_index_policy(f"apt:epsilon={epsilon!r}"), problem, 0, values) * math.sqrt(2 * 0.25)
    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-6)


def test_the_evidence_follows_the_family_and_the_policy() -> None:
    problems = {
        "gaussian": Problem.gaussian([0.1]),
        "bernoulli": Problem.bernoulli([0.1]),
        "bounded": Problem.bounded([0.1]),
        "gaussian-unknown-variance": Problem.gaussian_unknown_variance([0.1]),
        "two-point": Problem.two_point([0.1]),
    }
    lsa = {name: find_index_policy("lsa").rank(problem).evidence for name, problem in problems.items()}
    assert lsa == {
        "gaussian": SQUARED,
        "bernoulli": SQUARED,
        "bounded": SQUARED,
        "gaussian-unknown-variance": STUDENT,
        "two-point": TWO_POINT,
    }
    for name in ("stopping", "stopping-gaps", "lsa:evidence=kl"):
        assert find_index_policy(name).rank(problems["bernoulli"]).evidence == KL
    assert find_index_policy("stopping:evidence=squared").rank(problems["bernoulli"]).evidence == SQUARED
    assert find_index_policy("stopping").rank(problems["bounded"]).evidence == SQUARED


def test_zeros_and_ones_under_kl_begin_with_a_pseudo_sample_at_the_bar() -> None:
    problem = Problem.bernoulli([0.5, 0.5], thresholds=[0.2, 0.4])
    ranking = find_index_policy("stopping").rank(problem)
    assert ranking.pseudo_counts.tolist() == [1.0, 1.0]
    assert ranking.pseudo_totals.tolist() == [0.2, 0.4]
    # One success at the bar 0.2: n = 2, mean 0.6; LSA by kl is 2 kl(0.6, 0.2) + log 2
    found = index_after(find_index_policy("lsa:evidence=kl"), problem, 0, [1.0])
    assert found == pytest.approx(2 * (0.6 * math.log(3.0) + 0.4 * math.log(0.5)) + math.log(2.0))


def test_a_gaussian_prior_is_worth_samples() -> None:
    # sigma^2 / sd^2 = 4 / 0.25 = 16 samples at 0.3
    problem = Problem.gaussian([1.0], sigma=2.0)
    ranking = find_index_policy("lsa:prior_mean=0.3,prior_sd=0.5").rank(problem)
    assert ranking.pseudo_counts.tolist() == [16.0]
    assert ranking.pseudo_totals == pytest.approx([4.8])
    # Two outcomes with sum 3: n = 18, mean 7.8/18; x = 18 (7.8/18)^2 / 8
    found = index_after(find_index_policy("lsa:prior_mean=0.3,prior_sd=0.5"), problem, 0, [1.0, 2.0])
    assert found == pytest.approx(7.8**2 / 18 / 8 + math.log(18.0))


def test_a_beta_prior_is_worth_samples() -> None:
    problem = Problem.bernoulli([0.4])
    ranking = find_index_policy("stopping:prior_a=2,prior_b=6").rank(problem)
    assert ranking.pseudo_counts.tolist() == [8.0]
    assert ranking.pseudo_totals.tolist() == [2.0]


def test_sprt_is_given_the_gaps() -> None:
    problem = Problem.gaussian([1.0, -3.0], sigma=[1.0, 2.0])
    assert find_index_policy("sprt").rank(problem).parameters.tolist() == problem.gaps.tolist()


# What does not go together


POPULATION = Problem.named("gaussian-population:K=2")


@pytest.mark.parametrize(
    ("policy", "problem", "sentence"),
    [
        ("sprt", POPULATION, "policy is 'sprt'; it needs the true means; use it on a problem with fixed means"),
        ("lsa:evidence=kl", Problem.gaussian([0.1]), "family is 'gaussian'; must be 'bernoulli' for evidence=kl"),
        ("lsa:evidence=kl", Problem.bounded([0.1]), "family is 'bounded'; must be 'bernoulli'"),
        ("stopping", Problem.two_point([0.1]), "policy is 'stopping'; it does not play two-point problems; use 'apt'"),
        ("stopping-gaps", Problem.two_point([0.1]), "policy is 'stopping-gaps'; it does not play two-point problems"),
        ("lsa:prior_a=1,prior_b=1", Problem.gaussian([0.1]), "family is 'gaussian'; must be 'bernoulli' with a Beta"),
        (
            "lsa:prior_mean=0,prior_sd=1",
            Problem.two_point([0.1]),
            "family is 'two-point'; must be one that supports priors",
        ),
        (
            "lsa:prior_mean=0,prior_sd=1",
            Problem.gaussian_unknown_variance([0.1]),
            "family is 'gaussian-unknown-variance'; must be one that supports priors",
        ),
        ("apt:epsilon=0.1", Problem.gaussian_unknown_variance([0.1]), "'apt:epsilon=0.1'; it needs to know σ"),
    ],
)
def test_a_policy_that_does_not_fit_the_problem_is_refused(policy: str, problem: Problem, sentence: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        find_index_policy(policy).rank(problem)
    assert sentence in str(caught.value)
    assert sentence in (find_policy(policy).why_not(problem) or "")
    with pytest.raises(InvalidInputError):
        find_policy(policy).bind(problem, Stop(10.0))


def test_a_policy_that_fits_has_nothing_against_the_problem() -> None:
    assert find_policy("sprt").why_not(Problem.gaussian([0.1])) is None


def test_a_policy_has_an_index_and_a_parameter_for_each() -> None:
    lsa = INDICES["lsa"]
    for indices, parameters in (((), ()), ((lsa,), ()), ((lsa, lsa), (1.0,))):
        with pytest.raises(InvalidInputError, match="must be the number of indices"):
            IndexPolicy("mine", indices, parameters)


@pytest.mark.parametrize("name", ["lsa:alpha=1.35", "stopping", "apt:epsilon=0.1"])
def test_a_question_is_ranked_as_the_problem_that_asks_it(name: str) -> None:
    policy = find_index_policy(name)
    problem = Problem.bernoulli([0.3, 0.9], [0.5, 0.8], [1.0, 2.0], pull_costs=[1.0, 0.5])
    np.testing.assert_equal(policy.rank(problem.question), policy.rank(problem))


def test_a_policy_that_needs_the_truth_refuses_a_question() -> None:
    policy, question = find_index_policy("sprt"), Question.of("gaussian", thresholds=0.0)
    with pytest.raises(InvalidInputError, match="policy is 'sprt'; it needs the true means; use it on"):
        policy.rank(question)


# As a rule


def test_the_ceiling_is_the_first_index_above_that_of_the_price() -> None:
    problem = Problem.gaussian([1.0, -1.0])
    assert find_policy("stopping").bind(problem, Stop(10.0)).known.ceiling == math.inf
    ceiling = find_policy("stopping").bind(problem, Stop(10.0, price=0.25)).known.ceiling
    assert ceiling > math.log(4.0)
    assert math.nextafter(ceiling, -math.inf) == math.log(4.0)


def test_a_rule_is_told_nothing_of_the_truth_but_what_sprt_needs() -> None:
    one, other = Problem.gaussian([1.0, -1.0]), Problem.gaussian([0.3, 2.0])
    for name in ("stopping", "lsa"):
        first, second = (find_policy(name).bind(problem, Stop(10.0)).known for problem in (one, other))
        np.testing.assert_equal(first._asdict(), second._asdict())
    known = find_policy("sprt").bind(other, Stop(10.0)).known
    assert known.ranking.parameters.tolist() == other.gaps.tolist()


@pytest.mark.parametrize(("n_arms", "leaves"), [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (1000, 1024)])
def test_a_tournament_has_room_for_all_arms(n_arms: int, leaves: int) -> None:
    assert leaves_of(n_arms) == leaves


@given(
    keys=st.lists(st.integers(1, 6), min_size=1, max_size=9),
    moves=st.lists(st.tuples(st.integers(0, 8), st.integers(1, 6)), max_size=20),
)
def test_the_tournament_finds_the_first_of_the_least_indices(keys: list[int], moves: list[tuple[int, int]]) -> None:
    # The index of `uniform` is the number of pulls: after every change the choice is that of a plain search.
    problem = Problem.gaussian(np.ones(len(keys)))
    rule = find_policy("uniform").bind(problem, Stop(100.0))
    state = new_state(len(keys), rule.memory, len(keys))
    state.counts[:] = state.asked[:] = keys
    state.changed[:] = range(len(keys))
    changed, is_first = len(keys), True
    for k, count in [(-1, 0), *((k % len(keys), count) for k, count in moves)]:
        if k >= 0:
            state.counts[k] = state.asked[k] = count
            state.changed[0], changed, is_first = k, 1, False
        chosen = least_index(rule.known, state, Turn(0, 0, changed, is_first, np.uint64(0), 0))
        assert chosen == int(np.argmin(state.counts))


def test_what_tells_policies_of_one_name_apart(mine: str) -> None:
    identity = find_policy(mine).identity()
    assert identity == find_policy(mine).identity()
    assert find_policy(mine).is_own
    register_index(mine)(lambda count, evidence, cost, weight=0.5: evidence + weight * count)
    assert find_policy(mine).identity() != identity
    plain = IndexPolicy("same", (INDICES["lsa"],), (1.0,))
    for other in (
        IndexPolicy("same", (INDICES["apt"],), (1.0,)),
        IndexPolicy("same", (INDICES["lsa"],), (2.0,)),
        IndexPolicy("same", (INDICES["lsa"],), (1.0,), evidence="kl"),
        IndexPolicy("same", (INDICES["lsa"],), (1.0,), prior=Prior(mean=0.0, sd=1.0)),
    ):
        assert repr(other.identity()) != repr(plain.identity())


CROSSED, POOL, DRAWS = (
    Problem.crossed([[0, 1, 1, 0], [1, 1, 1, 0]], 0.5),
    Problem.replay({"a": [0, 1, 1], "b": [1, 1]}, 0.5),
    Problem.bernoulli([0.4, 0.6]),
)


@pytest.mark.parametrize(
    ("policy", "problem", "structure"),
    [
        ("stopping", CROSSED, "items"), ("stopping", POOL, "pool"), ("stopping", DRAWS, "none"),
        ("lsa:structure=items", CROSSED, "items"), ("fwt:structure=pool", CROSSED, "pool"),
        ("fwt-sqrt:structure=none", CROSSED, "none"), ("lsa:structure=pool", POOL, "pool"),
        ("stopping:structure=none", POOL, "none"), ("lsa:structure=none", DRAWS, "none"),
        ("apt", CROSSED, "none"), ("uniform:structure=none", CROSSED, "none"),
    ],
)  # fmt: skip
def test_a_policy_uses_the_structure_of_the_problem_unless_told_otherwise(
    policy: str, problem: Problem, structure: str
) -> None:
    found = find_index_policy(policy)
    assert found.structure_of(problem) == structure
    assert np.isfinite(found.rank(problem).sizes).all() == (structure != "none")
    rule = found.bind(problem, Stop(8.0))
    assert (rule.shares_items, rule.by_level) == (structure == "items", structure != "items")


def test_a_structure_that_a_problem_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="the problem has independent draws; use structure=none"):
        find_index_policy("stopping:structure=pool").rank(DRAWS)
    with pytest.raises(InvalidInputError, match="a pool without shared items; use structure=pool"):
        find_index_policy("stopping:structure=items").rank(POOL)
    assert find_index_policy("stopping:structure=items").why_not(POOL) is not None
    with pytest.raises(UnknownNameError, match="structure 'pools'"):
        find_index_policy("stopping:structure=pools")
    with pytest.raises(InvalidInputError, match="must be 'none' for this index; use one of lsa, fwt"):
        find_index_policy("apt:structure=pool")


def test_the_index_of_a_pool_by_hand() -> None:
    # Three of four told, two ones: ν = 3 / (1/4) = 12, g = 16, x = 12 · (2/3 − ½)² · 2, and LSA is x + log(ν / g).
    problem = Problem.replay({"a": [0, 1, 1, 0]}, 0.5)
    found = arm_index(rule_of(find_index_policy("lsa").rank(problem), 0), 3.0, 2.0, 0.0)
    assert found == pytest.approx(12.0 * 2.0 / 36.0 + math.log(12.0 / 16.0))
    # Three ones of four are above one half whatever the last is.
    assert arm_index(rule_of(find_index_policy("lsa").rank(problem), 0), 3.0, 3.0, 0.0) == math.inf
