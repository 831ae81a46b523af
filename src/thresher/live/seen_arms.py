"""The question that the arms of a campaign ask, and what was seen of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thresher.campaign import Arm, Terms, amount_of
from thresher.policy import Seen
from thresher.problem import Question, Structure
from thresher.types import Floats


def question_of(terms: Terms, arms: Sequence[Arm], *, items: int = 0) -> Question:
    """Return the question that these arms ask, each with so many items."""
    return terms.question(
        thresholds=[arm.threshold for arm in arms],
        sigma=[arm.sigma for arm in arms],
        arms=[arm.name for arm in arms],
        costs=[arm.cost for arm in arms],
        pull_costs=[amount_of(arm.pull_cost) for arm in arms],
        structure=Structure(np.full(len(arms), items)) if items else None,
    )


def seen_of(arms: Sequence[Arm]) -> Seen:
    """Return what was seen of these arms."""

    def column(name: str) -> Floats:
        return np.array([getattr(arm, name) for arm in arms], dtype=np.float64)

    return Seen(column("pulls"), column("total"), column("squares"))
