"""Where every run of a problem draws its own means."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from thresher.errors import InvalidProblemError


@dataclass(frozen=True)
class Population:
    """Where every run draws its own means.

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

    def __post_init__(self) -> None:
        if self.kind not in ("gaussian", "beta", "table"):
            raise InvalidProblemError(f"population {self.kind!r}", instead="use 'gaussian' or 'beta'")
        if (self.kind == "table") != bool(self.values) or not np.isfinite(self.values).all():
            raise InvalidProblemError(
                f"a population {self.kind!r} of {len(self.values)} values", instead="give finite ones to a table only"
            )
        if self.kind == "table":
            return
        positive = (self.second,) if self.kind == "gaussian" else (self.first, self.second)
        if not np.isfinite(self.first) or not all(np.isfinite(p) and p > 0 for p in positive):
            raise InvalidProblemError(
                f"{self} is no distribution", instead="its spread, or both Beta parameters, must be positive"
            )
