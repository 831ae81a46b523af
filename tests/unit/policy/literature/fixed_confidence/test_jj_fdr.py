import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.policy import Stop, find_policy
from thresher.problem import Problem
from thresher.research.simulation import simulate


def test_a_worked_run() -> None:
    # The first arm always shows ½ above the bar, σ = ½: it is found when 2 L + 6 log L + 3 log(1 + log(n/2)) <= n with
    # L = log(2/δ') = 7.429; that is 30.82 > 30 at n = 30, 30.85 <= 31 at n = 31. The second arm, after one pull at
    # 1.0025, has one more when the first is below that, at n = 16; after two pulls it is at 0.754, too low.
    result = simulate(Problem.bernoulli([1.0, 0.0]), "jj-fdr", alpha=0.05, runs=1)
    assert result.pulls("jj-fdr")[0].tolist() == [31.0, 2.0]
    (row,) = result.rows()
    assert [each.mean for each in result.outputs("jj-fdr")] == [row.spent] == [33.0]
    assert row.loss == "share of false outputs"


def test_what_is_to_be_found_changes_who_is_pulled() -> None:
    result = simulate("kano-1", ["jj-fdr", "jj-fdr:find=all"], alpha=0.05, runs=5)
    assert result.spent("jj-fdr").tolist() != result.spent("jj-fdr:find=all").tolist()


def test_wrong_targets_and_levels_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="most"):
        find_policy("jj-fdr:find=some")
    policy, problem = find_policy("jj-fdr:find=all"), Problem.named("kano-1")
    with pytest.raises(InvalidInputError, match=r"alpha is 0\.25; must be below 0\.25 to find all arms; .*find=most"):
        policy.bind(problem, Stop(100.0, alpha=0.25))
    assert policy.bind(problem, Stop(100.0, alpha=0.2)).known.parameters.tolist() == [1.0]
    assert find_policy("jj-fdr").bind(problem, Stop(100.0, alpha=0.25)).known.parameters.tolist() == [0.0]
