"""A sampling: how the outcomes of an arm relate to the mean that the question is about."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np

from thresher.problem.statistics import Statistics
from thresher.problem.structure import Structure
from thresher.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from thresher.problem.question import Question


class ToldItems(NamedTuple):
    r"""How many outcomes each arm has, of how many items; shape (K,) each.

    Attributes
    ----------
    outcomes, items : ndarray of float64
        Their number, and that of the different items that they are of.
    inverses : ndarray of float64
        :math:`\sum_i 1/n_i` over these items.
    rho : float
        The share of the variance of an outcome that lies between items.
    """

    outcomes: Floats
    items: Floats
    inverses: Floats
    rho: float


class Sampling(ABC):
    """How outcomes of an arm are drawn.

    Attributes
    ----------
    kind : str
        Its name, which is also the value of the parameter `structure` of a policy.
    is_independent : bool
        Whether every outcome is a new draw.
    """

    kind: ClassVar[str]
    is_independent: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def of(cls, structure: Structure | None) -> Self | None:
        """Return how outcomes of a structure are drawn; None if they are drawn in another way."""

    @property
    def whole_sizes(self) -> Ints:
        """How many items each arm has, shape (K,); empty where draws are independent."""
        return np.empty(0, np.int64)

    @property
    def repeats(self) -> int:
        """How often an arm may be asked an item."""
        return 1

    @property
    def cautious_rho(self) -> float:
        """The share of the variance between items that is assumed without repeats to learn it from."""
        return 0.0

    @property
    def layout(self) -> Bools:
        """Which shared items each arm has, shape (K, N); empty if items are not shared."""
        return np.zeros((1, 0), np.bool_)

    @property
    def history(self) -> Floats | None:
        """Outcomes of past arms on the shared items, shape (H, N); None if there are none."""
        return None

    @property
    def proxy(self) -> Floats | None:
        """Cheap scores of the answers of all arms to all items, shape (K, N); None if there are none."""
        return None

    def uses_forecasts(self, question: Question) -> bool:
        """Return whether limits may use forecasts by signals: outcomes have a range, in a random order of the items."""
        return False

    @abstractmethod
    def sizes(self, n_arms: int) -> Floats:
        """Return how many outcomes each arm has, shape (K,); infinite where draws are independent."""

    @abstractmethod
    def limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats]:
        """Return the always-valid limits of the mean of every arm, shape (K,) each; NaN where there are none."""

    @abstractmethod
    def log_e_above(self, question: Question, seen: Statistics, bars: Floats, rho: float) -> Floats:
        """Return the log of the e-value against a mean at or below a bar, shape (K,)."""

    def samples_per_outcome(self, told: ToldItems, shares: Floats) -> Floats:
        r"""Return :math:`\nu/n`, shape (K,): how many independent draws say as much as one outcome; 1 unless a pool."""
        return np.ones_like(told.outcomes)

    def left(self, question: Question, seen: Statistics) -> Floats:
        """Return how many more outcomes each arm can have, shape (K,); infinite where draws are independent."""
        return self.repeats * self.sizes(question.n_arms) - seen.counts

    @property
    def ends_known(self) -> bool:
        """Whether all outcomes that an arm can have tell its mean."""
        return False

    def difference_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        """Return the always-valid limits of the differences of the judged arms from their bar, by both means.

        None if there are none: then each mean gets half of α.
        """
        return None

    def ratio_limits(self, question: Question, seen: Statistics, alpha: float) -> tuple[Floats, Floats] | None:
        r"""Return the always-valid limits of :math:`\mu_k / \mu_0` from both means together; None if there are none."""
        return None

    @abstractmethod
    def attainable_means(self, question: Question, seen: Statistics) -> tuple[Floats, Floats]:
        """Return the least and the largest mean that each arm can still have, shape (K,) each."""

    @abstractmethod
    def certain_sides(self, question: Question, seen: Statistics, bars: Floats) -> Ints:
        """Return 1 or -1 where the outcomes that are left cannot change the side of the mean, else 0; shape (K,).

        Parameters
        ----------
        question : Question
        seen : Statistics
        bars : ndarray of float64, shape (K,)
            The mean is above if it is greater.
        """
