"""Exactly once: repeats are harmless, contradictions are refused."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.contracts.campaign_contract.place import Place, make, statistics, take
from thresher.errors import ConflictingKeyError, ConflictingOutcomeError, InvalidOutcomeError, UnknownTicketError


class ExactlyOnceContract:
    """Exactly once: repeats are harmless, contradictions are refused."""

    def test_the_same_outcome_again_changes_nothing(self, place: Place) -> None:
        campaign = make(place)
        ticket = take(campaign)
        receipts = [campaign.tell(ticket, True) for _ in range(4)]
        assert [receipt.replayed for receipt in receipts] == [False, True, True, True]
        assert campaign.tell(ticket.id, 1.0).replayed
        assert campaign.spent == 1
        assert statistics(campaign)[0] == ("a", 1, 1.0)

    def test_another_outcome_is_refused_with_the_stored_one(self, place: Place) -> None:
        campaign = make(place)
        ticket = take(campaign)
        campaign.tell(ticket, True)
        with pytest.raises(ConflictingOutcomeError) as refused:
            campaign.tell(ticket, False)
        assert refused.value.stored == 1.0
        assert statistics(campaign)[0] == ("a", 1, 1.0)

    def test_asking_again_with_the_same_key_gives_the_same_tickets(self, place: Place) -> None:
        campaign = make(place)
        first = campaign.ask(2, key="once")
        assert campaign.ask(2, key="once") == first
        assert campaign.ask(5, key="once") == first
        assert campaign.outstanding == 2
        assert take(campaign).arm == "c"
        campaign.tell(first[0], 1)
        assert campaign.ask(2, key="once") == first

    def test_a_key_stands_for_what_it_did_first_and_for_nothing_else(self, place: Place) -> None:
        campaign = make(place)
        campaign.extend(5, key="e")
        receipt = campaign.tell_counts("a", n=4, total=2, paid=False, key="z")
        tickets = campaign.ask(2, key="k")
        before = campaign.standing
        for refused, stored in (
            (lambda: campaign.extend(50, key="e"), "5 more to spend"),
            (lambda: campaign.tell_counts("a", n=4, total=3, paid=False, key="z"), "4 outcomes of 'a' with the sum 2"),
            (lambda: campaign.tell_counts("a", n=5, total=2, paid=False, key="z"), "not paid"),
            (lambda: campaign.tell_counts("a", n=4, total=2, key="z"), "not paid"),
            (lambda: campaign.tell_counts("b", n=4, total=2, paid=False, key="z"), "of 'a'"),
            (lambda: campaign.tell_counts("a", n=4, total=2, paid=False, key="e"), "5 more to spend"),
            (lambda: campaign.tell_counts("a", n=4, total=2, paid=False, key="k"), "an ask that gave 2"),
            (lambda: campaign.extend(5, key="k"), "an ask that gave 2"),
            (lambda: campaign.ask(2, key="z"), "4 outcomes"),
            (lambda: campaign.ask(2, key="e"), "5 more"),
        ):
            with pytest.raises(ConflictingKeyError, match=stored):
                refused()
        campaign.extend(5, key="e")
        again = campaign.tell_counts("a", n=4, total=2, paid=False, key="z")
        assert (again.ticket, again.replayed) == (receipt.ticket, True)
        assert campaign.ask(2, key="k") == tickets
        assert campaign.standing == before

    def test_an_ask_that_gave_less_than_it_asked_for_is_repeated_as_it_was(self, place: Place) -> None:
        campaign = make(place, budget=3)
        campaign.ask(1)
        fewer = campaign.ask(3, key="last")
        assert len(fewer) == 2
        campaign.extend(9)
        assert campaign.ask(3, key="last") == fewer

    def test_an_ask_that_gave_nothing_does_not_use_its_key_up(self, place: Place) -> None:
        campaign = make(place, budget=3)
        campaign.ask(3)
        assert campaign.ask(1, key="later") == []
        campaign.extend(1)
        assert len(campaign.ask(1, key="later")) == 1

    def test_a_batch_counts_wholly_or_not_at_all(self, place: Place) -> None:
        campaign = make(place)
        tickets = campaign.ask(3)
        campaign.tell(tickets[2], 0)
        with pytest.raises(ConflictingOutcomeError):
            campaign.tell_many([(tickets[0], 1), (tickets[1], 1), (tickets[2], 1)])
        with pytest.raises(InvalidOutcomeError):
            campaign.tell_many([(tickets[0], 1), (tickets[1], 2)])
        with pytest.raises(ConflictingOutcomeError):
            campaign.tell_many([(tickets[0], 1), (tickets[0], 0)])
        assert campaign.spent == 1
        receipts = campaign.tell_many([(tickets[1], 1), (tickets[0], 1), (tickets[0], 1), (tickets[2], 0)])
        assert [receipt.replayed for receipt in receipts] == [False, False, True, True]
        assert campaign.tell_many([]) == []
        assert campaign.spent == 3

    def test_repeats_from_several_threads_leave_the_statistics_of_a_clean_run(self, place: Place) -> None:
        given = {"family": "gaussian", "sigma": 1.0, "threshold": 0.1, "budget": 40}
        clean, noisy = make(place, "clean", **given), make(place, "noisy", **given)
        rng = random.Random(5)
        for _ in range(4):
            pairs = [(one, two, rng.gauss(0.2, 1.0)) for one, two in zip(clean.ask(10), noisy.ask(10), strict=True)]
            assert [one.arm for one, _, _ in pairs] == [two.arm for _, two, _ in pairs]
            clean.tell_many([(one, value) for one, _, value in pairs])
            # The first of each in order, since sums are added in the order of telling; then the repeats, shuffled.
            for _, two, value in pairs:
                noisy.tell(two, value)
            repeats = [(two, value) for _, two, value in pairs for _ in range(rng.randint(1, 4))]
            rng.shuffle(repeats)
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda pair: noisy.tell(*pair), repeats))
        assert statistics(clean) == statistics(noisy)
        noisy.verify()

    def test_a_ticket_of_another_campaign_is_refused(self, place: Place) -> None:
        one, other = make(place, "one"), make(place, "other")
        ticket = take(one)
        take(other)
        for wrong in (ticket, "1", "x", "", "1-", "-1-2", "999999-aa", f"{'9' * 40}-aa", "①-aa", 7):
            with pytest.raises(UnknownTicketError):
                other.tell(wrong, 1)  # type: ignore[arg-type]
        for refused in (other.fail, other.void, other.heartbeat):
            with pytest.raises(UnknownTicketError):
                refused(ticket)
        assert other.spent == 0
