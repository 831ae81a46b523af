"""The claims of the paper that are shown beside a figure: where each stands, what became of it, and its check.

``CLAIMS`` has them by name, in the order of the paper; the gallery is made of these rows.
"""

from thresher.papers.claims import adaptivity, allocations, bound_figures, bounds, experiments, lower_bounds
from thresher.papers.claims.row import ENTERED, Claim, ClaimVerdict, Finding

_ORDER = (allocations, lower_bounds, bounds, bound_figures, adaptivity, experiments)
CLAIMS: dict[str, Claim] = {
    claim.name: claim for module in _ORDER for claim in ENTERED.values() if claim.check.__module__ == module.__name__
}

__all__ = ["CLAIMS", "Claim", "ClaimVerdict", "Finding"]
