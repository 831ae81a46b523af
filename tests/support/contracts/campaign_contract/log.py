"""The log: no gaps, and the same in every process."""

from __future__ import annotations

from tests.support.contracts.campaign_contract.place import Place, make, statistics, take


class LogContract:
    """The log: no gaps, and the same in every process."""

    def test_history_has_no_holes_and_another_process_sees_the_same(self, place: Place) -> None:
        campaign = make(place)
        for ticket in campaign.ask(4):
            campaign.tell(ticket, 1)
        other = place.open()
        assert statistics(other) == statistics(campaign)
        history = other.history()
        assert [entry.seq for entry in history] == list(range(1, len(history) + 1))
        assert [entry.kind for entry in history] == ["created", "arms-added", "asked", "told", "told", "told", "told"]
        assert other.history(after=3, limit=2) == history[3:5]
        assert sorted(entry.at for entry in history) == [entry.at for entry in history]
        other.verify()

    def test_two_processes_in_turn_see_each_others_changes(self, place: Place) -> None:
        one, other = make(place, budget=30), place.open()
        for i in range(10):
            first, second = take(one), take(other)
            other.tell(first, i % 2)
            one.tell(second, 1)
            assert other.tell(second, 1).replayed
        assert (one.spent, other.outstanding) == (20, 0)
        one.verify()
