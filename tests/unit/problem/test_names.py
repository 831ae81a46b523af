"""What the name of an arm or of a campaign may be."""

import pytest

from thresher.problem.names import LONGEST_NAME, broken_rule


@pytest.mark.parametrize("name", ["a", "π 💥", " a", "a\u200f", "x" * LONGEST_NAME])
def test_a_name_that_can_be_shown_breaks_no_rule(name: str) -> None:
    assert broken_rule(name) == ""


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "1 to 500 characters"),
        ("x" * (LONGEST_NAME + 1), "1 to 500 characters"),
        ("a\nb", "control characters"),
        ("\x1b[31m", "control characters"),
        ("\ud800", "UTF-8"),
        (" \u200b", "visible"),
        ("\u00a0\u2003", "visible"),
    ],
)
def test_another_name_breaks_one(name: str, rule: str) -> None:
    assert rule in broken_rule(name)
