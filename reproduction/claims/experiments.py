"""Claims on the policies of the paper's experiments (appendix G)."""

from __future__ import annotations

import math

from thresher.policy.index import INDICES
from thresher.research.papers.claims.claim import ClaimVerdict, Finding, claim, found
from thresher.research.papers.grid import Grid


@claim(
    "two-forms-in-theory",
    ClaimVerdict.FAILS,
    place="Appendix G",
    says="The analysis is the same for the two forms of FWT.",
    why="The smooth form is larger by 2√x + O(1), which is not bounded. Corollary 2 does not apply to it.",
    evidence="thresher.policy.index.fwt_sqrt.fwt_sqrt_formula",
)
def _two_forms_in_theory(_: Grid) -> Finding:
    excess = {x: INDICES["fwt-sqrt"](10.0, x, 1.0) - INDICES["fwt"](10.0, x, 1.0) for x in (1.0, 100.0, 10000.0)}
    numbers = ", ".join(f"{value:.2f} at x = {x:g} (2√x = {2.0 * math.sqrt(x):g})" for x, value in excess.items())
    return found(f"smooth less max form: {numbers}", holds=abs(excess[10000.0] - 200.0) > 2.0)
