import numpy as np
import pytest

import thresher as th
from tests.support.choices import choices
from thresher.errors import InvalidInputError
from thresher.policy.literature.fixed_budget.xie_frazier import prices_of
from thresher.policy.literature.known_standard import BetaPrior
from thresher.problem import Problem
from thresher.research.theory import binary_limit


def test_the_first_prices_of_a_uniform_prior() -> None:
    # Beta(1, 1), bar 1/2. Before a sample the error is 1/2, after one it is 1/4 either way. Going on for one sample
    # costs c + 1/4: at c = 1/4 that equals stopping, and a second sample is not worth 1/4. After one success the error
    # is 1/4; after (2, 0) it is 1/8, after (1, 1) it is 1/2, with chances 2/3 and 1/3: 1/12 + 1/6 = 1/4. So one more
    # sample alone gains nothing, and the price is below that of the first.
    prices = prices_of(1.0, 1.0, 0.5)
    assert prices[0] == pytest.approx(0.25, rel=2e-3)
    assert 0.0 < prices[1] < 0.1
    assert prices[1] == pytest.approx(prices[2], rel=1e-9)  # a failure says as much as a success


def test_every_choice_is_the_dearest_arm() -> None:
    problem = Problem.bernoulli([0.1, 0.35, 0.45, 0.9], thresholds=0.4, costs=[1.0, 2.0, 1.0, 1.0])
    prices = prices_of(2.0, 3.0, 0.4)
    for seen in choices("xie-frazier:a=2,b=3", problem, budget=60, seed=3):
        own = prices[seen.counts * (seen.counts + 1) // 2 + seen.ones.astype(int)] * problem.costs
        assert own[seen.arm] == own.max()


@pytest.mark.nightly
def test_with_the_true_prior_it_meets_the_bayes_limit() -> None:
    # 40 arms from Beta(2, 5), bar 0.3. The limit holds for every policy, and this one is optimal but for the budget
    # that must be kept in every run. A false alarm of the lower check (five standard errors) has probability 3e-7.
    problem = Problem.named("beta-population:K=40,a=2,b=5,threshold=0.3")
    for row in th.simulate(problem, ["xie-frazier:a=2,b=5"], budgets=[100, 400], runs=2000, seed=1).rows():
        limit = binary_limit(BetaPrior(2.0, 5.0), np.full(40, 0.3), budget=row.budget)
        assert row.mean > limit - 5.0 * row.stderr
        assert row.mean < 1.03 * limit + 5.0 * row.stderr


def test_an_arm_without_a_sample_is_judged_by_the_prior() -> None:
    # Beta(9, 1) is above 0.1 almost surely: no sample is worth much, and all arms are right without one.
    problem = Problem.bernoulli([0.9] * 5, thresholds=0.1)
    result = th.simulate(problem, ["xie-frazier:a=9,b=1"], budgets=[5], runs=20, seed=1)
    assert result.rows()[0].mean == 0.0


def test_arms_with_bars_of_their_own_are_refused() -> None:
    problem = Problem.bernoulli([0.2, 0.4], thresholds=[0.3, 0.5])
    with pytest.raises(InvalidInputError, match="one bar for all arms"):
        th.simulate(problem, ["xie-frazier"], budgets=[20], runs=5, seed=1)
