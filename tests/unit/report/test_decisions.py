"""Decisions in words: one case of each, and tables that fit."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest

from thresher.live import Verdict
from thresher.policy import Offer
from thresher.report.decisions import (
    DROPPED,
    DecisionTable,
    Measure,
    Said,
    bar_of,
    decision_cell,
    figure,
    in_order,
    interval_of,
    next_step,
    sentence_about,
    spent_of,
    standing_of,
    summary,
    table_of,
)


@dataclass(frozen=True)
class Row:
    """What is known of an arm."""

    arm: str = "a"
    verdict: str = "above"
    decision: str = "pass"
    proven: bool = False
    within: bool = False
    mean: float | None = 0.75
    pulls: int = 4
    low: float = 0.55
    high: float = 0.9
    p_wrong: float = 0.01
    threshold: float = 0.5


@dataclass(frozen=True)
class Standing:
    """The state of a campaign."""

    status: str = "ended"
    is_open: bool = False
    budget: float = 300.0
    spent: float = 300.0
    told: int = 300


PASS = Row("good", proven=True)
FAIL = Row("bad", "below", "fail", mean=0.1, low=0.02, high=0.3, p_wrong=0.002)
LEANS = Row("near", "above", "open", mean=0.6, low=math.nan, high=math.nan, p_wrong=0.2)
TOSS = Row("even", "below", "open", mean=0.5, p_wrong=0.4)
NEW = Row("new", "undecided", "open", mean=None, pulls=0, low=-math.inf, high=math.inf, p_wrong=0.5)
ROWS = [NEW, TOSS, LEANS, FAIL, PASS]


def test_a_decision_in_words() -> None:
    words = ["pass", "fail", "leaning pass", "too close to call", "not measured"]
    assert [standing_of(row, "above") for row in (PASS, FAIL, LEANS, TOSS, NEW)] == words
    assert standing_of(LEANS, "below") == "leaning fail"
    assert decision_cell(PASS, "above") == "✔ pass (proven)"
    assert decision_cell(FAIL, "above") == "✘ fail"
    assert decision_cell(replace(PASS, within=True), "above") == "✔ pass (proven, within the tolerance)"


def test_rows_are_in_the_order_of_their_decisions_then_of_their_chances() -> None:
    assert in_order(ROWS, "above") == [PASS, FAIL, LEANS, TOSS, NEW]
    surer = replace(PASS, arm="surer", p_wrong=0.001)
    assert in_order([PASS, surer], "above") == [surer, PASS]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.12345, "0.123"), (7.7, "7.7"), (1234.5, "1,230"), (0.0, "0"), (None, "–"), (math.nan, "–"),
        (math.inf, "–"), (-math.inf, "–"), (0.000012345, "1.23e-05"), (-12.345, "-12.3"),
    ],
)  # fmt: skip
def test_numbers_have_at_most_three_digits_and_no_infinities(value: float | None, shown: str) -> None:
    assert figure(value) == shown


def test_an_interval_that_does_not_exist_is_a_dash() -> None:
    assert [interval_of(row) for row in (PASS, LEANS, NEW)] == ["0.55 to 0.9", "–", "–"]


@pytest.mark.parametrize(
    ("bar", "unit", "measure"),
    [
        (0.0077, "s", Measure("ms", 1e3)), (2e-6, "s", Measure("µs", 1e6)), (3.0, "s", Measure("s")),
        (0.0077, "ms", Measure("ms")), (0.5, "", Measure()),
    ],
)  # fmt: skip
def test_short_times_are_shown_in_a_smaller_unit(bar: float, unit: str, measure: Measure) -> None:
    assert Measure.of([Row(threshold=bar)], unit) == measure


def test_the_summary_worked_by_hand() -> None:
    assert summary(ROWS, Said(), 1.112) == (
        "2 of 5 pass, 2 fail, 1 has no verdict; about 1.1 of these verdicts are wrong. 2 of 5 decided (chance of "
        "error at most 5 %), 1 leaning pass, 1 too close to call, 1 not measured. Bar: above 0.5."
    )
    fast = [replace(PASS, threshold=0.0077), replace(FAIL, threshold=0.0077)]
    text = summary(fast, Said(0.01, "fdr", "below", "s"), 0.01)
    assert text.endswith("2 of 2 decided (false discovery rate at most 1 %). Bar: at most 7.7 ms.")
    assert summary([PASS, replace(PASS, threshold=0.7)], Said(), 0.02).endswith("Bar: above 0.5 to 0.7, by arm.")


def test_a_sentence_about_an_arm() -> None:
    said = Said(passes="below", unit="s")
    row = Row(verdict="below", threshold=0.01, mean=0.005, low=0.004, high=0.006)
    assert sentence_about(row, said) == (
        "pass: mean 5 ms over 4 measurements (interval 4 to 6), bar 10 ms, chance of error 1 %"
    )
    assert sentence_about(NEW, Said()) == "not measured, bar 0.5"


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
        assert table.fitted(width).width <= width or gone == dropped
    assert table.fitted(80).width <= 80


def beside_control(arm: str, mean: float | None, **given: Any) -> Verdict:
    numbers: dict[str, Any] = {"difference": None, "lift": None} if mean is None else {
        "difference": mean - 0.3, "lift": 100 * (mean / 0.3 - 1), "lift_low": -2.0, "lift_high": 31.5,
    }  # fmt: skip
    usual: dict[str, Any] = {"pulls": 0 if mean is None else 1200, "low": -0.01, "high": 0.12, "p_wrong": 0.02}
    usual |= {"verdict": "above", "price": 0.0, "threshold": 0.29, "outstanding": 0, "retired": False}
    return Verdict(arm=arm, mean=mean, **(usual | numbers | given))


def test_beside_a_control_the_interval_is_that_of_the_difference() -> None:
    said = Said(control="today", margin="-0.01")
    rows = [beside_control("no banner", 0.36, decision="pass"), beside_control("new", None, verdict="undecided")]
    table = table_of(rows, said)
    assert table.heads[2:6] == ["mean", "difference", "interval of the difference", "lift, %"]
    assert table.rows[0][2:6] == ["0.36", "+0.06", "-0.01 to 0.12", "+20 (-2 to 31.5)"]
    assert table.rows[1][2:6] == ["–", "–", "–", "–"]
    drops_in_order(table)
    assert "difference from the control +0.06 (interval -0.01 to 0.12)" in sentence_about(rows[0], said)


@pytest.mark.parametrize(
    ("margin", "passes", "says"),
    [
        ("0", "above", "Bar: above control today (now about 0.29), better than the control: superiority."),
        (
            "-0.01",
            "above",
            "above control today − 0.01 (now about 0.29), not worse than the control by more than 0.01: ",
        ),
        ("5%", "above", "above control today + 5 % (now about 0.29), better than the control by more than 5 %: super"),
        ("0", "below", "at most control today (now about 0.29), not worse than the control: non-inferiority."),
        (
            "0.01",
            "below",
            "control today + 0.01 (now about 0.29), not worse than the control by more than 0.01",
        ),
        (
            "-2%",
            "below",
            "at most control today − 2 % (now about 0.29), better than the control by at least 2 %: super",
        ),
    ],
)
def test_the_bar_says_superiority_or_non_inferiority(margin: str, passes: str, says: str) -> None:
    assert says in bar_of([beside_control("a", 0.36)], Said(passes=passes, control="today", margin=margin))


def test_bars_have_a_column_only_where_they_differ() -> None:
    assert "bar" not in table_of([PASS, FAIL], Said()).heads
    assert "bar" in table_of([PASS, replace(FAIL, threshold=0.3)], Said()).heads


@pytest.mark.parametrize(
    ("rows", "standing", "offer", "says"),
    [
        ([PASS, FAIL], Standing(), None, "Nothing left to do: every arm is decided."),
        (ROWS, Standing("closed"), None, "Nothing left to do: the campaign is closed."),
        (ROWS, Standing("paused"), None, "The campaign is paused: resume it to continue."),
        (ROWS, Standing("open", True, spent=100.0), None, "200 of the budget is left: go on."),
        (ROWS, Standing(spent=180.0, told=180), None, "Nothing left to do: the stop rule is met, with 120 left."),
        (ROWS, Standing(), Offer(381.2, 3.6, 4), "About 390 more measurements would decide the rest (add 390 to 690)."),
        (ROWS, Standing(), Offer(300.0, 2.4, 4),
         "About 300 more measurements would decide about 2 of the 4 open arms (add 300 to 600)."),
        (ROWS, Standing(spent=30.0, budget=30.0), Offer(100.0, 4.0, 4),
         "About 100 more measurements would decide the rest (add 10 to 40)."),
        (ROWS, Standing(), Offer(300.0, 0.4, 4),
         "300 more measurements would decide another arm with a chance of about 40 % (add 300 to 600)."),
        (ROWS, Standing(), Offer(300.0, 0.05, 4),
         "Doubling the budget would decide hardly any more arms; set a tolerance, or use the goal decide."),
        (ROWS, Standing(), Offer(0.0, 0.0, 0), "Nothing left to do: the arms that are open are retired."),
        (ROWS, Standing(), None, "More measurements may decide the rest (add AMOUNT to AMOUNT)."),
    ],
)  # fmt: skip
def test_the_next_step(rows: list[Row], standing: Standing, offer: Offer | None, says: str) -> None:
    assert next_step(rows, standing, lambda: offer, extend="add {amount} to {total}", go_on="go on") == says


def test_what_was_spent_is_measurements_where_each_costs_one() -> None:
    assert spent_of(Standing()) == "300 of 300 measurements spent."
    assert spent_of(Standing(spent=12.5)) == "12.5 of a budget of 300 spent."
