"""From the rows of a campaign to its verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thresher.campaign import Arm, Machine
from thresher.live.verdicts import Verdict, Verdicts
from thresher.policy import verdict_of

WORDS = {1: "above", -1: "below", 0: "undecided"}
_verdict_of = getattr(verdict_of, "py_func", verdict_of)


def judge(machine: Machine, arms: Sequence[Arm]) -> Verdicts:
    """Return the verdict on every arm."""
    rows = [
        Verdict(
            arm=arm.name,
            verdict=WORDS[_verdict_of(machine.urgency.rule_of(arm), float(arm.pulls), arm.total)],
            sure=False,
            mean=arm.total / arm.pulls if arm.pulls else None,
            pulls=arm.pulls,
            low=-math.inf,
            high=math.inf,
            p_wrong=math.nan,
            price=math.nan,
            threshold=arm.threshold,
            outstanding=arm.outstanding,
            retired=bool(arm.retired),
        )
        for arm in arms
    ]
    return Verdicts(rows, expected_mistakes=math.nan)
