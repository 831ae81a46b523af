import numpy as np
from scipy.stats import beta

from tests.support.choices import PROBLEMS, choices
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.engine.reference import play


def test_every_choice_is_the_most_doubtful_verdict() -> None:
    bars = PROBLEMS[1].thresholds
    for seen in choices("pi:prior=2", PROBLEMS[1], budget=60, seed=4):
        posterior = beta(2 * bars + seen.ones, 2 * (1.0 - bars) + seen.counts - seen.ones)
        wrong = np.minimum(posterior.cdf(bars), posterior.sf(bars))
        assert wrong[seen.arm] >= wrong.max() - 1e-12


def test_with_gaussian_arms_it_is_apt() -> None:
    problem = Problem.named("linear:K=7")
    ours, theirs = (find_policy(name).bind(problem, Stop(60)) for name in ("pi", "apt"))
    for run in range(5):
        order = play(ours, problem, budget=60, seed=1, run=run).order
        assert order == play(theirs, problem, budget=60, seed=1, run=run).order
