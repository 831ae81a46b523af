"""Items that arms share."""

from __future__ import annotations

from typing import ClassVar

from thresher.problem.sampling.pool import PoolSampling
from thresher.problem.structure import Structure
from thresher.types import Bools


class ItemSampling(PoolSampling):
    """Arms answer the same items: the answers of one show how hard an item is for the others.

    Limits and e-values hold for the plain mean of each arm by itself, as those of a pool. Adjusted means and effective
    samples need the answers of all arms: :func:`thresher.inference.answers.answers_of`.
    """

    kind: ClassVar[str] = "items"

    @classmethod
    def takes(cls, structure: Structure) -> bool:
        """Return whether arms share the items."""
        return structure.items is not None

    @property
    def layout(self) -> Bools:
        """Which items each arm has, shape (K, N)."""
        assert self.structure.items is not None
        return self.structure.items
