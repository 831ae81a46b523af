"""The exit code follows the decisions."""

from typing import Any

import pytest

from thresher.live import Verdict
from thresher.runner.judgement import exit_code


def row(decision: str) -> Verdict:
    """Return a row of which only the decision matters."""
    rest: dict[str, Any] = dict.fromkeys(Verdict._fields[1:], 0)
    return Verdict(**rest | {"arm": "x", "decision": decision})


@pytest.mark.parametrize(
    ("decisions", "code"),
    [
        (["pass", "pass"], 0),
        (["pass", "fail", "open"], 1),
        (["pass", "open"], 2),
        (["open"], 2),
    ],
)
def test_a_worked_case(decisions: list[str], code: int) -> None:
    assert exit_code(map(row, decisions)) == code
