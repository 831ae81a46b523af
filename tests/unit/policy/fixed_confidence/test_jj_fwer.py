import numpy as np

from thresher.experiment import stopping_times
from thresher.policy.fixed_confidence.jj_fwer import jj_fwer
from thresher.problem import Problem


def test_a_worked_run() -> None:
    # χ = 15.36, δ/χ = 0.00326: 21.9 + 4 <= 31, so that the arm is sure as soon as it is found (see the rule for a
    # share of false outputs).
    result = stopping_times(Problem.bernoulli([1.0, 0.0]), "jj-fwer", confidence=0.05, runs=1)
    assert result.pulls("jj-fwer").tolist() == [31.0, 2.0]


def test_among_many_arms_it_outputs_later_than_the_rule_for_a_share() -> None:
    # With 200 arms above the bar the level of the family is far below that of the procedure for a share.
    problem = Problem.gaussian(np.full(300, 1.0))
    result = stopping_times(problem, ["jj-fdr", "jj-fwer"], confidence=0.05, runs=3, most_pulls=200_000)
    assert (result.times("jj-fwer") > result.times("jj-fdr")).all()
    assert [row.capped for row in result.rows()] == [0.0, 0.0]


def test_it_promises_that_nothing_false_is_output() -> None:
    assert jj_fwer().promise == "any false output"
    assert jj_fwer().runs_on
