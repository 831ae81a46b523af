"""Where a bar is: the arms that get a verdict, and the value with which each mean is compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from thresher.types import Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


@dataclass(frozen=True, eq=False)
class ProblemBar(ABC):
    """What the arms of a question are compared with.

    A kind of bar also computes decisions and intervals from outcomes. It is one class, in
    :mod:`thresher.inference.bars`.

    Parameters
    ----------
    question : Question

    Attributes
    ----------
    is_known : bool
        Whether policies are given the bar.
    """

    is_known: ClassVar[bool]
    question: Question

    @classmethod
    @abstractmethod
    def takes(cls, question: Question) -> bool:
        """Return whether the bar of a question is of this kind."""

    @property
    @abstractmethod
    def judged(self) -> Ints:
        """The arms that get a verdict, in their order."""

    @abstractmethod
    def heights(self, means: Floats) -> Floats:
        """Return the bar of each mean, shape (K,), given the true means."""

    def check(self) -> None:
        """Raise InvalidInputError if the bar does not fit the question."""

    def check_truth(self, means: Floats) -> None:
        """Raise InvalidInputError if the true means put the bar where no mean can be."""

    def digest(self) -> dict[str, bytes]:
        """Return what distinguishes this bar from others of the same thresholds."""
        return {}

    def summary(self) -> dict[str, Any]:
        """Return the bar in the words of results."""
        return {}
