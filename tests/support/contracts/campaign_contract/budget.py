"""The budget: spent to the last unit, never overspent."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.support.contracts.campaign_contract.place import Place, make
from thresher.errors import InvalidInputError, UnknownCampaignError


class BudgetContract:
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

    def test_the_rest_of_the_budget_goes_to_arms_that_it_can_pay(self, place: Place) -> None:
        campaign = make(place, arms=["cheap", "dear"], pull_costs=[0.1, 2.5], budget=3.05, policy="uniform")
        for ticket in campaign.tickets():
            campaign.tell(ticket, 1)
        # Round robin: cheap, dear, cheap (as often as dear: the lowest), then dear, which 0.35 cannot pay: cheap.
        assert [row.pulls for row in campaign.verdicts()] == [5, 1]
        assert campaign.spent == 3.0
        assert (campaign.is_open, campaign.standing.status) == (False, "ended")

    def test_an_arm_that_is_most_urgent_and_too_dear_strands_no_budget(self, place: Place) -> None:
        campaign = make(place, arms=["a", "b"], pull_costs=[1, 50], costs=[1, 100], budget=149)
        for i, ticket in enumerate(campaign.tickets()):
            campaign.tell(ticket, i % 2)
        assert campaign.spent == 149
        campaign.verify()

    def test_an_allocation_is_the_batch_of_an_ask_and_reserves_nothing(self, place: Place) -> None:
        campaign = make(place, budget=40)
        for ticket in campaign.ask(12):
            campaign.tell(ticket, ticket.arm == "a")
        batch, events = campaign.allocate(20), campaign.standing.events
        assert (campaign.outstanding, campaign.standing.events) == (0, events)
        asked = [ticket.arm for ticket in campaign.ask(20)]
        assert {row.arm: row.measurements for row in batch} == {arm: asked.count(arm) for arm in "abc"}
        assert (batch.measurements, batch.cost, batch.budget, batch.note) == (20, 20.0, 20.0, "")

    def test_a_budget_need_not_pay_what_was_measured_before(self, place: Place) -> None:
        with pytest.raises(InvalidInputError, match="budget is 2; must be at least 3"):
            make(place, "unmeasured", budget=2)
        campaign = make(place, "measured", budget=2, measured={"b": 4, "c": 1})
        campaign.tell_counts("b", n=4, total=1, paid=False)
        campaign.tell_counts("c", n=1, total=0, paid=False)
        tickets = campaign.ask(5)
        assert (tickets[0].arm, len(tickets)) == ("a", 2)
        campaign.verify()

    def test_a_batch_asks_the_arms_that_single_asks_would(self, place: Place) -> None:
        given: dict[str, Any] = {
            "pull_costs": [1, 20, 7, 3, 20],
            "costs": [1, 90, 9, 3, 50],
            "budget": 100,
            "policy": "stopping",
        }
        one = make(place, "one", arms=list("abcde"), **given)
        singles = []
        while ticket := one.ask():
            singles.append(ticket.arm)
        for size in (2, 3, 4, 40):
            many, batches = make(place, f"by {size}", arms=list("abcde"), **given), list[str]()
            while tickets := many.ask(size):  # a batch may end before the budget does
                batches += [ticket.arm for ticket in tickets]
            assert batches == singles
            assert many.outstanding == one.outstanding == 100

    def test_the_cost_of_an_expired_lease_pays_a_dear_arm(self, place: Place) -> None:
        campaign = make(place, arms=["cheap", "dear"], pull_costs=[1, 5], budget=6, lease=60, policy="uniform")
        campaign.ask(2)
        assert (campaign.ask(), campaign.outstanding) == (None, 6)
        place.advance(61)
        assert [ticket.arm for ticket in campaign.ask(2)] == ["cheap", "dear"]

    def test_a_stop_price_holds_for_the_next_affordable_arm_too(self, place: Place) -> None:
        given: dict[str, Any] = {"pull_costs": [1, 50], "costs": [1e-9, 100], "budget": 149, "stop_price": 1e-3}
        campaign = make(place, arms=["worthless", "dear"], **given)
        for i, ticket in enumerate(campaign.tickets()):
            campaign.tell(ticket, i % 2)
        assert campaign.spent == 101  # each once, then dear; 48 could only pay an arm above the price
        assert not campaign.is_open

    def test_a_cost_that_is_told_is_charged_in_place_of_the_pull_cost(self, place: Place) -> None:
        campaign = make(place, budget=9)
        dear, free, _ = campaign.ask(3)
        assert campaign.tell(dear, 1, cost=2.5).unpaid == 0
        assert (campaign.spent, campaign.outstanding) == (2.5, 2)
        assert campaign.tell(free, 1, 0).used
        assert (campaign.spent, campaign.outstanding) == (2.5, 1)
        assert campaign.history()[-1].details["costs"] == [[2, 0]]
        campaign.verify()

    def test_a_cost_beyond_the_budget_is_charged_as_far_as_the_budget_goes(self, place: Place) -> None:
        campaign = make(place, budget=5)
        first, second, third = campaign.ask(3)
        receipt = campaign.tell(first, 1, cost=10)  # 1 is reserved for it, 2 are left, 2 are reserved for the others
        assert (receipt.used, receipt.unpaid) == (True, 7)
        assert (campaign.spent, campaign.outstanding) == (3, 2)
        assert campaign.ask() is None
        receipts = campaign.tell_many([(second, 0, 0.25), (third, 1, 4)])  # the one leaves 0.75 to the other
        assert [receipt.unpaid for receipt in receipts] == [0, 2.25]
        assert (campaign.spent, campaign.outstanding, campaign.is_open) == (5, 0, False)
        assert [row.pulls for row in campaign.verdicts()] == [1, 1, 1]
        campaign.verify()

    def test_a_repeated_tell_keeps_the_first_cost_and_a_void_leaves_it_spent(self, place: Place) -> None:
        campaign = make(place, budget=5)
        first, second = campaign.ask(2)
        campaign.tell_many([(first, 1, 2), (first, 1, 3)])
        receipt = campaign.tell(first, 1, cost=4)
        assert (receipt.replayed, receipt.unpaid, campaign.spent) == (True, 2, 2)
        campaign.void(first)
        assert campaign.spent == 2
        campaign.amend(first, 0)
        assert campaign.spent == 2
        campaign.tell(second, 1)
        assert campaign.tell(second, 1, cost=2).replayed
        assert campaign.spent == 3
        campaign.verify()

    def test_a_late_outcome_is_used_if_its_whole_cost_can_be_paid(self, place: Place) -> None:
        campaign = make(place, budget=4, lease=60)
        tickets = campaign.ask(3)
        for ticket in tickets:
            campaign.fail(ticket)
        late = campaign.tell(tickets[0], 1, cost=4.5)
        assert (late.used, late.late, late.unpaid, campaign.spent) == (False, True, 4.5, 0)
        late = campaign.tell(tickets[1], 1, cost=3.5)
        assert (late.used, late.late, late.unpaid, campaign.spent) == (True, True, 0, 3.5)
        campaign.verify()

    def test_a_forfeited_pull_is_charged_nothing_more(self, place: Place) -> None:
        campaign = make(place, budget=4, expiry="forfeit")
        first, second = campaign.ask(2)
        campaign.fail(first)
        campaign.fail(second)
        assert campaign.tell(first, 1, cost=3).unpaid == 2
        assert campaign.tell(second, 1, cost=0.5).unpaid == 0
        assert (campaign.spent, campaign.outstanding) == (2, 0)
        campaign.verify()

    @pytest.mark.parametrize("cost", [-1, float("nan"), float("inf"), 1e13, "2", True, [1]])
    def test_a_cost_must_be_a_number_from_0_on(self, place: Place, cost: Any) -> None:
        campaign = make(place)
        first, second = campaign.ask(2)
        with pytest.raises(InvalidInputError, match=r"cost is .*; must be a number from 0 to 1,000,000,000,000"):
            campaign.tell_many([(first, 1), (second, 1, cost)])
        assert (campaign.spent, campaign.outstanding) == (0, 2)

    def test_a_budget_below_the_cost_of_opening_every_arm_is_refused(self, place: Place) -> None:
        with pytest.raises(InvalidInputError, match="at least"):
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
