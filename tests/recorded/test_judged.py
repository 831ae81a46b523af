"""A recorded database with the scores of a judge, from before arms were ranked by them alone: it verifies, goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.recorded.record_judged import ARMS, DUMP, ITEMS, TOLD, TRUTH, answers
from thresher.campaign import Campaign


@pytest.fixture
def judged(tmp_path: Path) -> Campaign:
    """The campaign in the recorded database."""
    with closing(sqlite3.connect(tmp_path / "recorded.db")) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
        fits = [body for (body,) in connection.execute("SELECT body FROM event WHERE kind = 'refitted' ORDER BY seq")]
    assert '"uneven":true' in fits[-1], "its arms are ranked by different shares"
    assert "by_scores" not in fits[-1]
    return Campaign.open(f"sqlite:///{tmp_path}/recorded.db", "judged")


def test_it_verifies_with_the_ranking_of_its_version(judged: Campaign) -> None:
    judged.verify()
    assert judged.standing.told == TOLD


def test_it_goes_on_with_the_ranking_of_this_version_and_verifies(judged: Campaign, tmp_path: Path) -> None:
    truth = answers(TRUTH)
    judged.extend(len(ARMS) * len(ITEMS) - TOLD)
    while (ticket := judged.ask()) is not None:
        judged.tell(ticket, truth[ticket.arm][ticket.item or ""])
    fits = [entry.details for entry in judged.history() if entry.kind == "refitted"]
    assert fits[-1]["by_scores"] is fits[-1]["uneven"] is True
    judged.verify()
    again = Campaign.open(f"sqlite:///{tmp_path}/recorded.db", "judged")
    assert again.verdicts().to_dicts() == judged.verdicts().to_dicts()
