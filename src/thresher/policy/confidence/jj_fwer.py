"""Jamieson and Jain's rule for outputs that are all true with probability 1 - δ."""

from __future__ import annotations

from thresher.policy.confidence.jj_fdr import target
from thresher.policy.confidence.policy import ANY_FALSE, ConfidencePolicy
from thresher.policy.confidence.trial import JJ_FWER


def jj_fwer(find: str = "most") -> ConfidencePolicy:
    """Return the rule of which some output is false with a chance of at most δ (family-wise error rate).

    :cite:p:`jamieson2018`, Algorithm 1 (FWER): every other pull goes to an arm that the rule for a share of false
    outputs has found but that is not sure enough yet. It never stops by itself: simulations end when every arm above
    the bar has been output, or at the most pulls. Whether an arm can leave the first set again was not read; here it
    can, what is output stays.

    Parameters
    ----------
    find : str
        ``"most"`` (the paper's TPR) or ``"all"`` (its FWPD, for δ below ¼) of the arms above the bar are to be found
        soon.
    """
    return ConfidencePolicy(
        "jj-fwer", JJ_FWER, ANY_FALSE, "jamieson2018, Algorithm 1 (FWER)", first=target(find), runs_on=True
    )
