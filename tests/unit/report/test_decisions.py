"""Decisions in words: one case of each."""

from dataclasses import replace

import pytest

from tests.support.decided_rows import FAIL, LEANS, NEW, PASS, ROWS, TOSS, Row
from thresher.report.arm_sentence import sentence_about
from thresher.report.decisions import decision_cell, exit_code, in_order, standing_of
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
