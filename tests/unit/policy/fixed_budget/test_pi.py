import numpy as np
from scipy.stats import beta

from tests.support.choices import PROBLEMS, choices, field_policy
from thresher.engine.field_reference import play
from thresher.engine.reference import spend
from thresher.policy import IndexPolicy, find_policy
from thresher.problem import Problem


def test_every_choice_is_the_most_doubtful_verdict() -> None:
    bars = PROBLEMS[1].thresholds
    for seen in choices("pi:prior=2", PROBLEMS[1], budget=60, seed=4):
        posterior = beta(2 * bars + seen.ones, 2 * (1.0 - bars) + seen.counts - seen.ones)
        wrong = np.minimum(posterior.cdf(bars), posterior.sf(bars))
        assert wrong[seen.arm] >= wrong.max() - 1e-12


def test_with_gaussian_arms_it_is_apt() -> None:
    apt, problem = find_policy("apt"), Problem.named("linear:K=7")
    assert isinstance(apt, IndexPolicy)
    for run in range(5):
        ours = play(field_policy("pi"), problem, budget=60, seed=1, run=run).state.counts
        assert ours.tolist() == spend(apt, problem, budget=60, seed=1, run=run).counts.tolist()
