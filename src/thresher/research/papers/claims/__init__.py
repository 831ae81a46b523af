"""The claims of the paper that are shown with a figure, each with its place, verdict and check.

``CLAIMS`` has them by name, in the order of the paper; the gallery is made of these rows.
"""

from thresher.research.papers.claims import adaptivity, allocations, bound_figures, bounds, experiments, lower_bounds
from thresher.research.papers.claims.claim import REGISTERED, Claim, ClaimVerdict, Finding

_ORDER = (allocations, lower_bounds, bounds, bound_figures, adaptivity, experiments)
CLAIMS: dict[str, Claim] = {
    claim.name: claim for module in _ORDER for claim in REGISTERED.values() if claim.check.__module__ == module.__name__
}

__all__ = ["CLAIMS", "Claim", "ClaimVerdict", "Finding"]
