"""Gaps, mistake costs and pull costs of the arms, checked once for all of theory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.types import Bools, Floats

SMALLEST, LARGEST = 1e-60, 1e60  # within them no square and no product of two more numbers overflows


@dataclass(frozen=True, eq=False)
class ArmRates:
    """Rates, mistake costs and pull costs of K arms.

    A rate of 0 is an arm whose mean is its threshold: no verdict on it is wrong. Everywhere in this package it gets no
    sample and costs nothing.

    Parameters
    ----------
    rates : array of float, shape (K,)
        What one sample tells of the arm, 0 or in [1e-60, 1e60]: a gap, its square or a divergence, as the caller says.
    costs : array of float, shape (K,)
        :math:`a_k`, what a mistake costs, in [1e-60, 1e60].
    pull_costs : array of float, shape (K,)
        :math:`m_k`, what a sample costs in the unit of the budget, in [1e-60, 1e60].

    Raises
    ------
    InvalidInputError
        For arrays of different lengths, an empty one, or a number outside these ranges.
    """

    rates: Floats
    costs: Floats
    pull_costs: Floats

    def __post_init__(self) -> None:
        if self.rates.ndim != 1 or not self.rates.size:
            raise InvalidInputError("shape of the gaps", self.rates.shape, rule="must be one number for each arm")
        _within("gap or divergence", self.rates[self.rates != 0.0], or_else="0, or ")
        _within("mistake cost", self.costs)
        _within("pull cost", self.pull_costs)

    @classmethod
    def of(cls, rates: ArrayLike, costs: ArrayLike | None = None, pull_costs: ArrayLike | None = None) -> ArmRates:
        """Return the arms of these numbers; costs left out are 1, and a scalar cost stands for all arms."""
        kept = np.asarray(rates, dtype=np.float64)
        return cls(kept, _for_each(kept, "costs", costs), _for_each(kept, "pull_costs", pull_costs))

    @property
    def judged(self) -> Bools:
        """Whether each arm can be misjudged at all: its rate is not 0."""
        return self.rates > 0.0


def checked_budget(budget: float) -> float:
    """Return the budget as a float in [0, 1e60].

    Raises
    ------
    InvalidInputError
        When it is negative, infinite or not a number.
    """
    if not 0.0 <= budget <= LARGEST:
        raise InvalidInputError("budget", budget, rule="must be from 0 to 1e60")
    return float(budget)


def _for_each(rates: Floats, name: str, values: ArrayLike | None) -> Floats:
    given = np.asarray(1.0 if values is None else values, dtype=np.float64)
    if given.ndim and given.shape != rates.shape:
        raise InvalidInputError(
            f"shape of {name}", given.shape, rule=f"must be that of the gaps, {rates.shape}", fix="or give one number"
        )
    return np.broadcast_to(given, rates.shape)


def _within(name: str, values: Floats, *, or_else: str = "") -> None:
    wrong = ~((values >= SMALLEST) & (values <= LARGEST))
    if wrong.any():
        raise InvalidInputError(
            name, float(values[wrong][0]), rule=f"must be {or_else}from {exact(SMALLEST)} to {exact(LARGEST)}"
        )
