"""Decisions in words: on an arm, on all arms, and the bar."""

import math
from dataclasses import replace

import pytest

from tests.support.decided_rows import FAIL, LEANS, NEW, PASS, ROWS, TOSS, Row, Standing, versus_control
from thresher.report.arm_sentence import sentence_about
from thresher.report.decisions import (
    about_mistakes,
    bar_of,
    decided_clause,
    decided_counts,
    decision_cell,
    essence,
    exit_code,
    in_order,
    is_early,
    lead,
    leaning_counts,
    level_sentence,
    mistakes_sentence,
    passing_rule,
    spent_of,
    standing_of,
)
from thresher.report.text_terms import TextTerms


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


def test_a_sentence_about_an_arm() -> None:
    said = TextTerms(passes="below", unit="s")
    row = Row(verdict="below", threshold=0.01, mean=0.005, low=0.004, high=0.006)
    assert sentence_about(row, said) == (
        "pass: mean 5.00 ms over 4 measurements, interval 4.00 to 6.00, chance of error 1.0\u00a0%, bar 10 ms"
    )
    assert sentence_about(NEW, TextTerms()) == "not measured, bar 0.5"


def test_the_lead_worked_by_hand() -> None:
    assert lead(ROWS, TextTerms(), Standing(spent=16, budget=2600, told=16)) == (
        "1 pass, 1 fail, 3 undecided (1 leaning pass, 1 too close to call, 1 not measured). Bar: above 0.5. "
        "16 of 2,600 measurements spent."
    )
    assert lead([PASS, FAIL], TextTerms(), Standing(items=50)) == (
        "1 pass, 1 fail, 0 undecided on these 50 items. Bar: above 0.5. 300 of 300 measurements spent."
    )


def test_it_is_too_early_below_two_measurements_per_arm_unless_all_are_decided() -> None:
    early = [replace(PASS, pulls=1), replace(LEANS, pulls=2)]
    assert is_early(early)
    assert decided_clause(early, "above") == "1 pass, 0 fail, 1 undecided: too early to judge"
    assert mistakes_sentence(early, 0.2) == ""
    assert not is_early([replace(row, pulls=2) for row in early])
    assert not is_early([replace(PASS, pulls=1)])
    assert decided_clause([NEW, NEW], "above") == decided_counts([NEW, NEW], "above") == "2 arms, not measured yet"
    assert leaning_counts(early, "above") == leaning_counts([NEW, NEW], "above") == ""


def test_the_counts_and_which_way_arms_lean_are_also_two_texts() -> None:
    assert decided_counts(ROWS, "above") == "1 pass, 1 fail, 3 undecided"
    assert leaning_counts(ROWS, "above") == "1 leaning pass, 1 too close to call, 1 not measured"
    assert leaning_counts([PASS, FAIL], "above") == ""


def test_mistakes_are_expected_of_all_arms_together() -> None:
    assert mistakes_sentence(ROWS, 1.112) == "If you acted on all 5 now, expect about 1 mistake."
    assert mistakes_sentence([PASS], 0.01) == "If you acted on it now, the chance of a mistake is 1.0\u00a0%."
    assert mistakes_sentence(ROWS, math.nan) == mistakes_sentence([NEW, NEW], 1.0) == ""
    shown = {1e-19: "fewer than 0.1 mistakes", 0.53: "about 0.5 mistakes", 0.97: "about 1 mistake",
             2.6: "about 3 mistakes", 9.7: "about 10 mistakes", 1234.5: "about 1,234 mistakes"}  # fmt: skip
    assert {expected: about_mistakes(expected) for expected in shown} == shown
    assert essence(ROWS, TextTerms(), 1.112) == "Bar: above 0.5. If you acted on all 5 now, expect about 1 mistake."


def test_the_level_in_force_is_said_once() -> None:
    per_cent = "5\u00a0%"
    assert level_sentence(TextTerms()) == f"Decided at a chance of error of at most {per_cent}."
    early = "Decided at a chance of error of at most 2.5\u00a0% so far, 5\u00a0% when the budget is spent."
    assert level_sentence(TextTerms(level=0.025)) == early
    imported = early.replace("budget is spent", "campaign is closed")
    assert level_sentence(TextTerms(level=0.025, is_imported=True)) == imported
    assert level_sentence(TextTerms(level=0.05)) == level_sentence(TextTerms())
    assert level_sentence(TextTerms(guarantee="fdr")) == f"Decided at a false discovery rate of at most {per_cent}."


def test_an_arm_below_the_level_that_is_undecided_is_explained() -> None:
    held = replace(LEANS, p_wrong=0.04)
    one = "1 arm is within that but undecided: its own outcomes are not enough evidence yet."
    assert level_sentence(TextTerms(), [held, PASS]).endswith(f" {one}")
    two = "2 arms are within that but undecided: their own outcomes are not enough evidence yet."
    assert level_sentence(TextTerms(), [held, held]).endswith(f" {two}")
    assert level_sentence(TextTerms(level=0.03), [held, PASS]) == level_sentence(TextTerms(level=0.03))
    assert level_sentence(TextTerms(guarantee="anytime"), [held]) == level_sentence(TextTerms(guarantee="anytime"))


def test_what_was_spent_is_measurements_where_each_costs_one() -> None:
    assert spent_of(Standing()) == "300 of 300 measurements spent."
    assert spent_of(Standing(spent=12.5)) == "12.5 of a budget of 300 spent."
    assert spent_of(Standing(spent=0, told=4200)) == "4,200 measurements, none of them paid from the budget of 300."


def test_the_bar_is_shown_as_it_was_given() -> None:
    assert bar_of([PASS], TextTerms(is_rate=True)) == "Bar: above 0.5."
    assert bar_of([replace(PASS, threshold=0.9995)], TextTerms(is_rate=True)) == "Bar: above 0.9995."
    assert bar_of([replace(PASS, threshold=0.0077)], TextTerms(passes="below", unit="s")) == "Bar: at most 7.7 ms."


def test_arms_may_have_bars_of_their_own() -> None:
    rows, said = [replace(PASS, threshold=10.0), replace(FAIL, threshold=900.0)], TextTerms(passes="below", unit="ms")
    assert bar_of(rows, said) == "Each arm has its own bar (10–900 ms); below passes."
    assert passing_rule(rows, said) == "An arm passes if its mean is at most its own bar (10–900 ms)."


@pytest.mark.parametrize(
    ("margin", "passes", "says"),
    [
        ("0", "above", "Bar: above control today (now about 0.290), better than the control: superiority."),
        (
            "-0.01",
            "above",
            "above control today − 0.01 (now about 0.290), not worse than the control by more than 0.01: ",
        ),
        (
            "5%",
            "above",
            "above control today + 5\u00a0% (now about 0.290), better than the control by more than 5\u00a0%: super",
        ),
        ("0", "below", "at most control today (now about 0.290), not worse than the control: non-inferiority."),
        (
            "0.01",
            "below",
            "control today + 0.01 (now about 0.290), not worse than the control by more than 0.01",
        ),
        (
            "-2%",
            "below",
            "at most control today − 2\u00a0% (now about 0.290), better than the control by at least 2\u00a0%: super",
        ),
    ],
)
def test_the_bar_says_superiority_or_non_inferiority(margin: str, passes: str, says: str) -> None:
    assert says in bar_of([versus_control("a", 0.36)], TextTerms(passes=passes, control="today", margin=margin))
