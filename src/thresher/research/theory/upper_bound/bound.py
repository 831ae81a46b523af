"""The result of every upper bound: a number, whether it applies here, and whether it is vacuous."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from thresher.types import Floats

LARGEST_LOG = 709.0  # exp of more overflows a float
ROUNDING = 1e-12  # a sum of K capped terms is vacuous, whatever the last digit of its logarithm


@dataclass(frozen=True, kw_only=True)
class Bound:
    r"""An upper bound on an expected loss, kept as its logarithm.

    Parameters
    ----------
    log_value : float
        Natural logarithm of the bound; the bound itself may be far below the least float.
    worst : float
        :math:`\ge 0`, the loss with every arm on the wrong side: a bound of that size is trivial.
    applies : bool
        Whether the conditions under which the bound is proved hold here.
    """

    log_value: float
    worst: float
    applies: bool = True

    @property
    def value(self) -> float:
        """The bound; 0 below the least float and infinity above the largest."""
        return math.exp(self.log_value) if self.log_value < LARGEST_LOG else math.inf

    @property
    def is_vacuous(self) -> bool:
        """Whether the bound is at least the loss with every arm on the wrong side."""
        return self.worst == 0.0 or self.log_value >= math.log(self.worst) - ROUNDING

    @property
    def number(self) -> float | None:
        """The bound where it applies, else None: what a table or a JSON file shows."""
        return self.value if self.applies and math.isfinite(self.value) else None


@dataclass(frozen=True, kw_only=True)
class LevelledBound(Bound):
    """A bound whose free levels :math:`C_k` were chosen, one for each arm.

    Parameters
    ----------
    levels : ndarray of shape (n_arms,)
        The index value :math:`C_k` that every arm is required to reach, in the share of arm `k`.
    log_shares : ndarray of shape (n_arms,)
        Logarithm of what the bound charges arm `k`; it is the sum of these.
    """

    levels: Floats = field(repr=False, compare=False)
    log_shares: Floats = field(repr=False, compare=False)


def log_sum(logs: Floats) -> float:
    """Return the logarithm of a sum of exponentials, without overflow."""
    return float(np.logaddexp.reduce(logs)) if logs.size else -math.inf


__all__ = ["Bound", "LevelledBound", "log_sum"]
