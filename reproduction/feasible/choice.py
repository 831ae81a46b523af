"""From a policy's code to its formula, and from keys to the next arm."""

from __future__ import annotations

from reproduction.feasible.md_apt import md_apt_key
from reproduction.feasible.md_ucbe import md_ucbe_key
from reproduction.feasible.policy import MD_APT, MD_UCBE
from thresher.jit import formula, kernel
from thresher.types import Floats


@formula
def key_of(code: int, count: float, margin: float, bonus: float) -> float:
    """Return the key of an arm that was pulled: its index, or its pulls where those alone decide."""
    if code == MD_APT:
        return md_apt_key(count, margin)
    if code == MD_UCBE:
        return md_ucbe_key(count, margin, bonus)
    return count


@kernel
def least(keys: Floats) -> int:
    """Return the arm of least key, the first of equals."""
    best = 0
    for k in range(1, keys.size):
        if keys[k] < keys[best]:
            best = k
    return best
