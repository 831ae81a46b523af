import hashlib

import pytest

from thresher.errors import InvalidInputError, UnknownNameError
from thresher.problem import Problem
from thresher.research.league.suite import BINARY_POLICIES, KNOWING_POLICIES, NEIGHBOURS, VERSION, suite

DIGESTS = {"1": "638235fc0e542c45"}


def described(problem: Problem) -> tuple[object, ...]:
    """Return what a problem is, to nine digits, which any machine computes alike."""
    numbers = [problem.means, problem.thresholds, problem.sigma, problem.costs, problem.pull_costs]
    recorded = None if problem.pool is None else problem.pool.values.tolist()
    return problem.name, problem.family, problem.population, [each.round(9).tolist() for each in numbers], recorded


def test_a_suite_that_changes_gets_another_version() -> None:
    # Results of one version are comparable. After a change of a problem, a budget or a number of runs raise VERSION and
    # add its digest; do not change a digest of a version that was released.
    parts = [(*described(e.problem), e.budgets, e.runs) for e in suite()]
    assert {VERSION: hashlib.sha256(repr(parts).encode()).hexdigest()[:16]} == {VERSION: DIGESTS[VERSION]}


def test_every_problem_has_four_budgets_that_can_be_paid() -> None:
    entries = suite()
    assert len(entries) == 21
    for entry in entries:
        assert len(entry.budgets) == 4
        assert sorted(entry.budgets) == list(entry.budgets)
        assert entry.budgets[0] >= entry.problem.least_budget


def test_policies_that_know_the_gaps_play_where_there_are_gaps_to_know() -> None:
    entries = suite()
    for entry in entries:
        assert (set(KNOWING_POLICIES) <= set(entry.policies)) == (entry.problem.population is None)


def test_the_neighbours_play_when_they_are_asked_for_and_can() -> None:
    entries = suite(lineup="all")
    by_name = {entry.problem.name: entry.policies for entry in entries}
    assert {"csar", "evt-pf", "kl-apt", "ucbe"} <= set(by_name["linear"])
    assert not {"kg", "opt-kg", "mtb", "utb"} & set(by_name["linear"])  # Gaussian arms, without order
    assert {"kg", "opt-kg", "mtb", "bayes-ucb"} <= set(by_name["locatelli-1"])
    assert "ucbe" not in by_name["beta-population"]
    assert by_name["linear"][-1] == "ucbe"  # those that know the gaps stand last
    # The searches of `utb` cost more than the smallest budgets.
    assert set(NEIGHBOURS) - set().union(*by_name.values()) == {"utb"}


def test_an_unknown_lineup_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown lineup 'al'"):
        suite(lineup="al")


def test_0_1_arms_have_a_rival_with_the_evidence_of_stopping() -> None:
    for entry in suite():
        assert (set(BINARY_POLICIES) <= set(entry.policies)) == (entry.problem.family == "bernoulli")


def test_further_policies_play_where_they_can_and_once() -> None:
    entries = suite(lineup="all", extra=["kg", "stopping-gaps", "lsa"])
    for entry in entries:
        assert ("kg" in entry.policies) == (entry.problem.family == "bernoulli")
        assert "stopping-gaps" in entry.policies
        assert len(set(entry.policies)) == len(entry.policies)


def test_a_part_of_the_suite_keeps_its_order() -> None:
    assert [entry.problem.name for entry in suite(problems=["pool", "linear"])] == ["linear", "pool"]


def test_unknown_problems_and_policies_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown problem 'linea' of the suite; did you mean 'linear'"):
        suite(problems=["linea"])
    with pytest.raises(UnknownNameError, match="unknown policy 'stoping'"):
        suite(extra=["stoping"])
    with pytest.raises(InvalidInputError, match="policy is 'kg'; must be able to play one of the problems"):
        suite(extra=["kg"], problems=["linear"])
    with pytest.raises(InvalidInputError, match="policy is 'hdoc'; must be able"):
        suite(extra=["hdoc"])  # it stops at an error rate
