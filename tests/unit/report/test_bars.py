"""The bar in a sentence."""

from dataclasses import replace

import pytest

from tests.support.decided_rows import FAIL, PASS, versus_control
from thresher.report.bars import bar_of, passing_rule
from thresher.report.text_terms import TextTerms


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
