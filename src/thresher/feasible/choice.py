"""From a policy's code to its formula, and from keys to the next arm."""

from __future__ import annotations

import math

from thresher.engine.compiled import formula, kernel
from thresher.feasible.md_apt import md_apt_key
from thresher.feasible.md_sar import md_sar_close
from thresher.feasible.md_ucbe import md_ucbe_key
from thresher.feasible.policy import MD_APT, MD_SAR, MD_UCBE, State
from thresher.types import Ints


@formula
def key_of(code: int, count: float, margin: float, bonus: float) -> float:
    """Return the key of an arm that was pulled: its index, or its pulls where those alone decide."""
    if code == MD_APT:
        return md_apt_key(count, margin)
    if code == MD_UCBE:
        return md_ucbe_key(count, margin, bonus)
    return count


@kernel
def next_arm(code: int, state: State, quotas: Ints) -> int:
    """Return the arm that is pulled next, or -1 if the policy has done."""
    if code == MD_SAR and md_sar_close(state, quotas):
        return -1
    best, least = -1, math.inf
    for k in range(state.keys.size):
        if state.keys[k] < least:
            best, least = k, state.keys[k]
    return best
