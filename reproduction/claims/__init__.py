"""Every checkable sentence of the paper and of its neighbours, with what became of it and the check of that.

``CLAIMS`` has them by name, in the order of the paper: those of :mod:`thresher.research.papers.claims`, and here those
that need a step of a proof, belong to no figure, or come from another paper. ``docs/explanation/claims.md`` is made of
these rows, and a test runs the check of each.
"""

from reproduction.claims import (
    algorithm,
    allocations,
    bounds,
    confidence,
    experiments,
    feasible,
    lower_bounds,
    neighbours,
    proofs,
)
from thresher.research.papers import claims as shipped
from thresher.research.papers.claims import Claim
from thresher.research.papers.claims.claim import REGISTERED

_ORDER = (
    *(shipped.allocations, allocations),
    *(shipped.lower_bounds, lower_bounds),
    algorithm,
    *(shipped.bounds, bounds),
    shipped.bound_figures,
    proofs,
    shipped.adaptivity,
    *(shipped.experiments, experiments),
    *(neighbours, confidence, feasible),
)
CLAIMS: dict[str, Claim] = {
    claim.name: claim for module in _ORDER for claim in REGISTERED.values() if claim.check.__module__ == module.__name__
}

__all__ = ["CLAIMS"]
