r"""Always-valid limits and e-values of pools that use what signals foresaw.

Let :math:`R_p(M)` be the test martingale of the first `p` outcomes of an arm's order by themselves, for the sum `M` of
all items, and :math:`J_p^\pm(M)` those of :mod:`thresher.martingales.foreseen`, which refute smaller and larger sums.
All are martingales in the same filtration, that of the arm's random order, so their average

.. math:: Q_p(M) = \tfrac12 R_p(M) + \tfrac14 J_p^+(M) + \tfrac14 J_p^-(M)

is one, and by Ville's inequality it ever reaches :math:`1/\alpha` with probability at most α. All three have the *same*
`p`, the places that are told without a gap: the average of martingales at different times is none. Since that holds for
all `p` at once, it does not matter when one looks. A useless signal costs a factor of two.

The limits are those of two smaller numbers, :math:`\frac12 R_p + \frac14 J_p^+` with :math:`R_p` beyond its least value
replaced by that value, which falls with `M`, and the same with :math:`J_p^-`, which rises. So each limit is found by
halving.

For an arm that got signals after its first ticket, or imported outcomes before it, :math:`Q = R`, of all its outcomes.
Both are known before its first outcome is. Where outcomes were imported later, :math:`Q = \frac12 R`: the other half of
the martingale is given up.

E-values are taken at a stopping time, which must not depend on outcomes at later places of the order. So
:math:`\frac12 E + \frac12 J^+` counts if the outcomes of the arm are the first ones of its order, and
:math:`\frac12 E` while a later one is told before an earlier one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from thresher.martingales import Foreseen
from thresher.problem.statistics import Statistics
from thresher.types import Bools, Floats

if TYPE_CHECKING:
    from thresher.problem.question import Question

HALVINGS = 50  # of the distance to the least refuted sum, where sums are not whole numbers
HALF, QUARTER = math.log(0.5), math.log(0.25)
Limits = tuple[Floats, Floats]


def limits_by_signals(
    question: Question, foreseen: Foreseen, sizes: Floats, alpha: float, *, plain: Limits, halved: Limits
) -> Limits:
    """Return the limits of the mean of every arm, shape (K,) each.

    Parameters
    ----------
    question : Question
        Of a family with a range.
    foreseen : Foreseen
    sizes : ndarray of float64, shape (K,)
    alpha : float
    plain, halved : tuple of ndarray
        The limits by outcomes alone, at `alpha` and at half of it.
    """
    low = _least_kept(question, foreseen, sizes, alpha, 1)
    high = sizes - _least_kept(question, foreseen.mirrored(), sizes, alpha, -1)
    found = []
    for sums, alone, at_half in zip((np.minimum(low, high), np.maximum(low, high)), plain, halved, strict=True):
        ends = question.low + (question.high - question.low) * (sums / sizes)
        found.append(np.where(foreseen.is_used, np.where(foreseen.is_ordered, ends, at_half), alone))
    return found[0], found[1]


def _least_kept(question: Question, foreseen: Foreseen, sizes: Floats, alpha: float, side: int) -> Floats:
    """Return the least sum of all items that is not refuted, as shares of the range; with side -1 all is mirrored."""
    counts, totals = foreseen.counts, foreseen.totals
    own = totals if side > 0 else counts - totals
    least, most = totals, totals + sizes - counts
    is_whole = question.kind.is_coin
    low, high, bar = least - 1.0, most, math.log(1.0 / alpha)
    for _ in range(math.ceil(math.log2(sizes.max() + 2.0)) if is_whole else HALVINGS):
        middle = np.floor(0.5 * (low + high)) if is_whole else 0.5 * (low + high)
        inside = np.clip(middle, least, most)
        sums = inside if side > 0 else sizes - inside
        alone = question.kind.pool_refutation(question, counts, own, sizes, sums, alpha, side)
        evidence = np.logaddexp(alone + HALF, foreseen.log_e_above(sizes, inside) + QUARTER)
        is_refuted = (middle < least) | (evidence >= bar)
        low, high = np.where(is_refuted, middle, low), np.where(is_refuted, high, middle)
    return np.asarray(high if is_whole else np.maximum(low, least))


def log_e_by_signals(
    question: Question, seen: Statistics, foreseen: Foreseen, sizes: Floats, bars: Floats, plain: Floats
) -> Floats:
    """Return the log of the e-value against a mean at or below a bar inside the range, shape (K,).

    `plain` has those of outcomes alone.
    """
    sums = sizes * ((bars - question.low) / (question.high - question.low))
    if question.kind.is_coin:
        sums = _whole(sizes, bars)
    least = foreseen.totals
    inside = np.clip(sums, least, least + sizes - foreseen.counts)
    found = np.logaddexp(plain, foreseen.log_e_above(sizes, inside)) + HALF
    both = np.where(_is_in_turn(seen, foreseen), found, plain + HALF)
    return np.where(foreseen.is_used, both, plain)


def _is_in_turn(seen: Statistics, foreseen: Foreseen) -> Bools:
    """Return whether the outcomes of each arm are the first ones of its order."""
    return np.asarray(foreseen.is_ordered & (seen.counts == foreseen.counts))


def _whole(sizes: Floats, bars: Floats) -> Floats:
    """Return the most ones of a mean at or below the bar."""
    most = np.floor(sizes * bars)
    most = np.where((most + 1.0) / sizes <= bars, most + 1.0, most)
    return np.where(most / sizes > bars, most - 1.0, most)
