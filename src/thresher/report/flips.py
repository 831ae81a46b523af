"""What another bar would change, in words."""

from __future__ import annotations

from collections.abc import Sequence

KEPT = "The campaign keeps its own."


def flips_clause(changed: Sequence[object], n_arms: int) -> str:
    """Return how many decisions would change, without a full stop."""
    if not changed:
        return "With this bar every decision would be the same"
    return f"With this bar {len(changed):,} of {n_arms:,} decisions would change"
