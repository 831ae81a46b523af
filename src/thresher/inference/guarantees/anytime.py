"""The chance of error of each arm, however often one looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from thresher.inference.guarantees.guarantee import Decided, Guarantee

if TYPE_CHECKING:
    from thresher.inference.decisions import GuaranteeCase


class Anytime(Guarantee):
    """The always-valid interval at level `risk` excludes the bar, for each arm and at every look."""

    name: ClassVar[str] = "anytime"
    promise: ClassVar[str] = "a chance of error of at most {risk} for each arm, at every look"

    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which always-valid intervals exclude the bar."""
        return case.is_proven, lambda _: case.limits

    def valid_level(self, risk: float, n_arms: int) -> float | None:
        """Return the risk."""
        return risk
