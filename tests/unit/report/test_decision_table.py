"""The table of all arms: columns in their order, and tables that fit."""

from dataclasses import replace

from tests.support.decided_rows import FAIL, LEANS, PASS, ROWS, TOSS, versus_control
from thresher.report.arm_sentence import sentence_about
from thresher.report.columns import MARKDOWN
from thresher.report.decision_table import DecisionTable, shortened, some_of, table_of
from thresher.report.text_terms import Measure, TextTerms


def test_the_table_fits_eighty_columns_by_dropping_columns_in_a_fixed_order() -> None:
    rows = [replace(row, arm=row.arm * 8, threshold=0.5 + i / 10) for i, row in enumerate(ROWS)]
    table = table_of(rows, TextTerms(unit="points"))
    assert [column.key for column in table.columns][:6] == ["arm", "decision", "strip", "mean", "interval", "threshold"]
    assert drops_in_order(table) == ["strip", "pulls", "threshold", "mean", "p_wrong"]


def drops_in_order(table: DecisionTable) -> list[str]:
    """Return the columns that a narrower and narrower terminal leaves out."""
    names: list[str] = [column.key for column in table.columns]
    dropped: list[str] = []
    for width in range(200, 30, -1):
        fitted = table.fitted(width)
        kept = [column.key for column in fitted.columns]
        dropped += [name for name in names if name not in [*kept, *dropped]]
        assert kept == [name for name in names if name not in dropped]
        assert fitted.width <= width or "p_wrong" in dropped
    assert table.fitted(80).width <= 80
    return dropped


def test_long_names_are_shortened_in_the_middle_before_a_column_is_dropped() -> None:
    names = ["the large model, brief", "the large model, with examples and a rubric"]
    rows = [replace(PASS, arm=name) for name in names]
    table = table_of(rows, TextTerms())
    assert table.fitted(130).heads == table.heads
    assert [row[0] for row in table.fitted(120).rows] == names, "the strip goes first"
    assert [row[0] for row in table.fitted(90).rows] == [names[0], "the large mo… and a rubric"]
    assert table.fitted(90).width == 90
    assert [column.key for column in table.fitted(80).columns] == ["arm", "decision", "mean", "interval", "p_wrong"]
    assert shortened("模型一二三四五六七", 11) == "模型…五六七"


def test_parts_of_names_have_columns_of_their_own_on_a_terminal() -> None:
    names = ["model=large prompt=brief", "model=a-very-long-name-of-a-model prompt=with examples and a rubric"]
    rows = [replace(PASS, arm=name) for name in names]
    table = table_of(rows, TextTerms())
    assert table.heads[:3] == ["model", "prompt", "decision"]
    assert [row[:2] for row in table.rows] == [
        ["large", "brief"],
        ["a-very-long-name-of-a-model", "with examples and a rubric"],
    ]
    fitted = table.fitted(80)
    assert fitted.width <= 80
    assert [row[:2] for row in fitted.rows][1] == ["a-very…a-model", "with e… rubric"]
    assert table_of(rows, TextTerms(), MARKDOWN).heads[0] == "arm"
    other = [*rows, replace(PASS, arm="model=small")]
    assert table_of(other, TextTerms()).heads[0] == "arm", "a name without all parts"


def test_a_strip_shows_the_interval_on_its_side_of_the_bar() -> None:
    wide = replace(FAIL, arm="wide", low=-40.0)
    table = table_of([PASS, *[FAIL] * 10, LEANS, TOSS, wide], TextTerms())
    strips = dict(zip((row[0] for row in table.rows), (row[2] for row in table.rows), strict=True))
    bar = strips["near"].index("│")
    assert strips["good"].index("─") > strips["good"].index("│") == bar, "a pass is beyond the bar"
    assert len(strips["bad"].partition("│")[0].rstrip()) <= bar
    assert "─" in strips["bad"][:bar]
    assert strips["even"][bar] == "●", "the mean is on the bar"
    assert strips["wide"].startswith("◂"), "one wide interval does not squash the others"
    assert table.heads[2].index("bar") == bar - 1


def test_no_decision_hides_the_others() -> None:
    rows = [*[PASS] * 50, *[FAIL] * 3, *[LEANS] * 10]
    shown = [rows[i].decision for i in some_of(rows, 40)]
    assert [shown.count(word) for word in ("pass", "fail", "open")] == [27, 3, 10]
    assert some_of(rows[:30], 40) == list(range(30))


def test_with_a_margin_in_per_cent_the_lift_stands_before_its_interval_and_stays_longer() -> None:
    table = table_of([versus_control("no banner", 0.36, decision="pass")], TextTerms(control="today", margin="-2%"))
    assert table.heads[4:7] == ["lift, %", "90\u00a0% interval of the lift, %", "difference"]
    assert drops_in_order(table) == ["strip", "difference", "pulls", "lift", "mean", "p_wrong"]


def test_with_a_control_the_interval_is_that_of_the_difference() -> None:
    said = TextTerms(control="today", margin="-0.02")
    rows = [versus_control("no banner", 0.36, decision="pass"), versus_control("new", None, verdict="undecided")]
    table = table_of(rows, said)
    assert table.heads[3:7] == ["mean", "difference", "90\u00a0% interval of the difference", "lift, %"]
    assert table.rows[0][3:7] == ["0.360", "+0.0600", "-0.0100 to 0.120", "+20.0"]
    assert table.rows[1][3:7] == ["–", "–", "–", "–"]
    assert drops_in_order(table) == ["strip", "lift", "pulls", "difference", "mean", "p_wrong"]
    assert "difference from the control +0.0600, interval -0.0100 to 0.120" in sentence_about(rows[0], said)


def test_bars_have_a_column_only_where_they_differ() -> None:
    assert "bar" not in table_of([PASS, FAIL], TextTerms()).heads
    assert "bar" in table_of([PASS, replace(FAIL, threshold=0.3)], TextTerms()).heads


def test_the_head_of_the_intervals_states_their_coverage() -> None:
    heads = {
        TextTerms(): "90_% interval",
        TextTerms(level=0.025): "95_% interval",
        TextTerms(guarantee="anytime"): "95_% interval",
        TextTerms(guarantee="fwer"): "97.5_% interval",
        TextTerms(guarantee="fdr"): "interval",
        TextTerms(control="c", margin="5%"): "90_% interval of the lift, %",
        TextTerms(quantile=0.9): "90_% interval of the share",
    }
    for said, head in heads.items():
        assert said.interval_head(Measure(), 2) == head.replace("_", "\u00a0")
