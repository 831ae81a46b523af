import pytest

from thresher.errors import InvalidProblemError, UnknownNameError
from thresher.experiment import stopping_times
from thresher.policy import find_policy
from thresher.policy.fixed_confidence.jj_fdr import jj_fdr
from thresher.problem import Problem


def test_a_worked_run() -> None:
    # The first arm always shows ½ above the bar, σ = ½: it is found when 2 L + 6 log L + 3 log(1 + log(n/2)) <= n with
    # L = log(2/δ') = 7.429; that is 30.82 > 30 at n = 30, 30.85 <= 31 at n = 31. The second arm, after one pull at
    # 1.0025, has one more when the first is below that, at n = 16; after two pulls it is at 0.754, too low.
    result = stopping_times(Problem.bernoulli([1.0, 0.0]), "jj-fdr", confidence=0.05, runs=1)
    assert result.pulls("jj-fdr").tolist() == [31.0, 2.0]
    (row,) = result.rows()
    assert [each.mean for each in row.outputs] == [row.mean] == [33.0]
    assert row.promise == "share of false outputs"


def test_what_is_to_be_found_changes_who_is_pulled() -> None:
    result = stopping_times("kano-1", ["jj-fdr", "jj-fdr:find=all"], confidence=0.05, runs=5)
    assert result.times("jj-fdr").tolist() != result.times("jj-fdr:find=all").tolist()


def test_wrong_targets_and_levels_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="most"):
        find_policy("jj-fdr:find=some")
    with pytest.raises(InvalidProblemError, match=r"less than 0\.25"):
        jj_fdr("all").demand(Problem.named("kano-1"), 0.25)
    assert jj_fdr("all").demand(Problem.named("kano-1"), 0.2).first == 1.0
