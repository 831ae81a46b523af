import gzip
from pathlib import Path

import pytest

from thresher.errors import UnknownNameError
from thresher.experiment.replay_data import BIRDS, FLAKY_TESTS, LANGUAGE_MODELS
from thresher.experiment.suite import KNOWING_POLICIES, NEIGHBOURS, suite


def test_every_problem_has_four_budgets_that_can_be_paid() -> None:
    entries, left_out = suite()
    assert len(entries) == 17
    for entry in entries:
        assert len(entry.budgets) == 4
        assert sorted(entry.budgets) == list(entry.budgets)
        assert entry.budgets[0] >= entry.problem.least_budget
    assert [sentence.split()[0] for sentence in left_out] == ["gsm", "math-l5", "bluebird", "flaky-tests"]


def test_policies_that_know_the_gaps_play_where_there_are_gaps_to_know() -> None:
    entries, _ = suite()
    for entry in entries:
        assert (set(KNOWING_POLICIES) <= set(entry.policies)) == (entry.problem.population is None)


def test_the_neighbours_play_when_they_are_asked_for_and_can() -> None:
    entries, _ = suite(lineup="all")
    by_name = {entry.problem.name: entry.policies for entry in entries}
    assert {"csar", "evt-pf", "kl-apt", "ucbe"} <= set(by_name["linear"])
    assert not {"kg", "opt-kg", "mtb"} & set(by_name["linear"])  # Gaussian arms, without order
    assert {"kg", "opt-kg", "mtb", "bayes-ucb"} <= set(by_name["locatelli-1"])
    assert "ucbe" not in by_name["beta-population"]
    assert by_name["linear"][-1] == "ucbe"  # those that know the gaps stand last
    assert set().union(*by_name.values()) >= set(NEIGHBOURS)


def test_an_unknown_lineup_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown lineup 'al'"):
        suite(lineup="al")


def test_recorded_data_plays_where_it_is_there(tmp_path: Path) -> None:
    with gzip.open(tmp_path / FLAKY_TESTS, "wt") as file:
        file.write("row,project,fails,runs,group\n1,p,20,10000,2\n")
    entries, left_out = suite(tmp_path)
    assert entries[-1].problem.name == "flaky-tests"
    assert len(left_out) == 3
    assert LANGUAGE_MODELS in left_out[0]
    assert BIRDS in left_out[2]
