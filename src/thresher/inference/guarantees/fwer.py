"""The chance of any wrong decision at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from thresher.inference.guarantees.guarantee import Decided, Guarantee

if TYPE_CHECKING:
    from thresher.inference.decisions import GuaranteeCase


class Fwer(Guarantee):
    """The always-valid interval at level ``risk / K`` excludes the bar: no wrong decision at all, at any look."""

    name: ClassVar[str] = "fwer"
    promise: ClassVar[str] = "a chance of any wrong decision of at most {risk}"
    is_shared: ClassVar[bool] = True

    def decide(self, case: GuaranteeCase) -> Decided:
        """Return which always-valid intervals at the level of one arm exclude the bar."""
        found = case.bar.limits(case.seen, alpha=case.risk / case.sides.size)
        return case.excluded(found), lambda _: found

    def valid_level(self, risk: float, n_arms: int) -> float | None:
        """Return the level of one arm."""
        return risk / max(n_arms, 1)

    def share(self, risk: float, n_arms: int) -> float:
        """Return the level of one arm."""
        return risk / n_arms
