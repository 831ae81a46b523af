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

    def test_an_item_is_asked_as_often_as_the_repeats_say(self, place: Place) -> None:
        campaign = make_items(place, items=QUESTIONS[:4], repeats=3, budget=24, policy="uniform")
        seen = list[tuple[str, str | None, int | None]]()
        for ticket in campaign.tickets():
            seen.append((ticket.arm, ticket.item, ticket.repeat))
            campaign.tell(ticket, ticket.item in QUESTIONS[:2] and ticket.repeat != 3)
        assert sorted(seen) == [(arm, item, repeat) for arm in "ab" for item in QUESTIONS[:4] for repeat in (1, 2, 3)]
        assert all({turn[2] for turn in seen[8 * r : 8 * (r + 1)]} == {r + 1} for r in range(3)), "in passes"
        rows = campaign.verdicts()
        assert [(row.pulls, row.certain) for row in rows] == [(12, False)] * 2
        assert [row.mean for row in rows] == pytest.approx([1 / 3] * 2)
        items = place.open().items()
        assert items[0].outcomes == pytest.approx((2 / 3, 2 / 3))
        assert items[0].repeated == ((1.0, 1.0, 0.0),) * 2
        assert items[3].repeated == ((0.0, 0.0, 0.0),) * 2
        campaign.verify()

    def test_a_repeat_given_back_is_the_next_measurement_of_its_arm(self, place: Place) -> None:
        campaign = make_items(place, arms=["a"], items=QUESTIONS[:3], repeats=2, budget=6)
        tickets = campaign.ask(6)
        assert [ticket.repeat for ticket in tickets] == [1, 1, 1, 2, 2, 2]
        campaign.fail(tickets[4])
        again = take(campaign)
        assert (again.item, again.repeat) == (tickets[4].item, 2)
        place.advance(61)
        campaign.tell(tickets[0], True)  # late, and not issued again
        late = take(campaign)
        assert (late.item, late.repeat) == (tickets[1].item, 1)
        assert not campaign.tell(tickets[1], True).used, "issued again"
        campaign.tell(late, True)
        campaign.void(late)
        assert take(campaign).item == late.item
        with pytest.raises(InvalidOutcomeError, match="its item was issued again since"):
            campaign.amend(late, True)
        campaign.verify()

    def test_repeats_are_told_by_their_ordinal(self, place: Place) -> None:
        campaign = make_items(place, items=QUESTIONS[:3], repeats=3, budget=18)
        rows: list[Any] = [("a", "q0", 1, 1), ("a", "q0", 0, 2), ("b", "q1", 1)]
        assert [receipt.replayed for receipt in campaign.tell_items(rows)] == [False] * 3
        assert [receipt.replayed for receipt in campaign.tell_items(rows)] == [True] * 3
        assert campaign.items()[0].repeated == ((1.0, 0.0), (None, None))
        events = campaign.standing.events
        cases: list[tuple[list[Any], type[ThresherError], str]] = [
            ([("a", "q0", 0, 1)], ConflictingOutcomeError, "^item 'q0' of arm 'a', ticket 1-"),
            ([("a", "q0", 1, 2)], ConflictingOutcomeError, "repeat 2"),
            ([("a", "q0", 1, 4)], InvalidOutcomeError, "^item 'q0' of arm 'a', repeat 4; tell repeats from 1 to 3"),
            ([("a", "q9", 1)], UnknownNameError, "known: q0, q1, q2"),
            ([("c", "q0", 1)], UnknownNameError, "known: a, b"),
            ([("a", "q2", 1), ("a", "q2", 1)], InvalidOutcomeError, "told twice in one call"),
            ([("a", "q0", 1), ("a", "q0", 1)], InvalidOutcomeError, "told twice in one call"),
            ([("a", "q2", 1, 0)], InvalidInputError, "repeat is 0; must be at least 1 and at most 1000"),
            ([("a", "q2", 1, 1, 1)], InvalidOutcomeError, "triples .* a fourth part"),
        ]
        for wrong, error, words in cases:
            with pytest.raises(error, match=words):
                campaign.tell_items([("b", "q2", 1), *wrong])
        assert campaign.standing.events == events
        asked = {(ticket.arm, ticket.item, ticket.repeat) for ticket in campaign.ask(15)}
        assert len(asked) == 15
        assert not asked & {("a", "q0", 1), ("a", "q0", 2), ("b", "q1", 1)}
        campaign.verify()

    def test_repeats_of_added_items_and_refits_verify(self, place: Place) -> None:
        campaign = make_items(place, arms=list("abc"), items=QUESTIONS[:8], repeats=4, budget=96, target="population")
        for ticket in campaign.ask(30):
            campaign.tell(ticket, ticket.item in QUESTIONS[:3])
        campaign.add_items(QUESTIONS[8:])
        campaign.extend(48)
        for ticket in campaign.tickets():
            campaign.tell(ticket, (ticket.item in QUESTIONS[:3]) != (ticket.repeat == 4 and ticket.arm == "a"))
        fits = [entry.details for entry in campaign.history() if entry.kind == "refitted"]
        assert len(fits) > 3
        assert 0.0 < fits[-1]["rho"] < 1.0
        assert int(campaign.items().counts.max()) == 4
        place.open().verify()

    def test_what_repeats_cannot_be_combined_with_creates_nothing(self, place: Place) -> None:
        cases: list[tuple[dict[str, Any], str]] = [
            ({"items": None}, "repeats is 3; must be 1 in a campaign without items"),
            ({"guarantee": "fdr"}, "must be calibrated, anytime or fwer with repeats"),
            ({"pass_k": 4}, "must be at most repeats with items"),
            ({"repeats": 0}, "repeats"),
            ({"repeats": 2.5}, "repeats"),
        ]
        for given, words in cases:
            with pytest.raises(InvalidInputError, match=words):
                make_items(place, **({"repeats": 3} | given))
        with pytest.raises(InvalidInputError, match="repeats"):
            make_items(place, threshold=None, control="a", repeats=3)
        assert place.standings() == []

    def test_pass_k_is_estimated_from_items_with_enough_repeats(self, place: Place) -> None:
        campaign = make_items(place, items=QUESTIONS[:3], repeats=3, pass_k=2, budget=18)
        # q0: C(2,2)/C(3,2) = 1/3; q1: C(2,2)/C(2,2) = 1; q2 has one outcome and does not count.
        told = [("a", "q0", 1, 1), ("a", "q0", 1, 2), ("a", "q0", 0, 3), ("a", "q1", 1, 1), ("a", "q1", 1, 2)]
        campaign.tell_items([*told, ("a", "q2", 0, 1), ("b", "q0", 1, 1)])
        found = place.open().verdicts()
        assert [row.pass_k for row in found] == [pytest.approx(2 / 3), None]
        assert found[0].mean == pytest.approx((2 / 3 + 1 + 0) / 3), "the bar is compared with the mean"
        assert "pass^2" in found._repr_html_()

    def test_a_budget_beyond_all_repeats_is_cut_down(self, place: Place) -> None:
        with pytest.warns(UserWarning, match="reduced to 72: every arm answers every item 3 times"):
            assert make_items(place, budget=100, repeats=3).budget == 72

    def test_a_campaign_without_items_takes_none(self, place: Place) -> None:
        campaign = make(place)
        assert take(campaign).item is None
        for call in (lambda: campaign.add_items(["q"]), lambda: campaign.tell_items([("a", "q", 1)])):
            with pytest.raises(InvalidInputError, match="items"):
                call()
        assert len(campaign.items()) == 0
