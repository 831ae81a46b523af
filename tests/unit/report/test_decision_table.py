"""The table of all arms: columns in their order, and tables that fit."""

from dataclasses import replace

from tests.support.decided_rows import FAIL, LEANS, PASS, ROWS, beside_control
from thresher.report.decision_table import DROPPED, DecisionTable, shortened, some_of, table_of
from thresher.report.decisions import sentence_about
from thresher.report.measure import Measure
from thresher.report.said import Said


def test_the_table_fits_eighty_columns_by_dropping_columns_in_a_fixed_order() -> None:
    rows = [replace(row, arm=row.arm * 8, threshold=0.5 + i / 10) for i, row in enumerate(ROWS)]
    table = table_of(rows, Said(unit="points"))
    assert [head.split(",")[0] for head in table.heads][:5] == ["arm", "decision", "mean", "90\u00a0% interval", "bar"]
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


def test_long_names_are_shortened_in_the_middle_before_a_column_is_dropped() -> None:
    names = ["model=large prompt=brief", "model=large prompt=with examples and a rubric"]
    rows = [replace(PASS, arm=name) for name in names]
    table = table_of(rows, Said())
    assert table.fitted(90).heads == table.heads
    assert [row[0] for row in table.fitted(90).rows] == [names[0], "model=large … and a rubric"]
    assert table.fitted(90).width <= 90
    assert table.fitted(80).heads == table.without("measurements").heads
    assert shortened("模型一二三四五六七", 11) == "模型…五六七"


def test_no_decision_hides_the_others() -> None:
    rows = [*[PASS] * 50, *[FAIL] * 3, *[LEANS] * 10]
    shown = [rows[i].decision for i in some_of(rows, 40)]
    assert [shown.count(word) for word in ("pass", "fail", "open")] == [27, 3, 10]
    assert some_of(rows[:30], 40) == list(range(30))


def test_beside_a_control_the_interval_is_that_of_the_difference() -> None:
    said = Said(control="today", margin="-0.02")
    rows = [beside_control("no banner", 0.36, decision="pass"), beside_control("new", None, verdict="undecided")]
    table = table_of(rows, said)
    assert table.heads[2:6] == ["mean", "difference", "90\u00a0% interval of the difference", "lift, %"]
    assert table.rows[0][2:6] == ["0.360", "+0.0600", "-0.0100 to 0.120", "+20.0 (-2.00 to 31.5)"]
    assert table.rows[1][2:6] == ["–", "–", "–", "–"]
    drops_in_order(table)
    assert "difference from the control +0.0600 (interval -0.0100 to 0.120)" in sentence_about(rows[0], said)


def test_bars_have_a_column_only_where_they_differ() -> None:
    assert "bar" not in table_of([PASS, FAIL], Said()).heads
    assert "bar" in table_of([PASS, replace(FAIL, threshold=0.3)], Said()).heads


def test_the_head_of_the_intervals_states_their_coverage() -> None:
    heads = {
        Said(): "90_% interval",
        Said(level=0.025): "95_% interval",
        Said(guarantee="anytime"): "95_% interval",
        Said(guarantee="fwer"): "97.5_% interval",
        Said(guarantee="fdr"): "interval",
        Said(control="c", margin="5%"): "90_% interval of the lift, %",
        Said(quantile=0.9): "90_% interval of the share",
    }
    for said, head in heads.items():
        assert said.interval_head(Measure(), 2) == head.replace("_", "\u00a0")
