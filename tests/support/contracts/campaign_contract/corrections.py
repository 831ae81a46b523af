"""Corrections: void, amend, and outcomes that come as aggregates."""

from __future__ import annotations

import pytest

from tests.support.contracts.campaign_contract.place import Place, make, statistics, take
from thresher.errors import (
    BudgetSpentError,
    ConflictingOutcomeError,
    InvalidOutcomeError,
    NoOutcomeError,
    UnknownNameError,
)


class CorrectionContract:
    """Corrections: void, amend, and outcomes that come as aggregates."""

    def test_a_void_outcome_leaves_the_arm_as_if_it_had_never_come(self, place: Place) -> None:
        campaign = make(place, family="gaussian", sigma=1.0, threshold=0.0, budget=30, arms=["a"])
        values = [0.1, 0.7, 1e9, -0.2, 0.3]
        tickets = []
        for value in values:
            tickets.append(take(campaign))
            campaign.tell(tickets[-1], value)
        for _ in range(2):
            campaign.void(tickets[2], reason="a typo")
        assert statistics(campaign) == [("a", 4, (0.1 + 0.7 - 0.2 + 0.3) / 4)]
        assert campaign.spent == 5  # the measurement was paid for
        assert campaign.tell(tickets[2], 1e9).replayed
        campaign.amend(tickets[2], 0.5, reason="the right number")
        total = 0.1 + 0.7 + 0.5 - 0.2 + 0.3  # in its old place
        assert statistics(campaign) == [("a", 5, total / 5)]
        campaign.verify()

    def test_an_amended_outcome_may_be_told_again_as_it_was_and_as_it_is(self, place: Place) -> None:
        campaign = make(place, family="gaussian", sigma=1.0, threshold=0.0)
        ticket, other = campaign.ask(2)
        campaign.tell_many([(ticket, 1.0), (other, 3.0)])
        campaign.amend(ticket, 0.0, reason="a typo")
        events = campaign.standing.events
        for outcome in (1.0, 0.0):  # a worker that lost the response repeats its tell
            assert campaign.tell(ticket, outcome).replayed
        receipts = campaign.tell_many([(other, 3.0), (ticket, 1.0)])
        assert [receipt.replayed for receipt in receipts] == [True, True]
        with pytest.raises(ConflictingOutcomeError, match="already has outcome 0") as refused:
            campaign.tell(ticket, 0.5)
        assert refused.value.stored == 0.0
        assert statistics(campaign)[0] == ("a", 1, 0.0)
        assert campaign.standing.events == events

    def test_only_an_outcome_can_be_voided_or_amended(self, place: Place) -> None:
        campaign = make(place)
        ticket = take(campaign)
        with pytest.raises(NoOutcomeError):
            campaign.void(ticket)
        with pytest.raises(NoOutcomeError):
            campaign.amend(ticket, 1)
        campaign.tell(ticket, 1)
        with pytest.raises(InvalidOutcomeError):
            campaign.amend(ticket, 7)
        assert statistics(campaign)[0] == ("a", 1, 1.0)

    def test_aggregated_outcomes_count_like_single_ones(self, place: Place) -> None:
        campaign = make(place, family="gaussian-unknown-variance", threshold=0.0, budget=100)
        receipt = campaign.tell_counts("b", n=3, total=3.0, squares=5.0, key="log")
        assert (receipt.arm, receipt.replayed, receipt.used) == ("b", False, True)
        again = campaign.tell_counts("b", n=3, total=3.0, squares=5.0, key="log")
        assert (again.ticket, again.replayed) == (receipt.ticket, True)
        campaign.tell_counts("c", n=50, total=1.0, squares=9.0, paid=False)
        assert statistics(campaign) == [("a", 0, None), ("b", 3, 1.0), ("c", 50, 0.02)]
        assert campaign.spent == 3
        assert [take(campaign).arm for _ in range(3)] == ["a", "a", "a"]  # the others need no first pulls any more
        campaign.void(receipt.ticket)
        assert statistics(campaign)[1] == ("b", 0, None)
        campaign.verify()

    def test_aggregates_that_cannot_be_are_refused(self, place: Place) -> None:
        campaign = make(place)
        for n, total, squares in (
            (3, 4, None),
            (3, 1.5, None),
            (0, 0, None),
            (2, 1, 3),
            (True, 1, None),
            (2, -1, None),
        ):
            with pytest.raises(InvalidOutcomeError):
                campaign.tell_counts("a", n=n, total=total, squares=squares)
        with pytest.raises(UnknownNameError):
            campaign.tell_counts("z", n=1, total=1)
        with pytest.raises(BudgetSpentError):
            campaign.tell_counts("a", n=10, total=1)
        assert campaign.standing.told == 0
