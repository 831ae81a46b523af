"""What an ask and a tell cost does not grow with the campaign: counted in steps of SQLite's machine, not in seconds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.contracts.campaign_contract import take
from thresher.campaign import Campaign
from thresher.campaign.storage.sqlite import SqliteStorage

MANY = 8_000
READS = Path("/proc/self/io")


class Counted:
    """A campaign in a file, and how many steps SQLite takes when this process writes."""

    def __init__(self, path: Path, *, arms: int, outcomes: int = 0, control: str = "") -> None:
        self.storage, self.steps = SqliteStorage(path, create=True), 0
        names = [f"arm {k}" for k in range(arms)]
        bar: dict[str, Any] = {"control": control} if control else {"threshold": 0.5}
        self.campaign = Campaign.create(self.storage, "c", arms=names, budget=10 * MANY, **bar)
        if outcomes:
            self.campaign.tell_many([(t, int(t.id[-1], 16) % 2) for t in self.campaign.ask(outcomes)])
        self.other = Campaign.open(SqliteStorage(path), "c")

    def count(self, act: Callable[[], object]) -> int:
        """Return how many steps something takes."""
        self.steps = 0
        self.storage._writer.connection.set_progress_handler(self._step, 1)
        act()
        self.storage._writer.connection.set_progress_handler(None, 1)
        return self.steps

    def _step(self) -> int:
        self.steps += 1
        return 0

    def pair(self) -> int:
        """Return what an ask and a tell take."""
        return self.count(lambda: self.campaign.tell(take(self.campaign), 1))

    def pair_after_another(self) -> int:
        """Return what they take when another connection wrote before each."""

        def act() -> None:
            self.other.tell_counts("arm 0", n=1, total=1)
            ticket = take(self.campaign)
            self.other.tell_counts("arm 0", n=1, total=1)
            self.campaign.tell(ticket, 1)

        return self.count(act)

    def reads_after_another(self) -> int:
        """Return how many pages an ask reads after another connection wrote: SQLite's page cache is then invalid."""
        self.other.tell_counts("arm 0", n=1, total=1)
        before = _reads()
        take(self.campaign)
        return _reads() - before


def _reads() -> int:
    return int(READS.read_text().split("syscr: ")[1].split()[0])


@pytest.fixture
def few(tmp_path: Path) -> Counted:
    return Counted(tmp_path / "few.db", arms=100)


@pytest.mark.parametrize(("arms", "outcomes"), [(MANY, 0), (100, MANY // 2)])
def test_an_ask_and_a_tell_take_no_more_steps_in_a_large_campaign(
    tmp_path: Path, few: Counted, arms: int, outcomes: int
) -> None:
    many = Counted(tmp_path / "many.db", arms=arms, outcomes=outcomes)
    for held in (few, many):
        held.pair()  # statements are prepared now
    assert max(many.pair() for _ in range(5)) <= 2 * max(few.pair() for _ in range(5))
    assert max(many.pair_after_another() for _ in range(9)) <= 2 * max(few.pair_after_another() for _ in range(9))


def test_a_tell_of_the_control_takes_no_more_steps_among_many_arms(tmp_path: Path) -> None:
    few = Counted(tmp_path / "few.db", arms=100, control="arm 0")
    many = Counted(tmp_path / "many.db", arms=MANY, control="arm 0")
    for held in (few, many):
        held.pair_after_another()  # all arms are read now
    assert max(many.pair_after_another() for _ in range(9)) <= 2 * max(few.pair_after_another() for _ in range(9))


@pytest.mark.skipif(not READS.exists(), reason="only Linux counts what a process reads")
def test_an_ask_behind_a_long_event_does_not_read_it(tmp_path: Path, few: Counted) -> None:
    many = Counted(tmp_path / "many.db", arms=100, outcomes=MANY // 2)
    assert many.reads_after_another() <= 2 * few.reads_after_another()


def test_a_large_campaign_is_written_in_events_of_a_thousand_arms_and_verifies(tmp_path: Path) -> None:
    many = Counted(tmp_path / "many.db", arms=5500, outcomes=6000)
    kinds = [entry.kind for entry in many.campaign.history()]
    assert kinds == ["created", *["arms-added"] * 6, "asked", "told"]
    many.campaign.verify()
    assert many.campaign.standing.told == 6000
