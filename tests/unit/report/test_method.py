"""The method is two sentences that name what was chosen."""

from thresher.report.method import method_of
from thresher.report.text_terms import TextTerms
from thresher.terms import DeclaredTerms


def test_two_sentences() -> None:
    assert method_of(DeclaredTerms(), TextTerms()) == (
        "Each outcome is pass/fail (0 or 1); after each one thresher chose the next arm to measure, for the fewest "
        "mistakes within the budget (policy stopping). An arm is decided when its evidence meets the guarantee: "
        "a chance of error of at most 5\u00a0%; the thin line of each arm is an interval that stays valid however "
        "often it is read."
    )


def test_goal_tolerance_and_guarantee_are_named() -> None:
    found = method_of(DeclaredTerms(goal="decide", tolerance=0.02), TextTerms(guarantee="fdr", risk=0.1))
    assert "for the most decided arms within the budget (policy decide)" in found
    assert "false discovery rate of at most 10\u00a0%, apart from a tolerance of 0.02 around the bar" in found
