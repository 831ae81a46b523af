"""The question: arms whose means are points, a region, and how near to its boundary an arm is forgiven."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.feasible.region import Region
from thresher.errors import InvalidInputError, UnknownNameError
from thresher.types import Bools, Floats

FAMILIES = ("gaussian", "bernoulli")


@dataclass(frozen=True, eq=False, kw_only=True)
class FeasibleProblem:
    r"""K arms of D coordinates, of each of which it is asked whether its mean lies in a region.

    Parameters
    ----------
    means : array, shape (K, D)
        :math:`\mu_i`, the truth, which policies do not see.
    region : Region
        The bar, with D coordinates.
    tolerance : float
        :math:`\epsilon \ge 0`. It enters the margins, and an arm nearer to the boundary is forgiven.
    family : str
        ``gaussian``: every coordinate has standard deviation `sigma`; ``bernoulli``: every one is 0 or 1. Coordinates
        are independent.
    sigma : float
        Of Gaussian coordinates.
    name : str
        What results call this problem.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If a number is not finite or out of its range, or shapes do not fit.
    """

    means: Floats
    region: Region
    tolerance: float = 0.0
    family: str = "gaussian"
    sigma: float = 1.0
    name: str = "problem"

    def __post_init__(self) -> None:
        means = np.array(self.means, dtype=np.float64)
        if means.ndim != 2 or means.size == 0 or not np.isfinite(means).all():
            raise InvalidInputError("means", means.tolist(), rule="must be finite numbers, one row for each arm")
        if means.shape[1] != self.region.dimension:
            raise InvalidInputError(
                "number of coordinates of the means",
                means.shape[1],
                rule=f"must be that of the region ({self.region.dimension})",
            )
        if self.family not in FAMILIES:
            raise UnknownNameError("family of several coordinates", self.family, FAMILIES)
        if self.family == "bernoulli" and not ((means >= 0.0) & (means <= 1.0)).all():
            raise InvalidInputError("means of 0/1 outcomes", means.tolist(), rule="must be from 0 to 1")
        if not (self.sigma > 0.0 and math.isfinite(self.sigma)):
            raise InvalidInputError("sigma", self.sigma, rule="must be a positive number")
        if not (self.tolerance >= 0.0 and math.isfinite(self.tolerance)):
            raise InvalidInputError("tolerance", self.tolerance, rule="must be 0 or a positive number")
        means.flags.writeable = False
        object.__setattr__(self, "means", means)

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], FeasibleProblem], tuple[dict[str, Any]]]:
        """Travel through the constructor, so that frozen arrays stay frozen."""
        return _rebuild, ({key: getattr(self, key) for key in self.__dataclass_fields__},)

    @property
    def n_arms(self) -> int:
        """K, the number of arms."""
        return int(self.means.shape[0])

    @property
    def is_inside(self) -> Bools:
        """The right answers, shape (K,)."""
        return self.region.contains(self.means)

    @property
    def margins(self) -> Floats:
        r"""Margins of the arms, shape (K,).

        .. math:: \Delta_i = \begin{cases} \min_j b_j - a_j^\top\mu_i + \epsilon & \mu_i \in P \\
                  \mathrm{dist}(\mu_i, P) + \epsilon & \mu_i \notin P \end{cases}

        :cite:p:`katz-samuels2018`, Eq. (2).
        """
        return np.abs(self.region.depths(self.means)) + self.tolerance

    @property
    def matters(self) -> Bools:
        r"""Which arms must not be misjudged, shape (K,).

        Those inside by :math:`\epsilon` or more, and those outside by more than :math:`\epsilon`; the others are
        forgiven (:cite:p:`katz-samuels2018`, section 3: the error measure).
        """
        depths = self.region.depths(self.means)
        return np.where(depths >= 0.0, depths >= self.tolerance, -depths > self.tolerance)

    @property
    def difficulty(self) -> float:
        r"""How hard it is, :math:`H = \sum_i \Delta_i^{-2}`; infinite if an arm has margin 0."""
        margins = self.margins
        return float((margins**-2.0).sum()) if (margins > 0.0).all() else math.inf


def _rebuild(fields: dict[str, Any]) -> FeasibleProblem:
    return FeasibleProblem(**fields)
