"""The families of outcomes: their distributions, noise and valid values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from thresher.errors import UnknownNameError


@dataclass(frozen=True)
class Family:
    """A family of outcome distributions.

    Parameters
    ----------
    name : str
        As in files, on the command line and in databases.
    code : int
        Its code in compiled functions; not stored.
    first_pulls : int
        Number of initial pulls of every arm.
    noise : str
        Where σ comes from: ``"given"``, ``"half"`` (σ = ½), ``"range"`` (half its width), ``"mean"`` (|μ|).
    """

    name: str
    code: int
    noise: str
    summary: str
    first_pulls: int = 1

    @property
    def has_range(self) -> bool:
        """Whether outcomes are between two known numbers."""
        return self.noise in ("half", "range")

    def __reduce__(self) -> tuple[Callable[[str], Family], tuple[str]]:
        """Pickle by name: families are compared by identity."""
        return family, (self.name,)


GAUSSIAN = Family("gaussian", 0, "given", "N(μ, σ²), σ known")
BERNOULLI = Family("bernoulli", 1, "half", "0 or 1")
BOUNDED = Family("bounded", 2, "range", "a scaled Beta on [low, high]")
UNKNOWN_VARIANCE = Family(
    "gaussian-unknown-variance", 3, "given", "N(μ, σ²), σ hidden from the policies", first_pulls=3
)
TWO_POINT = Family("two-point", 4, "mean", "0 or 2μ, each with probability ½ (the paper's toy)")

FAMILIES = {family.name: family for family in (GAUSSIAN, BERNOULLI, BOUNDED, UNKNOWN_VARIANCE, TWO_POINT)}


def family(name: str) -> Family:
    """Return the family of that name.

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests the nearest.
    """
    if name not in FAMILIES:
        raise UnknownNameError("family", name, FAMILIES)
    return FAMILIES[name]


def misfit(family: Family, outcome: float, *, low: float, high: float) -> str | None:
    """Return why an outcome is not valid for this family, or None if it is."""
    if not math.isfinite(outcome):
        return f"{outcome} is not a finite number"
    if family is BERNOULLI and outcome not in (0.0, 1.0):
        return f"{outcome:g} is neither 0 nor 1"
    if family is BOUNDED and not low <= outcome <= high:
        return f"{outcome:g} is outside [{low:g}, {high:g}]"
    return None
