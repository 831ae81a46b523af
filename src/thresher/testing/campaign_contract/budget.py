"""The budget: spent to the last unit, never overspent."""

# ruff: noqa: D102 - the name of a test is its promise

from __future__ import annotations

import threading

import pytest

from thresher.errors import InvalidProblemError, UnknownCampaignError
from thresher.testing.campaign_contract.place import Place, make


class Budget:
    """The budget: spent to the last unit, never overspent."""

    def test_the_budget_is_spent_to_the_last_unit_and_no_further(self, place: Place) -> None:
        campaign = make(place)
        arms = [(ticket.arm, campaign.tell(ticket, True))[0] for ticket in campaign.tickets()]
        assert arms[:3] == ["a", "b", "c"]  # every arm once first, in order
        assert len(arms) == 9
        assert (campaign.spent, campaign.outstanding, campaign.budget) == (9, 0, 9)
        assert campaign.ask() is None
        assert campaign.ask(1) == []
        assert not campaign.is_open

    def test_reservations_count(self, place: Place) -> None:
        campaign = make(place)
        assert len(campaign.ask(20)) == 9
        assert (campaign.spent, campaign.outstanding) == (0, 9)
        assert campaign.ask() is None
        assert campaign.is_open  # a lease may run out

    def test_the_budget_ends_when_the_next_arm_cannot_be_paid(self, place: Place) -> None:
        campaign = make(place, arms=["cheap", "dear"], pull_costs=[0.1, 2.5], budget=3.0, policy="uniform")
        for ticket in campaign.tickets():
            campaign.tell(ticket, 1)
        # Round robin: cheap, dear, cheap (as often as dear: the lowest), then dear, which 0.3 cannot pay.
        assert [row.pulls for row in campaign.verdicts()] == [2, 1]
        assert campaign.spent == 2.7
        assert not campaign.is_open

    def test_a_budget_below_the_cost_of_opening_every_arm_is_refused(self, place: Place) -> None:
        with pytest.raises(InvalidProblemError, match="at least"):
            make(place, budget=2)
        with pytest.raises(UnknownCampaignError):
            place.open()

    def test_extending_gives_new_units_and_the_same_key_gives_them_once(self, place: Place) -> None:
        campaign = make(place, budget=3)
        campaign.tell_many([(ticket, 1) for ticket in campaign.ask(3)])
        before = campaign.is_open
        for _ in range(3):
            campaign.extend(2, key="more")
        assert campaign.budget == 5
        assert (before, campaign.is_open) == (False, True)
        assert len(campaign.ask(9)) == 2

    def test_many_threads_spend_exactly_the_budget(self, place: Place) -> None:
        campaign = make(place, budget=60)
        told: list[str] = []

        def work() -> None:
            for ticket in campaign.tickets():
                campaign.tell(ticket, hash(ticket.arm) % 2)
                told.append(ticket.id)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(told)) == len(told) == 60
        assert (campaign.spent, campaign.outstanding) == (60, 0)
        campaign.verify()
