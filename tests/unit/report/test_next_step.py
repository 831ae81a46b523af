"""What to do next, one case of each."""

import pytest

from tests.support.decided_rows import FAIL, PASS, ROWS, Row, Standing
from thresher.policy import Offer
from thresher.report.next_step import next_step, spent_of


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
         "Doubling the budget would decide hardly any more arms; set a tolerance, or use the goal decide in a "
         "new campaign."),
        (ROWS, Standing(told=20), Offer(300.0, 0.05, 4),
         "It takes more measurements: there are 4 per arm so far (add AMOUNT to AMOUNT)."),
        (ROWS, Standing(), Offer(0.0, 0.0, 0), "Nothing left to do: the arms that are open are retired."),
        (ROWS, Standing(), None, "More measurements may decide the rest (add AMOUNT to AMOUNT)."),
    ],
)  # fmt: skip
def test_the_next_step(rows: list[Row], standing: Standing, offer: Offer | None, says: str) -> None:
    how = {"extend": "add {amount} to {total}", "go_on": "go on"}
    assert next_step(rows, standing, lambda: offer, **how, goal="mistakes") == says


def test_the_goal_in_force_is_not_offered() -> None:
    step = next_step(ROWS, Standing(), lambda: Offer(300.0, 0.05, 4), extend="add", go_on="go on", goal="decide")
    assert step == "Doubling the budget would decide hardly any more arms; set a tolerance in a new campaign."


def test_what_was_spent_is_measurements_where_each_costs_one() -> None:
    assert spent_of(Standing()) == "300 of 300 measurements spent."
    assert spent_of(Standing(spent=12.5)) == "12.5 of a budget of 300 spent."
