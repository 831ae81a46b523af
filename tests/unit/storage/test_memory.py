"""Memory, where it differs from a database: its queue of arms."""

from thresher.campaign import Arm, Change, Ledger, LogEntry
from thresher.storage import Heading, open_storage
from thresher.storage.memory import _Book


def test_the_least_arms_are_found_after_many_changes() -> None:
    book = _Book(Heading(1, "c", "{}"))

    def set_urgency(position: int, urgency: float) -> None:
        arm = Arm(position, "a", 0.5, 0.5, 1.0, 5, urgency=urgency)
        book.take(Change(Ledger(), {position: arm}, {}, {}, {}), LogEntry(1, "", "", 0, ""))

    for position in range(50):
        set_urgency(position, float(position))
    for round_ in range(5):
        for position in range(50):
            set_urgency(position, float((position * 7 + round_) % 50))
    expected = sorted(range(50), key=lambda k: ((k * 7 + 4) % 50, k))
    assert book.least(5, 5) == tuple(expected[:5])
    assert book.least(100, 5) == tuple(expected)
    assert book.least(5, 4) == ()  # every arm costs 5
    assert book.least(100, 5) == tuple(expected)


def test_a_memory_lives_as_long_as_the_process() -> None:
    assert open_storage("memory://same") is open_storage("memory://same")
    assert open_storage("memory://same") is not open_storage("memory://other")
