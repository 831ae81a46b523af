"""A recorded database with items, from before past arms and scores: it opens, is given both, and verifies."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.recorded.record_items import ARMS, DUMP, ITEMS, MORE, TOLD, truth
from thresher.campaign import Campaign

NAMES = (*ITEMS, *MORE)


@pytest.fixture
def exam(tmp_path: Path) -> Campaign:
    """The campaign in the recorded database."""
    with closing(sqlite3.connect(tmp_path / "recorded.db")) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "signal" not in tables, "the database is of a version that stores neither past arms nor scores"
    return Campaign.open(f"sqlite:///{tmp_path}/recorded.db", "exam")


def test_it_is_as_it_was(exam: Campaign) -> None:
    exam.verify()
    assert (exam.standing.told, exam.outstanding) == (TOLD, 2)
    found = exam.items()
    assert (found.arms, found.names) == (ARMS, NAMES)
    for k, arm in enumerate(ARMS):
        answered = [(item, value) for item, value in zip(NAMES, found.table[k].tolist(), strict=True) if value == value]
        assert answered == [(item, truth(arm, item)) for item, _ in answered]
    assert found.counts.sum() == TOLD


def test_it_takes_a_history_and_scores_and_goes_on(exam: Campaign, tmp_path: Path) -> None:
    exam.tell_history({"old": {item: truth("a", item) for item in NAMES}, "older": {"q13": 1.0}})
    for arm in ARMS:
        exam.tell_proxy(arm, {item: truth(arm, item) for item in NAMES})
    exam.verify()
    assert exam.judge_agreement().labels == TOLD
    assert exam.judge_agreement().value == 1.0
    exam.extend(4)
    while tickets := exam.ask(3):
        exam.tell_many([(ticket, truth(ticket.arm, ticket.item or "")) for ticket in tickets])
    exam.verify()
    again = Campaign.open(f"sqlite:///{tmp_path}/recorded.db", "exam")
    assert again.standing.told == 26
    assert again.verdicts().to_dicts() == exam.verdicts().to_dicts()
