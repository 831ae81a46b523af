"""MD-APT: the arm whose margin is smallest against its noise."""

from __future__ import annotations

import math

from reproduction.feasible.policy import MD_APT, SOURCE, FeasiblePolicy
from thresher.jit import formula


@formula
def md_apt_key(count: float, margin: float) -> float:
    r"""Return the index of one arm; the least is pulled next.

    .. math:: \sqrt{n_i}\,\hat\Delta_i

    :cite:p:`katz-samuels2018`, Algorithm 3. Ties go to the lowest arm, which the paper leaves open.
    """
    return math.sqrt(count) * margin


def md_apt() -> FeasiblePolicy:
    """Return the arm of least √n times its margin, the tolerance included."""
    return FeasiblePolicy("md-apt", MD_APT, f"{SOURCE}, Algorithm 3")
