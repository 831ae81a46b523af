"""What was known of one arm after each of its measurements."""

import pytest

from thresher.campaign import Campaign
from thresher.campaign.interval_history import MOST_POINTS, RunningInterval, running_intervals
from thresher.campaign.storage import MemoryStorage
from thresher.service.campaign_registry import CampaignRegistry

TOSSES = [1, 0, 1, 1, 0, 1, 1, 1]


def campaign(tosses: list[int]) -> Campaign:
    """Return a campaign of one coin that was tossed so."""
    budget = len(tosses) + 9
    made = Campaign.create(MemoryStorage(), "c", arms=["a"], threshold=0.5, budget=budget, policy="lsa")
    for toss in tosses:
        ticket = made.ask()
        assert ticket is not None
        made.tell(ticket, toss)
    return made


def moments(made: Campaign) -> list[RunningInterval]:
    """Return the moments of the coin."""
    served = CampaignRegistry(made._backend.stored.storage).open("c")  # type: ignore[union-attr]
    return running_intervals(served.terms, served.pulls(0), threshold=0.5, sigma=0.5)


def test_every_moment_is_what_the_verdict_said_then() -> None:
    said = []
    for n in range(1, len(TOSSES) + 1):
        row = campaign(TOSSES[:n]).verdicts()[0]
        assert row.mean is not None
        said.append((n, row.mean, row.valid_low, row.valid_high))
    found = moments(campaign(TOSSES))
    assert [row[0] for row in found] == [row[0] for row in said]
    for ours, theirs in zip(found, said, strict=True):
        assert ours == pytest.approx(theirs)


def test_a_void_outcome_was_never_there() -> None:
    made = campaign([1, 0, 1])
    served = CampaignRegistry(made._backend.stored.storage).open("c")  # type: ignore[union-attr]
    made.void(served.pulls(0)[1].ticket)
    assert [row[:2] for row in moments(made)] == [(1, 1.0), (2, 1.0)]


def test_outcomes_told_as_a_sum_count_as_many() -> None:
    made = campaign([1])
    made.tell_counts("a", n=4, total=1)
    assert [row[:2] for row in moments(made)] == [(1, 1.0), (5, pytest.approx(0.4))]


def test_a_long_history_is_thinned_out_and_keeps_its_ends() -> None:
    made = campaign([1])
    served = CampaignRegistry(made._backend.stored.storage).open("c")  # type: ignore[union-attr]
    [pull] = served.pulls(0)
    many = [pull._replace(number=n, told=n, value=float(n % 2)) for n in range(1, 1001)]
    found = running_intervals(served.terms, many, threshold=0.5, sigma=0.5)
    assert len(found) == MOST_POINTS
    assert (found[0].pulls, found[-1].pulls, found[-1].mean) == (1, 1000, 0.5)


def test_no_outcome_is_no_moment() -> None:
    made = campaign([])
    made.ask()
    assert moments(made) == []
