"""A recorded database of an earlier version opens, migrates, verifies, and holds the same rows and verdicts."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.recorded.record_campaigns import CAMPAIGNS, DUMP, FIELDS, VERDICTS, Clock, outcome
from thresher.campaign import Campaign
from thresher.campaign.ledger import events
from thresher.campaign.storage.sqlite import SqliteStorage
from thresher.errors import InvalidInputError

# Kinds that this version did not have.
LATER = {
    "archived",
    "unarchived",
    "history-told",
    "imported",
    "items-added",
    "items-told",
    "measured-by",
    "proxy-told",
    "refitted",
}
TABLES = ("campaign", "ledger", "arm", "pull", "request", "event")


def rows_of(path: Path) -> dict[str, list[dict[str, object]]]:
    """Return every row of every table of campaigns, by columns."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        found = {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}
    return {table: [dict(row) for row in rows] for table, rows in found.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The recorded database as a file."""
    path = tmp_path / "recorded.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return path


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_it_verifies_and_gives_the_recorded_verdicts(path: Path, name: str) -> None:
    campaign = Campaign.open(SqliteStorage(path), name)
    campaign.verify()
    found = [[row.to_dict()[field] for field in FIELDS] for row in campaign.verdicts()]
    for row, recorded in zip(found, json.loads(VERDICTS.read_text())[name], strict=True):
        for value, expected in zip(row, recorded, strict=True):
            assert value == pytest.approx(expected, rel=1e-9) if isinstance(expected, float) else value == expected


def test_opening_and_verifying_changes_no_row(path: Path) -> None:
    before = rows_of(path)
    storage = SqliteStorage(path)
    for name in CAMPAIGNS:
        Campaign.open(storage, name).verify()
    storage.close()
    after = rows_of(path)
    for table, rows in before.items():
        for row, now in zip(rows, after[table], strict=True):
            assert {column: now[column] for column in row} == row  # a migration may add columns


def test_every_kind_of_event_is_in_it(path: Path) -> None:
    rows = rows_of(path)
    assert {row["kind"] for row in rows["event"]} == set(events.KINDS) - LATER
    assert {row["state"] for row in rows["pull"]} == {"out", "lapsed", "forfeited", "told", "unused", "void"}


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_it_can_be_told_more_and_verifies_after_that(path: Path, name: str) -> None:
    clock = Clock()
    clock.shift = 1_000_000_000_000
    campaign = Campaign.open(SqliteStorage(path, now=clock), name)
    told = [entry.details["outcomes"] for entry in campaign.history() if entry.kind == "told"]
    tickets = {pull[0]: pull[1] for e in campaign.history() if e.kind == "asked" for pull in e.details["pulls"]}
    out = tickets.keys() - {number for outcomes in told for number, _ in outcomes}
    campaign.tell_many([(tickets[number], outcome(campaign.terms.family, number)) for number in sorted(out)])
    campaign.verify()


def test_a_campaign_without_items_refuses_signals_and_a_new_one_next_to_it_takes_them(path: Path) -> None:
    storage = SqliteStorage(path)
    old = Campaign.open(storage, next(iter(CAMPAIGNS)))
    before = old.standing.events
    with pytest.raises(InvalidInputError, match="has no items"):
        old.tell_proxy(old.verdicts()[0].arm, {"q1": 1.0})
    assert old.standing.events == before
    past, judge = {"old": {"q1": 1, "q2": 0, "q3": 1}}, {"a": {"q1": 1.0, "q2": 0.0}}
    terms: dict[str, Any] = {"arms": ["a", "b"], "items": ["q1", "q2", "q3"], "threshold": 0.5, "budget": 6}
    new = Campaign.create(storage, "with signals", **terms, history=past, proxy=judge)
    for ticket in new.tickets():
        new.tell(ticket, ticket.item != "q2")
    new.tell_proxy("b", {"q3": 1.0})
    assert [entry.kind for entry in new.history()].count("proxy-told") == 2
    told = new.items().table  # a campaign ends when all is certain: not every answer is asked for, in a random order
    assert new.judge_agreement().labels == np.count_nonzero(~np.isnan([told[0, 0], told[0, 1], told[1, 2]])) > 0
    for name in (*CAMPAIGNS, "with signals"):
        Campaign.open(storage, name).verify()
