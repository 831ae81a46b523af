import numpy as np

from thresher.policy.literature.fixed_confidence.jj_fwer import JJ_FWER
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_a_worked_run() -> None:
    # χ = 15.36, δ/χ = 0.00326: 21.9 + 4 <= 31, so the arm is output as soon as it is found (see the rule for a
    # share of false outputs).
    result = simulate(Problem.bernoulli([1.0, 0.0]), "jj-fwer", alpha=0.05, runs=1)
    assert result.pulls("jj-fwer")[0].tolist() == [31.0, 2.0]


def test_among_many_arms_it_outputs_later_than_the_rule_for_a_share() -> None:
    # With 200 arms above the bar the level of the family is far below that of the procedure for a share.
    problem = Problem.gaussian(np.full(300, 1.0))
    result = simulate(problem, ["jj-fdr", "jj-fwer"], alpha=0.05, runs=3, budgets=200_000)
    assert (result.spent("jj-fwer") > result.spent("jj-fdr")).all()
    assert [row.stopped for row in result.rows()] == [1.0, 1.0]


def test_it_promises_that_nothing_false_is_output() -> None:
    assert JJ_FWER.traits.promise == "any false output"
    assert JJ_FWER.ends_when_found
