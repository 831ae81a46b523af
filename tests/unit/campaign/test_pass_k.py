"""Campaigns whose bar is about several trials: all of them have to succeed."""

from itertools import count
from typing import Any

import pytest

import thresher as th
from thresher.campaign.interval_history import running_intervals
from thresher.campaign.ledger import Pull
from thresher.errors import InvalidInputError

NAMES = (f"trials {number}" for number in count())  # campaigns in memory share one storage


def told(ones: int, zeros: int, **terms: Any) -> th.Campaign:
    """Return a campaign whose only arm has this many outcomes."""
    campaign = th.Campaign.create("memory://", next(NAMES), arms=["a"], budget=ones + zeros, **terms)
    campaign.tell_counts("a", n=ones + zeros, total=ones)
    return campaign


def test_a_row_is_about_all_trials_and_decided_as_one_trial_with_the_root_of_the_bar() -> None:
    [row] = told(86, 14, pass_k=3, threshold=0.729).verdicts()
    [one] = told(86, 14, threshold=0.9).verdicts()  # 0.9³ is 0.729
    assert row.mean == pytest.approx(0.86**3)
    assert row.raw_mean == pytest.approx(0.86)
    assert row.threshold == 0.729
    for name in ("low", "high", "valid_low", "valid_high"):
        assert getattr(row, name) == pytest.approx(getattr(one, name) ** 3)
    assert (row.verdict, row.decision, row.proven) == (one.verdict, one.decision, one.proven)
    assert row.p_wrong == pytest.approx(one.p_wrong)


def test_outcomes_one_by_one_and_as_a_sum_say_the_same() -> None:
    campaign = th.Campaign.create("memory://", next(NAMES), arms=["a"], budget=10, threshold=0.5, pass_k=2)
    for place, ticket in enumerate(campaign.tickets()):
        campaign.tell(ticket, place % 5 > 0)
    [by_one], [at_once] = campaign.verdicts(), told(8, 2, pass_k=2, threshold=0.5).verdicts()
    assert by_one.pulls == at_once.pulls == 10
    assert (by_one.mean, by_one.low, by_one.p_wrong) == pytest.approx((at_once.mean, at_once.low, at_once.p_wrong))
    campaign.verify()


def test_every_text_says_that_all_trials_have_to_succeed() -> None:
    found = told(86, 14, pass_k=3, threshold=0.729).verdicts()
    assert "Bar: all of 3 trials succeed with a probability above 0.729." in found.summary
    assert "pass^3" in found._repr_html_()


def test_the_history_of_an_arm_is_about_all_trials() -> None:
    campaign = told(9, 1, pass_k=2, threshold=0.5)
    pull = Pull(1, "1-x", 0, "told", 10, 9.0, 2.5)
    [point] = running_intervals(campaign.terms, [pull], threshold=0.5, sigma=0.5)
    assert point.mean == pytest.approx(0.81)
    assert point.low == pytest.approx(campaign.verdicts()[0].valid_low)


@pytest.mark.parametrize(
    "other",
    [{"family": "bounded"}, {"quantile": 0.5}, {"tolerance": 0.1}, {"items": 5}],
    ids=lambda other: next(iter(other)),
)
def test_what_trials_cannot_be_combined_with_is_refused(other: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="pass_k"):
        th.Campaign.create("memory://", next(NAMES), arms=["a"], budget=10, threshold=0.5, pass_k=2, **other)


@pytest.mark.parametrize("k", [0, 2.5, True, "3", 101])
def test_the_number_of_trials_is_a_whole_number(k: Any) -> None:
    with pytest.raises(InvalidInputError, match="must be a whole number, at least 1 and at most 100"):
        th.Campaign.create("memory://", next(NAMES), arms=["a"], budget=10, threshold=0.5, pass_k=k)
