import numpy as np
import pytest

from thresher.policy.literature.known_standard import BetaPrior, TablePrior
from thresher.problem import Problem
from thresher.research.simulation.limits import limit_of
from thresher.research.theory import adaptive_limit, bayes_limit, bernoulli_limit, binary_limit, integer_limit
from thresher.research.theory.pool_limits import pool_limit


def test_every_kind_of_problem_has_the_tightest_limit_that_is_known_of_it() -> None:
    linear = Problem.named("linear:K=10")
    assert limit_of(linear, 50.0) == ("integer", integer_limit(linear.gaps, budget=50.0).loss)
    coins = Problem.named("tao-1")
    assert limit_of(coins, 500.0) == ("adaptive", bernoulli_limit(coins.means, 0.5, budget=500.0).loss)
    assert limit_of(Problem.named("gaussian-population:K=20,tau=0.5"), 60.0) == (
        "Bayes",
        bayes_limit(np.full(20, 0.5), budget=60.0),
    )
    assert limit_of(Problem.named("beta-population"), 200.0) == (
        "Bayes",
        binary_limit(BetaPrior(1.0, 1.0), np.full(50, 0.5), budget=200.0),
    )


def test_populations_need_not_be_centred_on_the_bar() -> None:
    assert limit_of(Problem.named("gaussian-population:K=20,mean=0.3,tau=0.5"), 60.0) == (
        "Bayes",
        bayes_limit(np.full(20, 0.5), budget=60.0, centre=0.6),
    )


def test_arms_whose_mirror_image_is_not_as_hard_have_the_limit_of_their_own_means() -> None:
    assert limit_of(Problem.bernoulli([0.7, 0.95], thresholds=0.9), 40.0) == (
        "Bayes, own means",
        binary_limit(TablePrior((0.7, 0.95)), np.full(2, 0.9), budget=40.0),
    )


def test_pools_have_the_limit_of_draws_without_replacement() -> None:
    problem = Problem.named("pool:K=4,N=9")
    found = limit_of(problem, 12.0)
    ones = np.rint(9 * problem.means).astype(np.int64)
    one = np.ones(4)
    assert found == ("pool", pool_limit(ones, np.full(4, 9), 0.5 * one, one, one, budget=12.0))
    assert found[1] > 0.0


def test_costs_enter() -> None:
    problem = Problem.gaussian([0.3, -0.3], costs=[1.0, 5.0], pull_costs=[1.0, 2.0])
    found = limit_of(problem, 20.0)
    assert found is not None
    assert found[1] >= adaptive_limit(problem.gaps, [1.0, 5.0], [1.0, 2.0], budget=20.0).loss > 0.0


@pytest.mark.parametrize(
    "problem",
    [
        Problem.replay({"a": [1, 0, 1], "b": [0, 0, 1]}, 0.4),  # its mirror image is not as hard
        Problem.crossed([[1, 0, 1], [0, 0, 1]], 0.5),  # each answer says something about the other arm
        Problem.named("toy"),
        Problem.custom(lambda rng: rng.standard_t(2), [0.3, -0.3]),  # nothing is known of what it draws
    ],
)
def test_where_no_limit_holds_none_is_given(problem: Problem) -> None:
    assert limit_of(problem, 40.0) is None
