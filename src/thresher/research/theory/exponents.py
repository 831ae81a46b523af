r"""How fast losses fall with the budget: :math:`-\log E[L_T] / T`, proved, conjectured and measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from thresher.errors import InvalidInputError
from thresher.types import Floats

#: Exponents as multiples of T / H, with H the sum of 1 / Δ_k²: four upper bounds on the loss, then the lower bound.
MULTIPLES = MappingProxyType(
    {
        "lsa, first proof": 1.0 / 16020.0,  # tao2019, quoted by ouhamma2021, section 1
        "apt, first proof": 1.0 / 32.0,  # locatelli2016, Theorem 2
        "apt, lsa, fwt": 1.0 / 4.0,  # ouhamma2021, Corollary 1 and Eq. (6)
        "non-adaptive oracle": 1.0,  # ouhamma2021, Eq. (5)
        "no policy on every sign pattern": 4.0,  # ouhamma2021, Theorem 1
    }
)


def proved_exponents(gaps: ArrayLike) -> dict[str, float]:
    r"""Return the exponents per pull that the papers prove: the multiples of :math:`1 / \sum_k 1/\Delta_k^2`.

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k > 0`.
    """
    complexity = float((_checked(gaps) ** -2.0).sum())
    return {name: multiple / complexity for name, multiple in MULTIPLES.items()}


def conjectured_complexity(gaps: ArrayLike) -> float:
    r"""Return the λ for which index policies seem to have the exponent :math:`T / \lambda`; a heuristic, not a theorem.

    .. math::
        \lambda = \max_k \lambda_{\max}\Bigl(\operatorname{diag}(1/\Delta_j^2) + v v^\top\Bigr)_{j \ne k}, \qquad v_j
        = 1/\Delta_j

    The cheapest error of arm `k`: its first sample errs by a large margin, at a price of `C`, and the others stay
    below the level `C` while they take the whole budget, at a price of :math:`\sum_j (\Delta_j \sqrt{n_j} - \sqrt
    C)^2`. It lies between :math:`H = \sum_k 1/\Delta_k^2`, for equal gaps, and 2H. The maximum leaves out an arm of
    largest gap, and λ is then the root above all :math:`1/\Delta_j^2` of :math:`\sum_j (1/\Delta_j^2) / (\lambda -
    1/\Delta_j^2) = 1`.

    Parameters
    ----------
    gaps : array_like of shape (n_arms,)
        :math:`\Delta_k > 0`.
    """
    from scipy.optimize import brentq

    weights = np.sort(_checked(gaps) ** -2.0)
    if weights.size == 1:
        return float(weights[0])
    others = weights[1:]
    top = float(others[-1])
    if others.size == 1:
        return 2.0 * top
    shares = others / top  # in (0, 1]: the root lies in [2, 2 n], whatever the scale
    root = brentq(lambda scaled: float((shares / (scaled - shares)).sum()) - 1.0, 2.0, 2.0 * shares.size, xtol=1e-14)
    return float(root) * top


@dataclass(frozen=True)
class MeasuredExponents:
    r"""Exponents per pull, from losses that were measured.

    Parameters
    ----------
    rates : ndarray of shape (n_budgets,)
        :math:`-\log L_T / T`; infinite where no mistake was seen.
    slope : float or None
        Slope of :math:`-\log L_T` against `T` by least squares, over the budgets with a loss; None if there are fewer
        than two. Factors in front of the exponential leave it alone, as far as they do not depend on `T`.
    """

    rates: Floats = field(compare=False)
    slope: float | None


def empirical_exponent(budgets: ArrayLike, losses: ArrayLike) -> MeasuredExponents:
    """Return the exponents of losses at several budgets, to be compared with :func:`proved_exponents`.

    Parameters
    ----------
    budgets, losses : array_like of shape (n_budgets,)
        Budgets above 0 and mean losses, none below 0.

    Raises
    ------
    InvalidInputError
        If the shapes differ or a number is out of range.
    """
    spent, lost = np.asarray(budgets, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if spent.shape != lost.shape or spent.ndim != 1 or not np.all(spent > 0.0) or not np.all(lost >= 0.0):
        raise InvalidInputError(
            "losses",
            lost.tolist(),
            rule="must be one number of at least 0 for each budget, and every budget must be positive",
        )
    with np.errstate(divide="ignore"):
        falls = -np.log(lost)
    seen = np.isfinite(falls)
    centred = spent[seen] - spent[seen].mean() if np.any(seen) else spent[seen]
    spread = float(centred @ centred)
    slope = float(centred @ falls[seen]) / spread if spread > 0.0 else None
    return MeasuredExponents(rates=falls / spent, slope=slope)


def _checked(gaps: ArrayLike) -> Floats:
    sizes = np.asarray(gaps, dtype=np.float64)
    if sizes.ndim != 1 or not sizes.size or not np.all((sizes > 0.0) & np.isfinite(sizes)):
        raise InvalidInputError(
            "gaps", sizes.tolist(), rule="must be positive and finite", fix="leave out the arms on their threshold"
        )
    return sizes


__all__ = ["MULTIPLES", "MeasuredExponents", "conjectured_complexity", "empirical_exponent", "proved_exponents"]
