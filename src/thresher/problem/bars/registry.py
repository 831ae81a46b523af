"""The bar of a question."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from thresher import registries
from thresher.problem.bars.bar import ProblemBar

if TYPE_CHECKING:
    from thresher.problem.question import Question


@cache
def _kinds() -> list[type[ProblemBar]]:
    return [registries.class_of(bar.problem) for bar in registries.BARS.values()]


def bar_of_question(question: Question) -> ProblemBar:
    """Return the bar of a question: of the first kind that it is of."""
    return next(bar for kind in _kinds() if (bar := kind.of(question)) is not None)
