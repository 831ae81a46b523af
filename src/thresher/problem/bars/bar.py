"""What a bar knows: which arms get a verdict, and what each mean is compared with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class ProblemBar(ABC):
    """What the arms of a question are compared with.

    Attributes
    ----------
    name : str
        Its name in :data:`thresher.registries.BARS`.
    is_known : bool
        Whether policies are told the bar.
    """

    name: ClassVar[str]
    is_known: ClassVar[bool]

    @classmethod
    @abstractmethod
    def of(cls, question: Question) -> Self | None:
        """Return the bar of a question; None if it has one of another kind."""

    @abstractmethod
    def judged(self, n_arms: int) -> Ints:
        """Return the arms that get a verdict, in their order."""

    @abstractmethod
    def heights(self, question: Question, means: Floats) -> Floats:
        """Return what each mean is compared with, shape (K,), given the true means."""

    def check(self, question: Question) -> None:
        """Raise InvalidInputError if the bar does not fit the question."""

    def check_truth(self, question: Question, means: Floats) -> None:
        """Raise InvalidInputError if the true means put the bar where no mean can be."""

    def digest(self) -> dict[str, bytes]:
        """Return what distinguishes this bar from others of the same thresholds."""
        return {}

    def summary(self, arms: tuple[str, ...]) -> dict[str, Any]:
        """Return what results say of the bar."""
        return {}
