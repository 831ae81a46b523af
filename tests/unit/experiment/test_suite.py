import pytest

from thresher.errors import UnknownNameError
from thresher.experiment.suite import KNOWING_POLICIES, NEIGHBOURS, suite


def test_every_problem_has_four_budgets_that_can_be_paid() -> None:
    entries = suite()
    assert len(entries) == 17
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
