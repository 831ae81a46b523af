r"""One 0/1 arm with a prior on its mean and a price per sample, solved exactly: comparison with a known standard.

After :math:`n` samples with :math:`s` ones let :math:`e(n, s)` be the posterior probability that the better verdict is
wrong and :math:`q(n, s)` the probability that the next sample is a one. With a price :math:`c` per sample the least
expected cost of mistakes and samples together is

.. math:: V(n, s) = \min\{ e(n, s), \; c + q V(n+1, s+1) + (1 - q) V(n+1, s) \}.

:cite:p:`xie2013` solve this problem, with a sampling cost, by optimal stopping. The state :math:`(n, s)` is at place
:math:`n (n + 1) / 2 + s` of the arrays here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.jit import kernel
from thresher.types import Floats

DEAREST = 0.5  # no sample saves more than half a mistake


@dataclass(frozen=True)
class BetaPrior:
    """Means that are drawn from Beta(a, b).

    Parameters
    ----------
    a, b : float
        Both positive.
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            value = getattr(self, name)
            if not (value > 0.0 and math.isfinite(value)):
                raise InvalidInputError(f"{name} of the Beta prior", value, rule="must be positive and finite")


@dataclass(frozen=True)
class TablePrior:
    """Means that are drawn from a table, each value with the same probability.

    Parameters
    ----------
    values : tuple of float
        In [0, 1], at least one.
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values or not all(0.0 <= value <= 1.0 for value in self.values):
            raise InvalidInputError("values of the table prior", self.values, rule="must be numbers from 0 to 1")


class Posteriors(NamedTuple):
    """The posterior of an arm in every state up to a depth; arrays of shape ((D + 1)(D + 2) / 2,).

    Attributes
    ----------
    above : ndarray of float64
        Probability that the mean is above the threshold.
    errors : ndarray of float64
        Probability that the better verdict is wrong; a mean on the threshold is never misjudged.
    ones : ndarray of float64
        Probability that the next sample is a one.
    """

    above: Floats
    errors: Floats
    ones: Floats


@lru_cache(maxsize=4)
def posteriors_of(prior: BetaPrior | TablePrior, threshold: float, depth: int) -> Posteriors:
    """Return the posterior of an arm in every state up to a depth.

    Parameters
    ----------
    prior : BetaPrior or TablePrior
    threshold : float
        In (0, 1).
    depth : int
        Samples of the arm, at least 1.

    Raises
    ------
    InvalidInputError
        If the threshold is out of range.
    """
    if not 0.0 < threshold < 1.0:
        raise InvalidInputError("threshold", threshold, rule="must be between 0 and 1 (exclusive)")
    if isinstance(prior, TablePrior):
        values, counts = np.unique(prior.values, return_counts=True)
        return Posteriors(*_table_posteriors(values, counts / counts.sum(), threshold, depth))
    from scipy.special import betainc

    samples = np.repeat(np.arange(depth + 1), np.arange(1, depth + 2))
    ones = np.arange(samples.size) - samples * (samples + 1) // 2
    below = betainc(prior.a + ones, prior.b + samples - ones, threshold)
    return Posteriors(1.0 - below, np.minimum(below, 1.0 - below), (prior.a + ones) / (prior.a + prior.b + samples))


@kernel
def _table_posteriors(values: Floats, weights: Floats, threshold: float, depth: int) -> tuple[Floats, Floats, Floats]:
    """Return the arrays of :class:`Posteriors` for a prior on distinct values.

    A posterior follows from that of one sample less. Of the two such states it is the one whose share of ones is nearer
    to one half: on that way no value of weight ever has so little that it would be rounded to 0.
    """
    size = (depth + 1) * (depth + 2) // 2
    above, errors, ones = np.empty(size), np.empty(size), np.empty(size)
    posterior = np.empty((depth + 1, values.size))
    posterior[0] = weights
    for n in range(depth + 1):
        for s in range(n, -1, -1):
            is_one = 2 * s > n
            before, after = posterior[s - 1 if is_one else s], posterior[s]
            mass = high = low = mean = 0.0
            for j in range(values.size):
                chance = 1.0 if n == 0 else values[j] if is_one else 1.0 - values[j]
                part = before[j] * chance
                after[j] = part
                mass += part
                mean += part * values[j]
                high += part if values[j] > threshold else 0.0
                low += part if values[j] < threshold else 0.0
            place = n * (n + 1) // 2 + s
            if mass == 0.0:  # no value gives these samples
                above[place], errors[place], ones[place] = 0.5, 0.0, 0.5
                continue
            for j in range(values.size):
                after[j] /= mass
            above[place], errors[place], ones[place] = high / mass, min(high, low) / mass, mean / mass
    return above, errors, ones


@kernel
def least_cost(errors: Floats, ones: Floats, depth: int, price: float) -> float:
    r"""Return :math:`V(0, 0)`, or less: at the last depth an arm pays its error, or one more sample at least.

    Parameters
    ----------
    errors, ones : ndarray of float64
        Of :class:`Posteriors`.
    depth : int
    price : float
        Positive.
    """
    costs = np.empty(depth + 1)
    last = depth * (depth + 1) // 2
    for s in range(depth + 1):
        costs[s] = min(errors[last + s], price)
    for n in range(depth - 1, -1, -1):
        row = n * (n + 1) // 2
        for s in range(n + 1):
            q = ones[row + s]
            costs[s] = min(errors[row + s], price + q * costs[s + 1] + (1.0 - q) * costs[s])
    return float(costs[0])


@kernel
def sample_prices(errors: Floats, ones: Floats, depth: int, grid: Floats) -> Floats:
    r"""Return the price at which one more sample breaks even, in every state above the last depth.

    The cost of going on rises with the price and the cost of stopping does not depend on it, so there is one such
    price. It is interpolated in the logarithm between two prices of the grid.

    Parameters
    ----------
    errors, ones : ndarray of float64
        Of :class:`Posteriors`.
    depth : int
        At the last depth an arm stops.
    grid : ndarray of float64
        Prices, decreasing; a state in which none of them pays has the price 0.
    """
    size = depth * (depth + 1) // 2
    found, missed = np.zeros(size), np.zeros(size)
    costs = np.empty(depth + 1)
    for i in range(grid.size):
        price = grid[i]
        for s in range(depth + 1):
            costs[s] = errors[size + s]
        for n in range(depth - 1, -1, -1):
            row = n * (n + 1) // 2
            for s in range(n + 1):
                q, place = ones[row + s], row + s
                on = price + q * costs[s + 1] + (1.0 - q) * costs[s]
                costs[s] = min(errors[place], on)
                loss = on - errors[place]
                if loss >= 0.0:
                    missed[place] = loss
                elif found[place] == 0.0:
                    share = missed[place] / (missed[place] - loss) if i else 0.0
                    before = grid[i - 1] if i else price
                    found[place] = before * (price / before) ** share
    return found
