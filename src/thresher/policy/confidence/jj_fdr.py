"""Jamieson and Jain's rule: outputs of which a share of at most δ is false, at all times."""

from __future__ import annotations

from thresher.errors import UnknownNameError
from thresher.policy.confidence.policy import FALSE_SHARE, ConfidencePolicy
from thresher.policy.confidence.trial import JJ_FDR

TARGETS = ("most", "all")


def jj_fdr(find: str = "most") -> ConfidencePolicy:
    """Return the rule whose outputs are false in a share of at most δ, on average (false discovery rate).

    :cite:p:`jamieson2018`, Algorithm 1. It never stops by itself: simulations end when every arm above the bar has
    been output, or at the most pulls.

    Parameters
    ----------
    find : str
        ``"most"`` (the paper's TPR) or ``"all"`` (its FWPD, for δ below ¼) of the arms above the bar are to be found
        soon.
    """
    return ConfidencePolicy(
        "jj-fdr", JJ_FDR, FALSE_SHARE, "jamieson2018, Algorithm 1 (FDR)", first=target(find), runs_on=True
    )


def target(find: str) -> float:
    """Return 1.0 if all arms above the bar are to be found soon, 0.0 if most are."""
    if find not in TARGETS:
        raise UnknownNameError("target", find, TARGETS)
    return float(TARGETS.index(find))
