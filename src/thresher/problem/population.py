"""Populations of means, from which every run draws."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from thresher.errors import InvalidInputError


@dataclass(frozen=True)
class Population:
    """The population from which every run draws its means.

    Parameters
    ----------
    kind : str
        ``gaussian`` N(first, second²), ``beta`` Beta(first, second), or ``table``: one of `values`, all alike.
    first, second : float
    values : tuple of float
        Of a table only.
    """

    kind: str
    first: float = 0.0
    second: float = 0.0
    values: tuple[float, ...] = field(default=(), repr=False)

    @property
    def mean(self) -> float:
        """Mean of the means."""
        if self.kind == "table":
            return float(np.mean(self.values))
        return self.first / (self.first + self.second) if self.kind == "beta" else self.first

    @property
    def spread(self) -> float:
        """Standard deviation of the means."""
        if self.kind == "table":
            return float(np.std(self.values))
        if self.kind == "beta":
            return float(np.sqrt(self.mean * (1.0 - self.mean) / (self.first + self.second + 1.0)))
        return self.second

    def __post_init__(self) -> None:
        if self.kind not in ("gaussian", "beta", "table"):
            raise InvalidInputError("kind of the population", self.kind, rule="must be 'gaussian', 'beta' or 'table'")
        if (self.kind == "table") != bool(self.values) or not np.isfinite(self.values).all():
            raise InvalidInputError(
                f"values of the {self.kind} population",
                self.values,
                rule="must be finite numbers for a table, and none otherwise",
            )
        if self.kind == "table":
            return
        positive = (self.second,) if self.kind == "gaussian" else (self.first, self.second)
        if not np.isfinite(self.first) or not all(np.isfinite(p) and p > 0 for p in positive):
            raise InvalidInputError(
                "population", self, rule="its spread, or both Beta parameters, must be positive and finite"
            )
