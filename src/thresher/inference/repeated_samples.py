r"""Effective samples of arms whose items may be asked several times, or stand for a population.

Of the variance of an outcome the share :math:`\rho` lies between items and the rest within them. With `m` of `N` items
answered, :math:`n_i` times item `i`, the mean over items of the items' means is known as by :math:`\nu` independent
draws:

.. math:: \frac1\nu = r \rho \frac{1 - m/N}{m} + (1 - \rho) \frac{\sum_i 1/n_i}{m^2}

where other arms' answers leave the share :math:`r` of what lies between items. If the items stand for a population,
:math:`\rho/N` is added: the mean of all `N` items is that of a sample. With :math:`r = 1` this is
:math:`\rho/m + (1 - \rho) \sum_i (1/n_i)/m^2`.
"""

from __future__ import annotations

from typing import NamedTuple

from thresher.inference.effective_samples import Effective
from thresher.inference.evidence import evidence_in_flight
from thresher.jit import njit
from thresher.problem.sampling import early_repeats, repeated_before

LEAST = 1e-12  # of the variance: a mean is never known exactly


class Variance(NamedTuple):
    r"""What the variance of a mean over items is made of.

    Attributes
    ----------
    rho : float
        :math:`\rho`, from 0 to 1.
    share : float
        :math:`r`, what other arms' answers leave of the variance between items.
    for_population : bool
        Whether the items stand for a population.
    """

    rho: float
    share: float
    for_population: bool


class Answered(NamedTuple):
    """How many items an arm has answered, and the sum of one over the number of outcomes of each."""

    items: float
    inverses: float


@njit(cache=True)
def answered(count: int, size: int, repeats: int) -> Answered:
    """Return the items that an arm has answered by its first `count` outcomes."""
    early = early_repeats(size, repeats)
    if count < size + early:
        before = repeated_before(count, size, repeats)
        return Answered(float(count - before), float(count - 2 * before) + 0.5 * before)
    passes, rest = count // size, count % size
    return Answered(float(size), rest / (passes + 1.0) + (size - rest) / float(passes))


@njit(cache=True)
def effective_samples(told: Answered, size: float, variance: Variance) -> float:
    r"""Return :math:`\nu` of an arm that has answered at least one item."""
    rho, m = variance.rho, told.items
    between = variance.share * rho * (1.0 - m / size) / m
    if variance.for_population:
        between += rho / size
    return 1.0 / max(between + (1.0 - rho) * told.inverses / (m * m), LEAST)


@njit(cache=True)
def repeated_in_flight(
    count: int, seen: float, evidence: float, outstanding: int, size: int, repeats: int, variance: Variance
) -> Effective:
    r"""Return the effective samples that an arm is expected to have once its outstanding pulls have come back.

    As :func:`thresher.inference.effective_samples.effective_in_flight`, with the items in the order of
    :mod:`thresher.problem.sampling.repeats`. The gain is that of the next outcome; that of an early repeat is the mean
    of its own and the next one, because an early repeat is worth nothing by itself where outcomes of an item agree.

    Parameters
    ----------
    count, outstanding : int
        Outcomes told, at least one; pulls outstanding, not all that are left.
    seen, evidence : float
        Outcomes with pseudo-samples, and the evidence of so many independent draws.
    size, repeats : int
        Items, and how often each may be asked.
    variance : Variance
    """
    later = count + outstanding
    now = effective_samples(answered(count, size, repeats), size, variance)
    then = effective_samples(answered(later, size, repeats), size, variance)
    next_two = answered(min(later + 2, size * repeats), size, repeats)
    after = effective_samples(answered(later + 1, size, repeats), size, variance)
    gain = after - then
    if repeated_before(later + 1, size, repeats) > repeated_before(later, size, repeats):
        gain = 0.5 * (effective_samples(next_two, size, variance) - then)
    before, scaled = seen * now / count, (seen + outstanding) * then / later
    expected = evidence_in_flight(evidence * now / count, before, max(scaled - before, 0.0))
    return Effective(scaled, expected, max(gain, 0.0))
