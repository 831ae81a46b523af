"""What to do next, one case of each."""

from dataclasses import replace

import pytest

from tests.support.decided_rows import FAIL, NEW, PASS, ROWS, TOSS, Row, Standing
from thresher.policy import Offer
from thresher.report.next_step import next_step


@pytest.mark.parametrize(
    ("rows", "standing", "offer", "says"),
    [
        ([PASS, FAIL], Standing(), None, "Nothing left to do: every arm is decided."),
        (ROWS, Standing("closed"), None, "Nothing left to do: the campaign is closed."),
        (ROWS, Standing("paused"), None, "The campaign is paused: resume it to continue."),
        (ROWS, Standing("open", True, spent=100.0), None, "200 of the budget is left: go on."),
        (ROWS, Standing(spent=180.0, told=180), None, "Nothing left to do: the stop rule is met, with 120 left."),
        (ROWS[1:], Standing(items=4), Offer(381.2, 3.6, 4),
         "Nothing left to do: every item was asked 1 time. Add items, or repeats in a new campaign."),
        (ROWS, Standing(), Offer(381.2, 3.6, 4), "About 390 more measurements would decide the rest (add 390 to 690)."),
        (ROWS, Standing(), Offer(300.0, 2.4, 4),
         "About 300 more measurements would decide about 2 of the 4 undecided arms (add 300 to 600)."),
        (ROWS, Standing(spent=30.0, budget=30.0), Offer(100.0, 4.0, 4),
         "About 100 more measurements would decide the rest (add 10 to 40)."),
        (ROWS, Standing(), Offer(300.0, 0.4, 4),
         "300 more measurements would decide another arm with a chance of about 40\u00a0% (add 300 to 600)."),
        (ROWS, Standing(), Offer(300.0, 0.05, 4),
         "Doubling the budget would decide hardly any more arms; set a tolerance, or use the goal decide in a "
         "new campaign."),
        (ROWS, Standing(told=20), Offer(300.0, 0.05, 4),
         "It takes more measurements: there are 4.00 per arm so far (add AMOUNT to AMOUNT)."),
        ([PASS, replace(NEW, retired=True)], Standing(spent=0.0, told=0), None,
         "Nothing left to do: the undecided arms are retired."),
        ([replace(NEW, retired=True), replace(TOSS, pulls=4)], Standing(items=4), None,
         "Nothing left to do: every item was asked 1 time. Add items, or repeats in a new campaign."),
        (ROWS, Standing(), None, "More measurements may decide the rest (add AMOUNT to AMOUNT)."),
    ],
)  # fmt: skip
def test_the_next_step(rows: list[Row], standing: Standing, offer: Offer | None, says: str) -> None:
    extend = "add {amount} to {total}"
    assert next_step(rows, standing, lambda: offer, extend=extend, go_on="go on", goal="mistakes") == says


def test_a_goal_that_does_not_help_is_not_offered() -> None:
    for goal, has_control in (("decide", False), ("mistakes", True)):  # with a control the goal decide is refused
        offer = lambda: Offer(300.0, 0.05, 4)  # noqa: E731
        step = next_step(ROWS, Standing(), offer, extend="add", go_on="on", goal=goal, has_control=has_control)
        assert step == "Doubling the budget would decide hardly any more arms; set a tolerance in a new campaign."
