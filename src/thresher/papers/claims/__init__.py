"""Every checkable sentence of the paper, where it stands, what became of it, and the check that holds us to it.

``CLAIMS`` has them by name, in the order of the paper. The gallery and ``docs/explanation/claims.md`` are made of these
rows, and a test runs the check of each.
"""

from thresher.papers.claims import (
    adaptivity,
    algorithm,
    allocations,
    bound_figures,
    bounds,
    confidence,
    experiments,
    feasible,
    lower_bounds,
    neighbours,
    proofs,
)
from thresher.papers.claims.row import ENTERED, Claim, Finding, Verdict

_ORDER = (
    allocations,
    lower_bounds,
    algorithm,
    bounds,
    bound_figures,
    proofs,
    adaptivity,
    experiments,
    neighbours,
    confidence,
    feasible,
)
CLAIMS: dict[str, Claim] = {
    claim.name: claim for module in _ORDER for claim in ENTERED.values() if claim.check.__module__ == module.__name__
}

__all__ = ["CLAIMS", "Claim", "Finding", "Verdict"]
