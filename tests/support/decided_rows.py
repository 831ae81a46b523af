"""Rows of arms in every state, and how a campaign stands, for the tests of words, tables and next steps."""

import math
from dataclasses import dataclass
from typing import Any

from thresher.campaign import Verdict


@dataclass(frozen=True)
class Row:
    """What is known of an arm."""

    arm: str = "a"
    verdict: str = "above"
    decision: str = "pass"
    proven: bool = False
    within: bool = False
    mean: float | None = 0.75
    pulls: int = 4
    low: float = 0.55
    high: float = 0.9
    p_wrong: float = 0.01
    threshold: float = 0.5
    valid_low: float = 0.4
    valid_high: float = 0.95
    retired: bool = False


@dataclass(frozen=True)
class Standing:
    """The state of a campaign."""

    status: str = "ended"
    is_open: bool = False
    budget: float = 300.0
    spent: float = 300.0
    told: int = 300
    items: int = 0


PASS = Row("good", proven=True)
FAIL = Row("bad", "below", "fail", mean=0.1, low=0.02, high=0.3, p_wrong=0.002)
LEANS = Row("near", "above", "open", mean=0.6, low=math.nan, high=math.nan, p_wrong=0.2)
TOSS = Row("even", "below", "open", mean=0.5, p_wrong=0.4)
NEW = Row("new", "undecided", "open", mean=None, pulls=0, low=-math.inf, high=math.inf, p_wrong=0.5)
ROWS = [NEW, TOSS, LEANS, FAIL, PASS]


def versus_control(arm: str, mean: float | None, **given: Any) -> Verdict:
    """Return the row of an arm with a control of mean 0.3."""
    numbers: dict[str, Any] = {"difference": None, "lift": None} if mean is None else {
        "difference": mean - 0.3, "lift": 100 * (mean / 0.3 - 1), "lift_low": -2.0, "lift_high": 31.5,
    }  # fmt: skip
    usual: dict[str, Any] = {"pulls": 0 if mean is None else 1200, "low": -0.01, "high": 0.12, "p_wrong": 0.02}
    usual |= {"verdict": "above", "price": 0.0, "threshold": 0.29, "outstanding": 0, "retired": False}
    return Verdict(arm=arm, mean=mean, **(usual | numbers | given))
