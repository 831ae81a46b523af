r"""Effective samples: the number of independent draws with the same information about the mean of an arm.

The distance of an arm from its bar is known as :math:`N(d, \sigma^2/\nu)`; :math:`\nu` are its effective samples. In
the time scale of :math:`\nu` an arm is one with independent draws, so every index that takes a cost serves it: with the
count :math:`\nu`, the evidence of :math:`\nu`, and the mistake cost :math:`a g`, where :math:`g = d\nu/dn` is the gain,
what one more pull adds. Independent draws have :math:`\nu = n` and :math:`g = 1`.

The simulator and a live campaign take these three numbers from here.
"""

from __future__ import annotations

from typing import NamedTuple

from thresher.inference.evidence import evidence_in_flight
from thresher.jit import njit


class Effective(NamedTuple):
    """What an index is given in place of pulls, evidence and cost: the cost is multiplied by the gain."""

    samples: float
    evidence: float
    gain: float


@njit(cache=True, inline="always")
def effective(count: float, seen: float, evidence: float, size: float, share: float) -> Effective:
    r"""Return the effective samples of an arm that draws without replacement, fewer than its pool has.

    .. math:: \nu = \frac{n}{r (1 - n/N)}, \qquad g = \frac{1}{r (1 - n/N)^2}, \qquad x_\nu = x \, \nu / n

    Of :math:`N` items :math:`n` are known and the rest vary about their own mean: the variance of the mean falls as
    :math:`\sigma^2 (1/n - 1/N)`. The share :math:`r` of the variance is what the other arms' answers to the same items
    leave unexplained.

    Parameters
    ----------
    count, seen : float
        Pulls, :math:`0 < n < N`; and pulls with pseudo-samples, which take no item from the pool.
    evidence : float
        :math:`x \ge 0`, as of `seen` independent draws.
    size : float
        :math:`N`.
    share : float
        :math:`r > 0`; 1 where items are not shared.
    """
    left = 1.0 - count / size
    scale = 1.0 / (share * left)
    return Effective(seen * scale, evidence * scale, scale / left)


@njit(cache=True)
def effective_in_flight(
    count: float, seen: float, evidence: float, outstanding: float, size: float, share: float
) -> Effective:
    r"""Return the effective samples that an arm is expected to have once its outstanding pulls have come back.

    .. math:: \nu' = \nu(n + m), \qquad g' = g(n + m), \qquad
              E[x'] = x \frac{\nu'}{\nu} + \frac12 \Big(\frac{\nu'}{\nu} - 1\Big)

    Parameters
    ----------
    count, seen, evidence, size, share : float
        As for :func:`effective`.
    outstanding : float
        :math:`m \ge 0`, with :math:`n + m < N`.
    """
    now = effective(count, seen, evidence, size, share)
    later = effective(count + outstanding, seen + outstanding, 0.0, size, share)
    expected = evidence_in_flight(now.evidence, now.samples, later.samples - now.samples)
    return Effective(later.samples, expected, later.gain)
