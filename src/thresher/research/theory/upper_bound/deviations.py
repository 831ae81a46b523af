r"""How unlikely it is that the arms together need more than the budget: :math:`P(\sum_k \tau_k(C) > T)`."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from thresher.types import Floats

Deviation: TypeAlias = Literal["half", "root"]

LOG_OF_NEVER = 600.0  # no budget has this logarithm: exp(600) pulls stand for never, and their sums do not overflow


def deviation(left: Floats, needed: Floats, *, form: Deviation) -> Floats:
    r"""Return by how much the budget exceeds what the arms need, in one of the paper's two forms.

    .. math::
        \tfrac12 T - s \quad (\text{half}), \qquad (\sqrt T - \sqrt s)^2 \quad (\text{root}), \qquad s = \sum_k t_k(C)

    :cite:p:`ouhamma2021`, appendix D, the lemma on :math:`\sum_k \tau_k(C)` and the remark after it. The difference
    is :math:`\tfrac12 (\sqrt T - 2 \sqrt s)^2 \ge 0`, so that the root form is never the worse one. Where :math:`s >
    T` the root form is given its negative, which keeps it decreasing in `s`; a bound made of it is above 1 and true.

    Parameters
    ----------
    left : ndarray
        :math:`T \ge 0`, the pulls that are left for these arms.
    needed : ndarray
        :math:`s \ge 0`.
    form : {"half", "root"}
        Which of the two.
    """
    if form == "half":
        return left / 2.0 - needed
    surplus: Floats = np.sqrt(left) - np.sqrt(needed)
    return surplus * np.abs(surplus)


def best_exponents(
    times: Floats, idle_times: Floats, inverse_squares: Floats, *, budget: float, form: Deviation, whole_pulls: bool
) -> Floats:
    r"""Return, for each level, the largest exponent that a set of arms gives to :math:`P(\sum_k \tau_k(C) > T)`.

    .. math::
        \max_S \; \frac{\operatorname{dev}\bigl(T - \sum_{j \notin S} t_{j,0}, \sum_{j \in S} t_j\bigr)}{\sum_{j \in
        S} 1/\Delta_j^2}

    In the half form the best set for a given level holds the arms with :math:`\Delta_j^2 (\tfrac12 t_{j,0} - t_j)`
    above the optimum itself, if that is positive, so that the K + 1 nested sets in that order hold the best of all
    :math:`2^K`. The root form searches the same sets. With the empty set the budget always suffices, and the exponent
    is infinite.

    Parameters
    ----------
    times, idle_times : ndarray of shape (n_levels, n_arms)
        :math:`t_j(C)`, and :math:`t_{j,0}(C)`, infinite where an arm that shows nothing never reaches the level.
    inverse_squares : ndarray of shape (n_arms,)
        :math:`1 / \Delta_j^2`, infinite for an arm at its threshold: it is then outside of every set.
    budget : float
        `T`.
    form : {"half", "root"}
        See :func:`deviation`.
    whole_pulls : bool
        Count whole pulls: :math:`\lceil t_{j,0} \rceil`, and one pull fewer for each arm of the set (see the errata,
        12).

    Returns
    -------
    ndarray of shape (n_levels,)
        In :math:`[-\infty, \infty]`; :math:`-\infty` where no set will do.
    """
    idle_times = np.ceil(idle_times) if whole_pulls else idle_times
    order = np.argsort(-_gain_of_including(times, idle_times, inverse_squares), axis=1, kind="stable")
    needed = _sums_of_heads(np.take_along_axis(times, order, axis=1))
    scale = _sums_of_heads(inverse_squares[order])
    idle = np.take_along_axis(idle_times, order, axis=1)
    left = budget - _sums_of_heads(idle[:, ::-1])[:, ::-1]
    if whole_pulls:
        left = left - np.arange(left.shape[1])
    is_allowed = (left >= 0.0) & np.isfinite(scale)
    left, needed = np.where(is_allowed, left, 0.0), np.where(is_allowed, needed, 0.0)
    exponents = deviation(left[:, 1:], needed[:, 1:], form=form) / np.where(is_allowed, scale, 1.0)[:, 1:]
    best = np.where(is_allowed[:, 1:], exponents, -np.inf).max(axis=1)
    return np.where(is_allowed[:, 0], np.inf, best)


def _gain_of_including(times: Floats, idle_times: Floats, inverse_squares: Floats) -> Floats:
    is_separable = np.broadcast_to(np.isfinite(inverse_squares), times.shape)
    gains = np.full(times.shape, -np.inf)
    np.divide(idle_times / 2.0 - np.where(is_separable, times, 0.0), inverse_squares, out=gains, where=is_separable)
    return gains


def _sums_of_heads(rows: Floats) -> Floats:
    """Return the sums of the first 0, 1, …, K entries of each row."""
    sums = np.zeros((rows.shape[0], rows.shape[1] + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    return sums


__all__ = ["LOG_OF_NEVER", "Deviation", "best_exponents", "deviation"]
