"""A transaction as one statement."""

import math
import re

from thresher.storage.statements import load_texts
from thresher.storage.turns import array_of, turn_of

TEXTS = {
    "step": "UPDATE ledger SET seq = :seq WHERE campaign = :campaign RETURNING at",
    "note": "INSERT INTO event SELECT :campaign, :kind, :step.at /* from the step */",
    "arm": "UPDATE arm SET total = :each.total /* from the step and each */ WHERE campaign = :all.campaign "
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
    assert turn.text == (
        "WITH step AS (UPDATE ledger SET seq = $1 WHERE campaign = $2 RETURNING at), "
        "rows_1 AS MATERIALIZED (SELECT CAST($2 AS bigint) AS campaign, given.* FROM unnest(CAST($3 AS double "
        "precision[]), CAST($4 AS text[]), CAST($5 AS bigint[])) AS given (total, name, position)), "
        "write_2 AS (UPDATE arm SET total = each.total FROM step, rows_1 AS each WHERE campaign = each.campaign "
        "AND name = each.name AND position = each.position), "
        "write_3 AS (UPDATE arm SET total = $6 FROM step WHERE campaign = $2 AND name = $7 AND position = $8) "
        "SELECT at FROM step"
    )


def test_the_text_of_an_array() -> None:
    assert array_of([1, -2, None]) == "{1,-2,NULL}"
    assert array_of([0.1, -math.inf, 1e-300]) == "{0.1,-inf,1e-300}"
    assert array_of(["a", 'say "b"', "back\\slash", "NULL", ""]) == '{"a","say \\"b\\"","back\\\\slash","NULL",""}'


def test_every_write_waits_for_the_step() -> None:
    names = ("insert_arm", "update_arm", "insert_pull", "change_pull", "renew_pull", "insert_request")
    for has_many in (False, True):
        turn = turn_of(load_texts("postgresql"), ("advance", "append_event"), [(name, has_many) for name in names])
        assert turn.text.count("FROM step") == len(names) + 2
        assert not re.search(r"/\*|:\w", turn.text)
