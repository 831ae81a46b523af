"""The table of all arms: columns in their order, and tables that fit."""

from dataclasses import replace

from tests.support.decided_rows import FAIL, PASS, ROWS, beside_control
from thresher.report.decision_table import DROPPED, DecisionTable, table_of
from thresher.report.decisions import Said, sentence_about


def test_the_table_fits_eighty_columns_by_dropping_columns_in_a_fixed_order() -> None:
    rows = [replace(row, arm=row.arm * 8, threshold=0.5 + i / 10) for i, row in enumerate(ROWS)]
    table = table_of(rows, Said(unit="points"))
    assert [head.split(",")[0] for head in table.heads][:5] == ["arm", "decision", "mean", "interval", "bar"]
    drops_in_order(table)


def drops_in_order(table: DecisionTable) -> None:
    names = [head.split(",")[0] for head in table.heads]
    dropped = [name for name in DROPPED if name in names]
    for width in range(200, 30, -1):
        kept = [head.split(",")[0] for head in table.fitted(width).heads]
        gone = [name for name in dropped if name not in kept]
        assert gone == dropped[: len(gone)]
        assert kept == [name for name in names if name not in gone]
        assert table.fitted(width).least_width <= width or gone == dropped
    assert table.fitted(80).least_width <= 80


def test_one_long_name_does_not_cost_all_arms_their_columns() -> None:
    short, long = replace(PASS, arm="a" * 8), replace(PASS, arm="a" * 60)
    few, many = table_of([*[short] * 9, long, FAIL], Said()), table_of([short, *[long] * 9, FAIL], Said())
    assert few.fitted(80).heads == table_of([short, FAIL], Said()).fitted(80).heads
    # Where most are long, names stay whole instead.
    assert few.least_width == few.width - 52
    assert many.least_width == many.width
    assert "mean" not in many.fitted(80).heads


def test_beside_a_control_the_interval_is_that_of_the_difference() -> None:
    said = Said(control="today", margin="-0.01")
    rows = [beside_control("no banner", 0.36, decision="pass"), beside_control("new", None, verdict="undecided")]
    table = table_of(rows, said)
    assert table.heads[2:6] == ["mean", "difference", "interval of the difference", "lift, %"]
    assert table.rows[0][2:6] == ["0.36", "+0.06", "-0.01 to 0.12", "+20 (-2 to 31.5)"]
    assert table.rows[1][2:6] == ["–", "–", "–", "–"]
    drops_in_order(table)
    assert "difference from the control +0.06 (interval -0.01 to 0.12)" in sentence_about(rows[0], said)


def test_bars_have_a_column_only_where_they_differ() -> None:
    assert "bar" not in table_of([PASS, FAIL], Said()).heads
    assert "bar" in table_of([PASS, replace(FAIL, threshold=0.3)], Said()).heads
