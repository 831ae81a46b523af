"""The sentences that every surface leads with."""

import math
from dataclasses import replace

from tests.support.decided_rows import FAIL, LEANS, NEW, PASS, ROWS, Standing
from thresher.report.summary import (
    about_mistakes,
    decided_clause,
    decided_counts,
    essence,
    is_early,
    lead,
    leaning_counts,
    level_sentence,
    mistakes_sentence,
    spent_of,
)
from thresher.report.text_terms import TextTerms


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
    one = "1 arm is within that but undecided: its own outcomes say too little yet."
    assert level_sentence(TextTerms(), [held, PASS]).endswith(f" {one}")
    two = "2 arms are within that but undecided: their own outcomes say too little yet."
    assert level_sentence(TextTerms(), [held, held]).endswith(f" {two}")
    assert level_sentence(TextTerms(level=0.03), [held, PASS]) == level_sentence(TextTerms(level=0.03))
    assert level_sentence(TextTerms(guarantee="anytime"), [held]) == level_sentence(TextTerms(guarantee="anytime"))


def test_what_was_spent_is_measurements_where_each_costs_one() -> None:
    assert spent_of(Standing()) == "300 of 300 measurements spent."
    assert spent_of(Standing(spent=12.5)) == "12.5 of a budget of 300 spent."
    assert spent_of(Standing(spent=0, told=4200)) == "4,200 measurements, none of them paid from the budget of 300."
