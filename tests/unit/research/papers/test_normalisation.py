import numpy as np
import pytest

from thresher.errors import UnknownNameError
from thresher.policy import IndexPolicy, find_policy
from thresher.problem import named
from thresher.research.papers.normalisation import raw_gaps, with_raw_gaps
from thresher.research.simulation import simulate


def test_the_raw_gap_is_the_mean_over_sigma() -> None:
    np.testing.assert_allclose(raw_gaps(named("linear:K=4,sigma=2")), [1 / 8, 2 / 8, 3 / 8, 4 / 8])


def test_the_evidence_is_doubled_and_nothing_else() -> None:
    problem, plain = named("quadratic:K=5"), find_policy("fwt-sqrt")
    assert isinstance(plain, IndexPolicy)
    usual, raw = plain.rank(problem), with_raw_gaps("fwt-sqrt").rank(problem)
    np.testing.assert_array_equal(raw.precisions, 2.0 * usual.precisions)
    for name in set(usual._fields) - {"precisions"}:
        np.testing.assert_array_equal(getattr(raw, name), getattr(usual, name))


def test_lsa_with_raw_gaps_is_lsa_with_twice_the_weight() -> None:
    # 1 · (2 x) + log n: the same index, found on two ways.
    result = simulate("linear:K=12", [with_raw_gaps("lsa"), "lsa:alpha=2"], budgets=[30, 90], runs=40, seed=3)
    np.testing.assert_array_equal(result.losses("lsa, Δ = |μ|"), result.losses("lsa:alpha=2"))
    np.testing.assert_array_equal(result.pulls("lsa, Δ = |μ|"), result.pulls("lsa:alpha=2"))


def test_apt_pulls_alike_under_both_readings() -> None:
    result = simulate("linear:K=12", [with_raw_gaps("apt"), "apt"], budgets=[90], runs=40, seed=3)
    np.testing.assert_array_equal(result.pulls("apt, Δ = |μ|"), result.pulls("apt"))


def test_fwt_does_not() -> None:
    result = simulate("linear:K=12", [with_raw_gaps("fwt"), "fwt"], budgets=[90], runs=40, seed=3)
    assert (result.pulls("fwt, Δ = |μ|") != result.pulls("fwt")).any()


def test_a_policy_without_an_index_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown index 'oracle'"):
        with_raw_gaps("oracle")
