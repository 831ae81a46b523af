"""What another bar would change, in words."""

from thresher.report.flips import flips_clause


def test_the_number_of_decisions_that_would_change() -> None:
    assert flips_clause([], 1200) == "With this bar every decision would be the same"
    assert flips_clause([None] * 2, 1200) == "With this bar 2 of 1,200 decisions would change"
