"""Items: every arm answers each of the same items once, in a random order of its own that follows from the log."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.contracts.campaign_contract.place import Place, make, statistics, take
from thresher.campaign import Campaign, Ticket
from thresher.errors import (
    ConflictingOutcomeError,
    InvalidInputError,
    InvalidOutcomeError,
    ThresherError,
    UnknownNameError,
)

QUESTIONS = [f"q{i}" for i in range(12)]


def make_items(place: Place, **given: Any) -> Campaign:
    """Return a campaign of two arms that answer twelve questions."""
    usual: dict[str, Any] = {"arms": ["a", "b"], "items": QUESTIONS, "budget": 24, "policy": "stopping"}
    return make(place, **(usual | given))


def told(campaign: Campaign, outcome: bool = True) -> Ticket:
    """Take a ticket and tell its outcome; return the ticket."""
    ticket = take(campaign)
    campaign.tell(ticket, outcome)
    return ticket


class ItemContract:
    """Items: exactly once for each arm, whatever is given back, late, void, amended, added or imported."""

    def test_an_arm_answers_each_item_once(self, place: Place) -> None:
        campaign = make_items(place, policy="uniform")
        seen = set()
        for ticket in campaign.tickets():
            assert (ticket.arm, ticket.item) not in seen
            seen.add((ticket.arm, ticket.item))
            campaign.tell(ticket, ticket.item in QUESTIONS[:6])
        assert seen == {(arm, item) for arm in "ab" for item in QUESTIONS}
        assert [(row.mean, row.low, row.high, row.p_wrong) for row in campaign.verdicts()] == [(0.5, 0.5, 0.5, 0.0)] * 2
        assert not campaign.is_open
        campaign.verify()

    def test_a_campaign_ends_when_every_arm_is_certain_and_keeps_the_rest_of_its_budget(self, place: Place) -> None:
        campaign = make_items(place)
        for ticket in campaign.tickets():
            campaign.tell(ticket, ticket.arm == "a")
        rows = campaign.verdicts()
        assert [(row.verdict, row.p_wrong, row.decision) for row in rows] == [
            ("above", 0.0, "pass"),
            ("below", 0.0, "fail"),
        ]
        assert [row.pulls for row in rows] == [7, 6]  # 7 of 12 are above one half, 6 zeros are not
        assert (campaign.standing.status, campaign.budget, campaign.spent) == ("ended", 24, 13)
        campaign.verify()

    def test_the_order_of_items_is_random_and_follows_from_the_log(self, place: Place) -> None:
        campaign = make_items(place, policy="uniform")
        tickets = campaign.ask(24)
        orders = [[ticket.item for ticket in tickets if ticket.arm == arm] for arm in "ab"]
        assert orders[0] != orders[1]
        assert all(sorted(map(str, order)) == sorted(QUESTIONS) for order in orders)
        assert place.open().ask() is None
        campaign.verify()

    def test_an_item_given_back_is_the_next_one_of_its_arm(self, place: Place) -> None:
        campaign = make_items(place, arms=["a"], budget=12)
        first, second, third = campaign.ask(3)
        campaign.fail(second)
        assert take(campaign).item == second.item
        place.advance(61)
        campaign.tell(third, True)  # late, and not issued again
        assert campaign.tell(first, True).used
        again = take(campaign)
        assert again.item == second.item
        campaign.tell(again, True)
        campaign.void(first)
        assert take(campaign).item == first.item
        campaign.verify()

    def test_a_late_outcome_whose_item_was_issued_again_is_kept_and_not_used(self, place: Place) -> None:
        campaign = make_items(place, arms=["a"], budget=12)
        lost = take(campaign)
        place.advance(61)
        again = take(campaign)
        assert again.item == lost.item
        receipt = campaign.tell(lost, False)
        assert (receipt.late, receipt.used) == (True, False)
        assert campaign.tell(again, True).used
        assert statistics(campaign) == [("a", 1, 1.0)]
        assert campaign.tell(lost, False).replayed
        campaign.verify()

    def test_a_voided_outcome_can_be_amended_until_its_item_is_issued_again(self, place: Place) -> None:
        campaign = make_items(place, arms=["a"], budget=12)
        ticket = told(campaign)
        campaign.void(ticket)
        campaign.amend(ticket, False)
        assert statistics(campaign) == [("a", 1, 0.0)]
        campaign.void(ticket)
        again = told(campaign)
        assert again.item == ticket.item
        events = campaign.standing.events
        with pytest.raises(InvalidOutcomeError, match="its item was issued again since"):
            campaign.amend(ticket, True)
        assert campaign.standing.events == events
        campaign.verify()

    def test_items_and_arms_can_be_added(self, place: Place) -> None:
        campaign = make_items(place, arms=["a"], budget=12)
        before = [told(campaign).item for _ in range(5)]
        campaign.add_items(["r1", "r2", "r3"])
        campaign.add_arms(["b"], threshold=0.5)
        campaign.extend(18)
        after: dict[str, list[str | None]] = {"a": [], "b": []}
        for ticket in campaign.ask(30):
            after[ticket.arm].append(ticket.item)
        everything = sorted([*QUESTIONS, "r1", "r2", "r3"])
        assert sorted(map(str, [*before, *after["a"]])) == everything
        assert sorted(map(str, after["b"])) == everything
        assert (campaign.standing.items, campaign.standing.arms) == (15, 2)
        campaign.verify()
        place.open().verify()

    def test_outcomes_are_imported_by_arm_and_item_and_count_once(self, place: Place) -> None:
        campaign = make_items(place, budget=10)
        rows = [("a", "q3", 1), ("a", "q7", 0), ("b", "q3", 1)]
        assert [receipt.replayed for receipt in campaign.tell_items(rows)] == [False] * 3
        assert [receipt.replayed for receipt in campaign.tell_items([*rows, ("b", "q0", 0)])] == [True] * 3 + [False]
        assert statistics(campaign) == [("a", 2, 0.5), ("b", 2, 0.5)]
        assert campaign.spent == 0
        assert not {("a", "q3"), ("b", "q0")} & {(ticket.arm, ticket.item) for ticket in campaign.ask(10)}
        campaign.verify()

    def test_what_cannot_be_imported_changes_nothing(self, place: Place) -> None:
        campaign = make_items(place)
        campaign.tell_items([("a", "q3", 1)])
        ticket = take(campaign)
        events = campaign.standing.events
        free, other = [item for item in QUESTIONS if item not in ("q3", ticket.item)][:2]
        cases: list[tuple[list[Any], type[ThresherError], str]] = [
            ([("a", "q3", 0)], ConflictingOutcomeError, "'q3' of arm 'a'"),
            ([("a", free, 0), ("a", free, 1)], ConflictingOutcomeError, f"'{free}' of arm 'a'"),
            ([("a", "q99", 1)], UnknownNameError, "q99"),
            ([("z", "q1", 1)], UnknownNameError, "z"),
            ([("b", free, 2)], InvalidOutcomeError, "2"),
            ([(ticket.arm, ticket.item, 1)], InvalidOutcomeError, "is issued with ticket"),
        ]
        for rows, error, words in cases:
            with pytest.raises(error, match=words):
                campaign.tell_items([("b", other, 1), *rows])
        with pytest.raises(InvalidOutcomeError, match="items"):
            campaign.tell_counts("a", n=2, total=1)
        assert campaign.standing.events == events

    def test_items_that_are_refitted_verify_and_are_shown(self, place: Place) -> None:
        campaign = make_items(place, arms=list("abcd"), budget=48)

        def passes(arm: str, item: str | None) -> bool:
            return item in QUESTIONS[:5] or (arm == "a" and item != "q11")

        for ticket in campaign.tickets():
            campaign.tell(ticket, passes(ticket.arm, ticket.item))
        assert [entry.kind for entry in campaign.history()].count("refitted") >= 3
        campaign.tell_items([(arm, item, passes(arm, item)) for arm in "abcd" for item in QUESTIONS])
        items = {row.item: row for row in campaign.items()}
        assert (items["q0"].answers, items["q0"].mean, items["q0"].outcomes) == (4, 1.0, (1.0, 1.0, 1.0, 1.0))
        assert (items["q11"].mean, items["q8"].mean) == (0.0, 0.25)
        assert items["q0"].effect > items["q8"].effect > items["q11"].effect
        assert campaign.items().unanimous(campaign.terms) == {"high": QUESTIONS[:5], "low": ["q11"]}
        place.open().verify()

    def test_a_budget_beyond_all_items_is_cut_down(self, place: Place) -> None:
        with pytest.warns(UserWarning, match="reduced to 24"):
            campaign = make_items(place, budget=100)
        assert campaign.budget == 24

    @pytest.mark.parametrize(
        ("items", "words"),
        [
            ([], "number of items"),
            (0, "at least 1"),
            (["q", "q"], "unique"),
            (["q", ""], "name of an item"),
            ("q1", "list of names"),
            (2.5, "list of names"),
            (True, "list of names"),
            ({"a": ["q1"], "b": ["q2"]}, "the same for all arms"),
        ],
    )
    def test_items_that_are_not_valid_create_nothing(self, place: Place, items: object, words: str) -> None:
        with pytest.raises(InvalidInputError, match=words):
            make_items(place, items=items)
        assert place.standings() == []

    def test_fewer_items_than_first_pulls_are_refused(self, place: Place) -> None:
        with pytest.raises(InvalidInputError, match="at least 3, the first pulls"):
            make_items(place, items=2, family="gaussian-unknown-variance", budget=40)
        assert place.standings() == []

    def test_new_items_that_are_not_valid_change_nothing(self, place: Place) -> None:
        campaign = make_items(place)
        events = campaign.standing.events
        for names, words in ((["new", "q3"], "another item"), (["x", "x"], "unique"), (5, "must be names")):
            with pytest.raises(InvalidInputError, match=words):
                campaign.add_items(names)
        assert campaign.standing.events == events

    def test_a_campaign_without_items_takes_none(self, place: Place) -> None:
        campaign = make(place)
        assert take(campaign).item is None
        for call in (lambda: campaign.add_items(["q"]), lambda: campaign.tell_items([("a", "q", 1)])):
            with pytest.raises(InvalidInputError, match="items"):
                call()
        assert len(campaign.items()) == 0
