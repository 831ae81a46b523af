"""Policies that stop by themselves, at a given confidence: which arm next, when to stop, what to output.

Three questions: which arms are above the bar (HDoC, LUCB-G, APT-G, lil'HDoC), the same with few false ones among those
output (Jamieson and Jain), and whether any arm is (Murphy sampling, sticky Track-and-Stop). One file for each rule;
:mod:`dispatch` leads compiled code to it.
"""

from collections.abc import Callable

from thresher.policy.confidence.apt_g import apt_g
from thresher.policy.confidence.hdoc import hdoc
from thresher.policy.confidence.jj_fdr import jj_fdr
from thresher.policy.confidence.jj_fwer import jj_fwer
from thresher.policy.confidence.lil_hdoc import lil_hdoc
from thresher.policy.confidence.lucb_g import lucb_g
from thresher.policy.confidence.murphy import murphy
from thresher.policy.confidence.policy import ANY_FALSE, ANY_MISTAKE, FALSE_SHARE, PROMISES, ConfidencePolicy
from thresher.policy.confidence.sticky_tas import sticky_tas
from thresher.policy.confidence.trial import Demand, Trial

CONFIDENCE: dict[str, Callable[..., ConfidencePolicy]] = {
    "hdoc": hdoc,
    "lucb-g": lucb_g,
    "apt-g": apt_g,
    "lil-hdoc": lil_hdoc,
    "jj-fdr": jj_fdr,
    "jj-fwer": jj_fwer,
    "murphy": murphy,
    "sticky-tas": sticky_tas,
}

__all__ = [
    "ANY_FALSE",
    "ANY_MISTAKE",
    "CONFIDENCE",
    "FALSE_SHARE",
    "PROMISES",
    "ConfidencePolicy",
    "Demand",
    "Trial",
]
