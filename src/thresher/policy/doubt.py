"""How likely each verdict is wrong, what that is expected to cost, and the verdicts that take the costs into account.

All of it follows from :func:`thresher.policy.population.p_above`. A verdict is 1 for above, -1 for below and 0 for
undecided, as in :func:`thresher.policy.ranking.verdict_of`; an undecided arm counts as if a coin decided it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidProblemError
from thresher.types import Bools, Floats, Ints


def p_wrong(verdicts: Ints, p_above: Floats) -> Floats:
    """Return how likely each verdict is wrong, shape (K,).

    Parameters
    ----------
    verdicts : ndarray of int64, shape (K,)
        1, -1 or 0.
    p_above : ndarray of float64, shape (K,)
        How likely each mean is above its threshold.
    """
    return np.where(verdicts > 0, 1.0 - p_above, np.where(verdicts < 0, p_above, 0.5))


def expected_mistakes(
    verdicts: Ints, p_above: Floats, *, false_above: ArrayLike = 1.0, false_below: ArrayLike = 1.0
) -> float:
    """Return what the wrong verdicts are expected to cost together; with unit costs, how many there are.

    Parameters
    ----------
    verdicts, p_above : ndarray, shape (K,)
    false_above, false_below : float or array of shape (K,)
        What it costs to call an arm above that is not, and below that is above; each positive.

    Raises
    ------
    InvalidProblemError
        If a cost is not positive.
    """
    above, below = _costs(false_above, false_below)
    if_above, if_below = above * (1.0 - p_above), below * p_above
    losses = np.where(verdicts > 0, if_above, np.where(verdicts < 0, if_below, 0.5 * (if_above + if_below)))
    return float(losses.sum())


def weighed_verdicts(p_above: Floats, *, false_above: ArrayLike, false_below: ArrayLike) -> Ints:
    r"""Return the verdicts that are expected to cost least, shape (K,): above if that is the lesser risk, else below.

    .. math:: \text{above} \iff p \, c_{\text{below}} > (1 - p) \, c_{\text{above}}

    with :math:`p` the probability of being above and :math:`c` the costs of the two mistakes. For equal costs the
    verdict of a campaign is the side of the empirical mean, not this.

    Parameters
    ----------
    p_above : ndarray of float64, shape (K,)
    false_above, false_below : float or array of shape (K,)
        What it costs to call an arm above that is not, and below that is above; each positive.

    Raises
    ------
    InvalidProblemError
        If a cost is not positive.
    """
    above, below = _costs(false_above, false_below)
    return np.where(p_above * below > (1.0 - p_above) * above, 1, -1).astype(np.int64)


def left_open(p_wrong: Floats, *, level: float) -> Bools:
    """Return which arms to leave open on purpose because their verdict would be wrong more often than `level`.

    Parameters
    ----------
    p_wrong : ndarray of float64, shape (K,)
    level : float
        In [0, 1).

    Raises
    ------
    InvalidProblemError
        If the level is outside [0, 1).
    """
    if not 0.0 <= level < 1.0:
        raise InvalidProblemError(f"level={level:g}", instead="give a chance of being wrong, such as 0.05")
    return np.asarray(p_wrong > level)


def _costs(false_above: ArrayLike, false_below: ArrayLike) -> tuple[Floats, Floats]:
    above, below = np.asarray(false_above, np.float64), np.asarray(false_below, np.float64)
    if not ((above > 0.0).all() and (below > 0.0).all() and np.isfinite(above).all() and np.isfinite(below).all()):
        raise InvalidProblemError("a cost of a mistake that is not positive", instead="give positive, finite costs")
    return above, below
