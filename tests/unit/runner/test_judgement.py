"""An arm passes if it is on the wished side and sure of it."""

from typing import Any

import pytest

from thresher.live import Verdict
from thresher.runner.judgement import exit_code, judgement


def row(verdict: str, *, sure: bool) -> Verdict:
    """Return a verdict of which only these two matter."""
    rest: dict[str, Any] = dict.fromkeys(
        ("mean", "pulls", "low", "high", "p_wrong", "price", "threshold", "outstanding", "retired"), 0
    )
    return Verdict(arm="x", verdict=verdict, sure=sure, **rest)


ABOVE, BELOW, MAYBE_ABOVE, MAYBE_BELOW, UNDECIDED = (
    row("above", sure=True), row("below", sure=True), row("above", sure=False), row("below", sure=False),
    row("undecided", sure=False),
)  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "above", "below"),
    [
        ([ABOVE], 0, 1),
        ([BELOW], 1, 0),
        ([ABOVE, BELOW], 1, 1),
        ([ABOVE, MAYBE_ABOVE], 2, 1),
        ([ABOVE, MAYBE_BELOW], 2, 1),
        ([UNDECIDED], 2, 2),
        ([UNDECIDED, BELOW], 1, 2),
    ],
)
def test_a_worked_case(rows: list[Verdict], above: int, below: int) -> None:
    assert (exit_code(rows, "above"), exit_code(rows, "below")) == (above, below)


def test_the_words() -> None:
    assert [judgement(each, "above") for each in (ABOVE, BELOW, MAYBE_BELOW)] == ["pass", "fail", "not sure"]
