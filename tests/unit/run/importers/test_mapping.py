"""From records to outcomes: which columns are what, and complaints that name the line."""

from hashlib import sha256
from typing import Any

import pytest

from thresher.campaign.ledger import hash_of
from thresher.errors import InvalidOutcomeError
from thresher.run.importers import Columns, Log, OutcomeColumns, Record
from thresher.run.importers.mapping import map_columns


def log(*rows: dict[str, Any]) -> Log:
    return Log("runs.csv", [Record(f"runs.csv line {i}", f"id {i}", row) for i, row in enumerate(rows, start=2)])


def outcomes_of(log: Log, columns: Columns) -> OutcomeColumns:
    return map_columns(log, columns).outcomes


def test_the_columns_arm_and_outcome_need_no_naming() -> None:
    found = outcomes_of(log({"arm": "a", "outcome": "0.5"}, {"arm": "b", "outcome": True}), Columns())
    assert [(one.arm, one.value, one.place) for one in found] == [
        ("a", 0.5, "runs.csv line 2"),
        ("b", 1.0, "runs.csv line 3"),
    ]


def test_several_columns_name_an_arm_as_a_matrix_does() -> None:
    columns = Columns(arm=("model", "size"), outcome="ok")
    found = outcomes_of(log({"model": "m", "size": 3, "ok": "true"}), columns)
    assert [(one.arm, one.value) for one in found] == [("model=m size=3", 1.0)]


def test_words_may_stand_for_success() -> None:
    rows = [{"arm": "a", "outcome": word} for word in ("passed", "failed", "ok", "Passed")]
    found = outcomes_of(log(*rows), Columns(success=("passed", "ok")))
    assert [one.value for one in found] == [1.0, 0.0, 1.0, 0.0]


def test_a_key_column_takes_the_place_of_the_position() -> None:
    row = {"arm": "a", "outcome": 1, "run": 7, "by": "x"}
    keys = [("run",), ("by",), ("run", "by"), ("by", "run")]
    hashes = [outcomes_of(log(row), Columns(key=key))[0].hash for key in keys]
    assert hashes[0] == hash_of(sha256(b"key 7\0a").hexdigest())  # as earlier versions stored it
    assert len(set(hashes)) == len(keys)


def test_a_ticket_needs_no_arm() -> None:
    found = outcomes_of(log({"ticket": "1-ab", "outcome": 1}), Columns(ticket="ticket"))
    assert [(one.ticket, one.arm, one.value) for one in found] == [("1-ab", "", 1.0)]


def test_a_column_of_tickets_is_seen_unless_an_arm_is_named() -> None:
    rows = log({"ticket": "1-ab", "arm": "a", "outcome": 1})
    assert [(one.ticket, one.arm) for one in outcomes_of(rows, Columns())] == [("1-ab", "")]
    assert [(one.ticket, one.arm) for one in outcomes_of(rows, Columns(arm=("arm",)))] == [("", "a")]


@pytest.mark.parametrize(
    ("rows", "columns", "complaint"),
    [
        (
            [{"arm": "a", "score": 1}],
            Columns(),
            "no column 'outcome'; it has arm, score: choose one by --outcome-column",
        ),
        ([{"arm": "a", "outcome": 1}, {"arm": "", "outcome": 1}], Columns(), "runs.csv line 3 has an empty col"),
        (
            [{"arm": "a", "outcome": 1}, {"arm": "a", "outcome": None}],
            Columns(blank="error"),
            "line 3 has an empty column 'outcome'; fill it in, or leave out --blank error",
        ),
        ([{"arm": "a", "outcome": " "}], Columns(), "runs.csv has no measurements with an outcome in 'outcome'"),
        ([{"arm": "a", "label": 1}], Columns(outcome="label", gold="truth"), "choose one by --gold-column"),
        ([{"arm": "a", "\x1b[2J": 1}], Columns(), r"it has arm, '\\x1b\[2J': choose one"),
        ([{"arm": "a"} | {f"c{i}": 1 for i in range(99)}], Columns(), r"c27, c28, …: choose one"),
        ([{"arm": "a", "outcome": "nan"}], Columns(), "runs.csv line 2: outcome is 'nan'; give a number"),
        ([{"arm": "a", "outcome": "1e999"}], Columns(), "runs.csv line 2: outcome is '1e999'"),
        ([{"arm": "a", "outcome": float("inf")}], Columns(), "runs.csv line 2: outcome is 'inf'"),
        (
            [{"arm": "a", "outcome": 1, "k": 1}] * 2,
            Columns(key=("k",)),
            "runs.csv line 3 has the key of runs.csv line 2",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(rows: list[dict[str, Any]], columns: Columns, complaint: str) -> None:
    with pytest.raises(InvalidOutcomeError, match=complaint):
        outcomes_of(log(*rows), columns)
