"""The kind of bar that a question has."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from thresher import registries
from thresher.problem.bars.bar import ProblemBar

if TYPE_CHECKING:
    from thresher.problem.question import Question


@cache
def _kinds() -> list[type[ProblemBar]]:
    return [registries.class_of(kind) for kind in registries.BARS.values()]


def kind_of_bar(question: Question) -> type[ProblemBar]:
    """Return the first kind of bar that takes a question."""
    return next(kind for kind in _kinds() if kind.takes(question))
