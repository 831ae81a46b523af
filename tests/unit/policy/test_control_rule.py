"""The value of a pull with a control, worked by hand; which policies can be used with one, and which cannot."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.errors import InvalidInputError
from thresher.jit import plain
from thresher.policy import ControlledArms, Stop, control_keys, find_policy
from thresher.policy.control_rule import control_verdict, log_sum, pull_worth, told_of
from thresher.policy.index.stopping import stopping_formula
from thresher.policy.ranking import rule_of
from thresher.problem import Problem
from thresher.research.engine.reference import Play

PLAIN = Problem.gaussian([0.0, 0.5, -0.5], control=0, costs=[1.0, 2.0, 1.0], pull_costs=[4.0, 1.0, 0.5])


def keys_of(
    problem: Problem, counts: list[float], totals: list[float], flying: list[float] | None = None
) -> np.ndarray:
    assert problem.control is not None
    none = np.zeros(len(counts))
    ranking = find_policy("stopping").rank(problem)  # type: ignore[attr-defined]
    costs, active = np.array(problem.pull_costs), np.ones(len(counts), np.bool_)
    outstanding = none if flying is None else np.array(flying)
    arms = ControlledArms(np.array(counts), np.array(totals), none, outstanding, none, costs, active)
    found = np.asarray(control_keys(ranking, problem.control, arms))
    with np.errstate(all="ignore"):  # small campaigns rank without compiling
        assert plain(control_keys)(ranking, problem.control, arms).tolist() == found.tolist()
    return found


def test_the_worth_of_pulls_by_hand() -> None:
    # Arm 2: n = 6 with n0 = 3, ν = 2 and d = 1 − 0, x = 1; arm 3: n = 3, ν = 3/2 and d = −2, x = 3.
    keys = keys_of(PLAIN, [3.0, 6.0, 3.0], [0.0, 6.0, -6.0])
    prices = [math.exp(-stopping_formula(2.0, 1.0, 2.0)), math.exp(-stopping_formula(1.5, 3.0, 1.0))]
    assert keys[1] == pytest.approx(-math.log(prices[0] * (2.0 / 6.0) ** 2))
    assert keys[2] == pytest.approx(-math.log(prices[1] * (1.5 / 3.0) ** 2 / 0.5))
    assert keys[0] == pytest.approx(-math.log((prices[0] * (2.0 / 3.0) ** 2 + prices[1] * (1.5 / 3.0) ** 2) / 4.0))


@given(st.lists(st.tuples(st.integers(1, 3000), st.floats(0.0, 1.0)), min_size=3, max_size=3))
def test_rates_are_ranked_alike_interpreted_and_compiled(arms: list[tuple[int, float]]) -> None:
    problem = Problem.bernoulli([0.05, 0.06, 0.04], control=0, margin="-5%")
    counts, totals = [float(n) for n, _ in arms], [float(round(n * rate)) for n, rate in arms]
    assert keys_of(problem, counts, totals).shape == (3,)


def test_a_tie_is_worth_half_its_mistake_cost() -> None:
    keys = keys_of(PLAIN, [3.0, 6.0, 3.0], [0.0, 0.0, -600.0])
    assert keys[1] == pytest.approx(-math.log(0.5 * 2.0 * (2.0 / 6.0) ** 2))
    assert keys[0] == pytest.approx(-math.log(0.5 * 2.0 * (2.0 / 3.0) ** 2 / 4.0))


def test_arms_that_were_never_told_come_first() -> None:
    keys = keys_of(PLAIN, [3.0, 0.0, 3.0], [0.0, 0.0, -6.0])
    assert keys[1] == -math.inf
    keys = keys_of(PLAIN, [0.0, 2.0, 3.0], [0.0, 0.0, -6.0])
    assert keys[0] == -math.inf
    assert -math.inf < keys[1] < keys[2] < -1e200
    keys = keys_of(PLAIN, [0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    assert np.argsort(keys).tolist() == [2, 0, 1]


def test_far_arms_keep_their_order() -> None:
    # Prices of e^-2000 and less are 0 as floats; as logarithms they are not.
    keys = keys_of(PLAIN, [100.0, 100.0, 100.0], [0.0, 1000.0, -1100.0])
    assert np.isfinite(keys).all()
    assert keys[1] < keys[2]


def test_a_sum_of_logarithms() -> None:
    assert log_sum(np.array([math.log(2.0), -math.inf, math.log(3.0)])) == pytest.approx(math.log(5.0))
    assert log_sum(np.array([-math.inf, -math.inf])) == -math.inf
    assert log_sum(np.array([-5000.0, -5000.0])) == pytest.approx(-5000.0 + math.log(2.0))


def test_a_verdict_needs_both() -> None:
    assert PLAIN.control is not None
    rule = rule_of(find_policy("stopping").rank(PLAIN), 1)  # type: ignore[attr-defined]
    one, none = told_of(rule, 1.0, 0.5, 0.0, 0.0, 0.0, 1.0), told_of(rule, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    assert control_verdict(one, none, PLAIN.control, -math.inf, math.inf) == 0
    assert control_verdict(none, one, PLAIN.control, -math.inf, math.inf) == 0
    assert control_verdict(one, one, PLAIN.control, -math.inf, math.inf) == -1
    assert control_verdict(one, one, PLAIN.control._replace(margin=-0.1), -math.inf, math.inf) == 1


def test_a_certain_arm_is_worth_nothing() -> None:
    problem = Problem.replay({"today": [0.0] * 9 + [1.0], "new": [1.0] * 10}, control="today")
    assert problem.control is not None
    rules = [rule_of(find_policy("stopping").rank(problem), k) for k in (0, 1)]  # type: ignore[attr-defined]
    other, arm = told_of(rules[0], 9.0, 0.0, 0.0, 0.0, 0.0, 1.0), told_of(rules[1], 5.0, 5.0, 0.0, 0.0, 0.0, 1.0)
    assert pull_worth(rules[1], arm, other, problem.control) == (-math.inf, -math.inf)


@given(seed=st.integers(0, 10_000), family=st.sampled_from(["gaussian", "bernoulli"]))
def test_the_keys_of_a_campaign_are_those_of_a_run(seed: int, family: str) -> None:
    random = np.random.default_rng(seed)
    problem = Problem.of(
        family, means=random.uniform(0.2, 0.8, 6), control=2, margin=0.03, pull_costs=random.uniform(0.5, 2.0, 6)
    )
    game = Play(find_policy("stopping").bind(problem, Stop(40.0)), problem, seed=seed, run=0)
    game.spend(40_000_000, in_flight=1, asynchronous=False, at_peak=False)
    state = game.state
    expected = game.rank()
    assert problem.control is not None
    found = control_keys(
        find_policy("stopping").rank(problem), problem.control,  # type: ignore[attr-defined]
        ControlledArms(
            state.counts.astype(float), state.totals, state.squares, np.zeros(6), np.zeros(6),
            np.array(problem.pull_costs), np.ones(6, np.bool_),
        ),
    )  # fmt: skip
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("policy", ["apt", "kl-apt", "sprt", "stopping-gaps", "evt-pf", "oracle", "uniform-iid", "kg"])
def test_policies_that_need_a_known_bar_are_refused(policy: str) -> None:
    with pytest.raises(InvalidInputError, match="a control is the bar"):
        th.simulate(PLAIN, policy, budgets=[60], runs=2)


def test_policies_of_the_users_own_are_refused() -> None:
    class First:
        def choose(self, seen: object, rng: object) -> int:
            return 0

    with pytest.raises(InvalidInputError, match="a control is the bar"):
        th.simulate(PLAIN, First(), budgets=[60], runs=2)


def test_what_needs_a_fixed_bar_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="prior"):
        th.simulate(PLAIN, "stopping:prior_mean=0,prior_sd=1", budgets=[60], runs=2)
    with pytest.raises(InvalidInputError, match="must be 'final' with a control"):
        th.simulate(PLAIN, "stopping", budgets=[60], runs=2, recommend="peak")


def test_uniform_pulls_the_control_like_an_arm() -> None:
    result = th.simulate(Problem.gaussian([0.0, 9.0, -9.0], control=0), "uniform", budgets=[9], runs=20)
    assert result.counted["uniform"].pulls.tolist() == [[60, 60, 60]]
    assert result.rows()[0].mean == 0.0
