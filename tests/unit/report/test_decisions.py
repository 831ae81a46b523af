"""Decisions in words: one case of each."""

import math
from dataclasses import replace

import pytest

from tests.support.decided_rows import FAIL, LEANS, NEW, PASS, ROWS, TOSS, Row, beside_control
from thresher.report.decisions import (
    Said,
    bar_of,
    decision_cell,
    essence,
    exit_code,
    in_order,
    sentence_about,
    standing_of,
    summary,
    wrong_clause,
)


def test_a_decision_in_words() -> None:
    words = ["pass", "fail", "leaning pass", "too close to call", "not measured"]
    assert [standing_of(row, "above") for row in (PASS, FAIL, LEANS, TOSS, NEW)] == words
    assert standing_of(LEANS, "below") == "leaning fail"
    assert decision_cell(PASS, "above") == "✔ pass (proven)"
    assert decision_cell(FAIL, "above") == "✘ fail"
    assert decision_cell(replace(PASS, within=True), "above") == "✔ pass (proven, within the tolerance)"


@pytest.mark.parametrize(
    ("decisions", "code"),
    [
        (["pass", "pass"], 0),
        (["pass", "fail", "open"], 1),
        (["pass", "open"], 2),
        (["open"], 2),
    ],
)
def test_the_exit_code_follows_the_decisions(decisions: list[str], code: int) -> None:
    assert exit_code(replace(PASS, decision=decision) for decision in decisions) == code


def test_rows_are_in_the_order_of_their_decisions_then_of_their_chances() -> None:
    assert in_order(ROWS, "above") == [PASS, FAIL, LEANS, TOSS, NEW]
    surer = replace(PASS, arm="surer", p_wrong=0.001)
    assert in_order([PASS, surer], "above") == [surer, PASS]


def test_the_summary_worked_by_hand() -> None:
    assert summary(ROWS, Said(), 1.112) == (
        "2 of 5 pass, 2 fail, 1 has no verdict; about 1.1 of these verdicts are wrong. 2 of 5 decided (chance of "
        "error at most 5 %), 1 leaning pass, 1 too close to call, 1 not measured. Bar: above 0.5."
    )
    fast = [replace(PASS, threshold=0.0077), replace(FAIL, threshold=0.0077)]
    text = summary(fast, Said(0.01, "fdr", "below", "s"), 0.01)
    assert text.endswith("2 of 2 decided (false discovery rate at most 1 %). Bar: at most 7.7 ms.")
    assert summary([PASS, replace(PASS, threshold=0.7)], Said(), 0.02).endswith("Bar: above 0.5 to 0.7, by arm.")


def test_without_a_verdict_none_is_wrong() -> None:
    said = summary([NEW, NEW], Said(), 1.0)
    assert said.startswith("0 of 2 pass, 0 fail, 2 have no verdict. 0 of 2 decided")
    assert essence([NEW, NEW], Said(), 1.0) == "0 of 2 decided. Bar: above 0.5."
    assert essence([NEW, PASS], Said(), 0.51) == "1 of 2 decided; about 0.51 verdicts wrong. Bar: above 0.5."


def test_a_few_wrong_verdicts_are_not_counted_exactly() -> None:
    assert wrong_clause(2.1e-19) == "; fewer than 0.1 of these verdicts are wrong"
    assert wrong_clause(0.7) == "; about 0.7 of these verdicts are wrong"
    assert wrong_clause(math.nan) == ""


def test_a_sentence_about_an_arm() -> None:
    said = Said(passes="below", unit="s")
    row = Row(verdict="below", threshold=0.01, mean=0.005, low=0.004, high=0.006)
    assert sentence_about(row, said) == (
        "pass: mean 5 ms over 4 measurements (interval 4 to 6), bar 10 ms, chance of error 1 %"
    )
    assert sentence_about(NEW, Said()) == "not measured, bar 0.5"


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
