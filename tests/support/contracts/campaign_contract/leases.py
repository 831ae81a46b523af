"""Leases: expired ones, renewed ones, and late outcomes."""

from __future__ import annotations

import threading

import pytest

from tests.support.contracts.campaign_contract.place import Place, make, statistics, take
from thresher.errors import ConflictingOutcomeError, NoOutcomeError

DAY = 86_400.0  # seconds


class LeaseContract:
    """Leases: expired ones, renewed ones, and late outcomes."""

    def test_a_lease_that_ran_out_is_given_to_another(self, place: Place) -> None:
        campaign = make(place, budget=3)
        lost = campaign.ask(3)
        assert campaign.ask() is None
        place.advance(61)
        again = campaign.ask(3)
        assert [ticket.arm for ticket in again] == ["a", "b", "c"]
        assert not {ticket.id for ticket in again} & {ticket.id for ticket in lost}
        assert campaign.outstanding == 3

    def test_a_lost_unit_is_spent_where_the_terms_say_so(self, place: Place) -> None:
        campaign = make(place, budget=3, expiry="forfeit")
        lost = campaign.ask(3)
        place.advance(61)
        assert campaign.ask() is None
        assert (campaign.spent, campaign.outstanding) == (3, 0)
        assert not campaign.is_open
        receipt = campaign.tell(lost[0], 1)  # its cost was forfeited, that is, paid: it counts
        assert (receipt.late, receipt.used, receipt.replayed) == (True, True, False)
        assert campaign.spent == 3
        assert statistics(campaign)[0] == ("a", 1, 1.0)

    def test_an_outcome_counts_while_its_unit_was_not_given_away(self, place: Place) -> None:
        campaign = make(place, budget=3)
        ticket = take(campaign)
        place.advance(61)
        receipt = campaign.tell(ticket, 1)
        assert (receipt.late, receipt.used) == (False, True)

    def test_a_late_outcome_counts_if_budget_remains(self, place: Place) -> None:
        campaign = make(place, budget=9)
        first = take(campaign)
        place.advance(61)
        second = take(campaign)  # takes the unit of the first
        assert second.arm == "a"
        receipt = campaign.tell(first, 1)
        assert (receipt.late, receipt.used) == (True, True)
        assert (campaign.spent, campaign.outstanding) == (1, 1)

    def test_a_late_outcome_without_budget_is_kept_and_does_not_count(self, place: Place) -> None:
        campaign = make(place, budget=3)
        lost = campaign.ask(3)
        place.advance(61)
        campaign.tell_many([(ticket, 0) for ticket in campaign.ask(3)])
        receipt = campaign.tell(lost[0], 1)
        assert (receipt.late, receipt.used, receipt.replayed) == (True, False, False)
        assert campaign.tell(lost[0], 1).replayed
        with pytest.raises(ConflictingOutcomeError):
            campaign.tell(lost[0], 0)
        with pytest.raises(NoOutcomeError):
            campaign.void(lost[0])
        assert statistics(campaign) == [("a", 1, 0.0), ("b", 1, 0.0), ("c", 1, 0.0)]
        assert (campaign.standing.late, campaign.spent) == (1, 3)
        campaign.verify()

    def test_a_late_outcome_without_budget_counts_once_an_extension_pays_it(self, place: Place) -> None:
        campaign = make(place, budget=3)
        lost = campaign.ask(3)
        place.advance(61)
        campaign.tell_many([(ticket, 0) for ticket in campaign.ask(3)])
        for ticket in (lost[1], lost[0], lost[2]):
            assert not campaign.tell(ticket, 1).used
        for _ in range(2):
            campaign.extend(2, key="more")
        assert (campaign.budget, campaign.spent, campaign.standing.late) == (5, 5, 3)
        assert statistics(campaign) == [("a", 2, 0.5), ("b", 2, 0.5), ("c", 1, 0.0)]  # in the order in which they came
        assert [campaign.tell(ticket, 1).used for ticket in lost] == [True, True, False]
        campaign.void(lost[0])
        campaign.extend(1)
        assert statistics(campaign) == [("a", 1, 0.0), ("b", 2, 0.5), ("c", 2, 0.5)]
        campaign.amend(lost[2], 0)
        assert campaign.tell(lost[2], 1).replayed  # its first outcome
        campaign.verify()

    def test_an_extension_pays_the_told_cost_of_a_late_outcome(self, place: Place) -> None:
        campaign = make(place, budget=3)
        lost = campaign.ask(3)
        place.advance(61)
        campaign.tell_many([(ticket, 0) for ticket in campaign.ask(3)])
        for ticket, cost in zip(lost, (2.5, 7, None), strict=True):
            assert not campaign.tell(ticket, 1, cost).used
        campaign.extend(5)  # pays 2.5 and the pull cost of 1, not 7
        assert (campaign.budget, campaign.spent) == (8, 6.5)
        receipts = [campaign.tell(ticket, 1, cost) for ticket, cost in zip(lost, (2.5, 7, None), strict=True)]
        assert [(receipt.used, receipt.unpaid) for receipt in receipts] == [(True, 0), (False, 7), (True, 0)]
        campaign.extend(7)
        assert (campaign.spent, campaign.tell(lost[1], 1, 7).unpaid) == (13.5, 0)
        campaign.verify()

    def test_a_heartbeat_keeps_a_lease(self, place: Place) -> None:
        campaign = make(place, budget=3)
        kept, lost, _ = campaign.ask(3)
        place.advance(40)
        [renewed] = campaign.heartbeat(kept)
        assert renewed is not None
        assert renewed.expires > kept.expires
        place.advance(40)
        assert {ticket.arm for ticket in campaign.ask(3)} == {"b", "c"}
        assert campaign.heartbeat(kept, lost)[1] is None
        campaign.verify()

    def test_a_worker_that_gives_up_gives_its_unit_back(self, place: Place) -> None:
        campaign = make(place, budget=3)
        tickets = campaign.ask(3)
        campaign.fail(tickets[1], reason="the machine caught fire")
        campaign.fail(tickets[1])
        assert campaign.outstanding == 2
        assert take(campaign).arm == "b"
        campaign.tell(tickets[0], 1)
        campaign.fail(tickets[0])  # an outcome stands
        assert campaign.spent == 1
        assert [entry.details for entry in campaign.history() if entry.kind == "failed"] == [
            {"number": 2, "reason": "the machine caught fire"}
        ]

    def test_waiting_ends_when_a_lost_unit_comes_back(self, place: Place) -> None:
        campaign = make(place, arms=["a"], budget=1)
        held = take(campaign)
        timer = threading.Timer(0.1, campaign.fail, [held])
        timer.start()
        ticket = next(campaign.tickets())
        timer.join()
        assert ticket.id != held.id

    def test_a_clock_that_jumps_forwards_ends_leases_and_loses_no_outcome(self, place: Place) -> None:
        campaign = make(place, budget=4)
        early = campaign.ask(3)
        place.advance(365 * DAY)
        assert campaign.heartbeat(early[1]) != [None]  # it was not issued again yet
        again = campaign.ask(2)
        assert [ticket.arm for ticket in again] == ["a", "c"]
        assert campaign.heartbeat(early[0]) == [None]
        receipt = campaign.tell(early[0], 1)
        assert (receipt.late, receipt.used) == (True, True)
        place.advance(-365 * DAY)
        assert not campaign.tell(again[0], 1).late
        assert [entry.seq for entry in campaign.history()] == list(range(1, campaign.standing.events + 1))
        campaign.verify()

    def test_a_clock_that_jumps_back_makes_leases_longer_and_the_order_stays(self, place: Place) -> None:
        campaign = make(place, budget=3)
        held = campaign.ask(3)
        place.advance(-DAY)
        assert campaign.ask() is None
        place.advance(61)
        assert campaign.ask() is None  # the lease ends at the time that was set for it
        [renewed] = campaign.heartbeat(held[0])
        assert renewed is not None
        assert renewed.expires < held[0].expires  # it ends one lease after the clock of now
        campaign.tell(held[1], 1)
        history = campaign.history()
        assert [entry.seq for entry in history] == list(range(1, len(history) + 1))
        assert history[-1].kind == "told"
        assert history[-1].at < history[0].at
        assert place.open().history() == history
        place.advance(61)
        assert [ticket.arm for ticket in campaign.ask(3)] == ["a"]  # the renewed lease ended, that of "c" goes on
        campaign.verify()
