"""The structure of a question: information in outcomes beyond independent draws of one arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.errors import InvalidInputError
from thresher.types import Bools, Floats, Ints

ITEMS, POOL, NONE = "items", "pool", "none"
POPULATION = "population"  # a target, as ITEMS is
STRUCTURES = (ITEMS, POOL, NONE)


@dataclass(frozen=True, eq=False)
class Structure:
    r"""A finite pool behind every arm: an arm answers each of its items at most once, and the truth is their mean.

    Parameters
    ----------
    sizes : ndarray of int64, shape (K,)
        :math:`N_k \ge 1`, how many items each arm has.
    items : ndarray of bool, shape (K, N), optional
        Which of N shared items each arm has; None where the items of one arm say nothing about those of another.
    target : str
        What the truth of an arm is: the mean of its ``"items"``, or of the ``"population"`` that they are a sample of.
    repeats : int
        How often an arm may be asked an item. With more than one, the truth is the mean over items of the expected
        outcome.
    history : ndarray of float64, shape (H, N), optional
        Outcomes of past arms on the shared items, NaN where there is none.
    proxy : ndarray of float64, shape (K, N), optional
        A cheap score of the answer of each arm to each item, NaN where there is none.

    Raises
    ------
    InvalidInputError
        If an arm has no item, or the arrays disagree.
    """

    sizes: Ints
    items: Bools | None = None
    target: str = ITEMS
    repeats: int = 1
    history: Floats | None = None
    proxy: Floats | None = None

    def __post_init__(self) -> None:
        if self.sizes.ndim != 1 or (self.sizes < 1).any():
            raise InvalidInputError("pool sizes", self.sizes.tolist(), rule="every arm must have at least one item")
        if self.items is not None and not np.array_equal(self.items.sum(axis=1), self.sizes):
            raise InvalidInputError("pool sizes", self.sizes.tolist(), rule="must be the number of items of each arm")

    @property
    def kind(self) -> str:
        """``"items"`` where arms share them, else ``"pool"``."""
        return POOL if self.items is None else ITEMS
