"""A transaction as one statement."""

import re

from thresher.storage.statements import load_texts
from thresher.storage.turns import turn_of

TEXTS = {
    "step": "UPDATE ledger SET seq = :seq WHERE campaign = :campaign RETURNING at",
    "note": "INSERT INTO event SELECT :campaign, :kind, :step.at /* from the step */",
    "arm": "UPDATE arm SET total = :each.total /* from the step and each */ WHERE campaign = :campaign "
    "AND name = :each.name AND position = :each.position",
}


def test_a_turn_worked_by_hand() -> None:
    turn = turn_of(TEXTS, ("step", "note"), [("arm", False)])
    assert turn.names == ("seq", "campaign", "kind")
    assert turn.fields == (("total", "name", "position"),)
    assert turn.text == (
        "WITH step AS (UPDATE ledger SET seq = $1 WHERE campaign = $2 RETURNING at), "
        "write_1 AS (INSERT INTO event SELECT $2, $3, step.at FROM step), "
        "write_2 AS (UPDATE arm SET total = $4 FROM step WHERE campaign = $2 AND name = $5 AND position = $6) "
        "SELECT at FROM step"
    )


def test_several_rows_come_as_arrays() -> None:
    turn = turn_of(TEXTS, ("step",), [("arm", True), ("arm", False)])
    assert turn.fields == (("total", "name", "position"),) * 2
    assert (
        "SET total = each.total FROM step, unnest(CAST($3 AS double precision[]), CAST($4 AS text[]), "
        "CAST($5 AS bigint[])) AS each (total, name, position) WHERE campaign = $2 AND name = each.name" in turn.text
    )
    assert "SET total = $6 FROM step WHERE" in turn.text


def test_every_write_waits_for_the_step() -> None:
    names = ("insert_arm", "update_arm", "insert_pull", "change_pull", "renew_pull", "insert_request")
    for has_many in (False, True):
        turn = turn_of(load_texts("postgresql"), ("advance", "append_event"), [(name, has_many) for name in names])
        assert turn.text.count("FROM step") == len(names) + 2
        assert not re.search(r"/\*|:\w", turn.text)
