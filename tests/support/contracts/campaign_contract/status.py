"""Arms added and retired; campaigns paused, closed, stopped."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.contracts.campaign_contract.place import Place, make, statistics, take
from thresher.errors import CampaignArchivedError, CampaignClosedError, InvalidInputError, UnknownNameError


class StatusContract:
    """Arms added and retired; campaigns paused, closed, stopped."""

    def test_arms_can_be_added_and_retired(self, place: Place) -> None:
        campaign = make(place)
        campaign.tell_many([(ticket, 1) for ticket in campaign.ask(3)])
        campaign.add_arms(["d", "e"], threshold=0.5)
        assert [take(campaign).arm for _ in range(2)] == ["d", "e"]
        for arm in ("a", "b", "c", "d"):
            campaign.retire(arm)
            campaign.retire(arm)
        assert take(campaign).arm == "e"
        assert [row.retired for row in campaign.verdicts()] == [True] * 4 + [False]
        with pytest.raises(InvalidInputError, match="must not be that of another arm"):
            campaign.add_arms(["f", "a"], threshold=0.5)
        with pytest.raises(InvalidInputError, match="at least"):
            campaign.add_arms([f"x{i}" for i in range(9)], threshold=0.5)
        with pytest.raises(UnknownNameError):
            campaign.retire("z")
        assert len(campaign.verdicts()) == 5
        campaign.verify()

    def test_a_quantile_is_compared_and_shown_as_that_of_the_outcomes(self, place: Place) -> None:
        campaign = make(place, threshold=[10.0, 20.0, 30.0], quantile=0.5, budget=12)
        campaign.tell_many([(ticket, 15.0 + i) for i, ticket in enumerate(campaign.ask(9))])
        campaign.verify()
        # Arms in turn: 15, 18 and 21; 16, 19 and 22; 17, 20 and 23.
        rows = campaign.verdicts()
        assert [row.share for row in rows] == pytest.approx([0.0, 2 / 3, 1.0])
        assert [row.quantile for row in rows] == [18.0, 19.0, 20.0]
        assert [row.mean for row in rows] == pytest.approx([18.0, 19.0, 20.0])
        assert [row.threshold for row in rows] == [10.0, 20.0, 30.0]

    def test_a_paused_campaign_issues_no_tickets_and_takes_outcomes(self, place: Place) -> None:
        campaign = make(place)
        ticket = take(campaign)
        for _ in range(2):
            campaign.pause()
        assert campaign.ask() is None
        assert campaign.is_open
        campaign.tell(ticket, 1)
        for _ in range(2):
            campaign.resume()
        assert take(campaign).arm == "b"

    def test_a_closed_campaign_takes_the_outcomes_that_are_out(self, place: Place) -> None:
        campaign = make(place)
        ticket = take(campaign)
        for _ in range(2):
            campaign.close(reason="enough")
        assert campaign.ask() is None
        assert not campaign.is_open
        campaign.tell(ticket, 1)
        changes: list[Callable[[], None]] = [
            campaign.pause,
            campaign.resume,
            lambda: campaign.extend(1),
            lambda: campaign.add_arms(["d"], threshold=0.5),
        ]
        for change in changes:
            with pytest.raises(CampaignClosedError):
                change()
        assert campaign.standing.status == "closed"
        assert statistics(campaign)[0] == ("a", 1, 1.0)

    def test_an_archived_campaign_is_hidden_refuses_changes_and_comes_back_as_it_was(self, place: Place) -> None:
        campaign = make(place)
        ticket = take(campaign)
        before = campaign.standing
        for _ in range(2):
            campaign.archive(reason="superseded")
        changes: list[Callable[[], object]] = [
            campaign.ask,
            lambda: campaign.tell(ticket, 1),
            lambda: campaign.heartbeat(ticket),
            lambda: campaign.fail(ticket),
            lambda: campaign.tell_counts("a", n=1, total=1),
            lambda: campaign.extend(1),
            lambda: campaign.retire("a"),
            campaign.pause,
            campaign.resume,
            campaign.close,
        ]
        for change in changes:
            with pytest.raises(CampaignArchivedError, match="unarchive it first"):
                change()
        assert (campaign.standing.status, campaign.is_open) == ("archived", False)
        assert [row.pulls for row in campaign.verdicts()] == [0, 0, 0]
        assert campaign.name not in [one.name for one in place.standings()]
        assert campaign.name in [one.name for one in place.standings(archived=True)]
        campaign.verify()
        for _ in range(2):
            campaign.unarchive()
        assert campaign.standing == replace(before, events=before.events + 2)
        campaign.tell(ticket, 1)
        assert [entry.kind for entry in campaign.history()][-3:] == ["archived", "unarchived", "told"]
        campaign.verify()

    def test_it_stops_when_few_enough_mistakes_are_expected(self, place: Place) -> None:
        campaign = make(place, policy="stopping", stop_mistakes=0.05, budget=10_000, arms=["a", "b"])
        told = 0
        for ticket in campaign.tickets():
            campaign.tell(ticket, ticket.arm == "a")
            told += 1
        assert 2 < told < 500
        assert campaign.verdicts().expected_mistakes <= 0.05
        assert (campaign.standing.status, campaign.ask()) == ("ended", None)
        campaign.extend(10)
        assert campaign.budget == 10_010
        assert not campaign.is_open

    def test_it_stops_when_no_measurement_is_worth_its_price(self, place: Place) -> None:
        campaign = make(place, policy="stopping", stop_price=0.01, budget=10_000, arms=["a", "b"])
        told = 0
        for ticket in campaign.tickets():
            campaign.tell(ticket, ticket.arm == "a")
            told += 1
        assert 2 < told < 200
        assert campaign.standing.status == "ended"
        campaign.extend(10)
        assert not campaign.is_open

    def test_the_global_random_generator_is_left_alone(self, place: Place) -> None:
        before = random.getstate()
        campaign = make(place)
        for ticket in campaign.ask(4):
            campaign.tell(ticket, 1)
        campaign.verdicts()
        place.open().verify()
        assert random.getstate() == before
