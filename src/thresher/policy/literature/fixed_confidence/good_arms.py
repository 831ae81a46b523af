r"""Good arm identification: output the arms above the bar one by one, give up the others, stop when none is left.

:cite:p:`kano2019`, Algorithm 1. After each pull of an arm its interval decides: wholly at or above the bar, it is
output; wholly below, it is given up; else it stays. HDoC, LUCB-G and APT-G differ in which arm they pull, lil'HDoC also
in the interval. The paper was not read; the rules and the constants are those of a public reproduction of its table,
which this package reproduces in turn (``python -m reproduction kano2019``). The coverage of the intervals is
proved below.
"""

from __future__ import annotations

import math

from thresher.jit import formula, njit
from thresher.policy.literature.fixed_confidence.outputs import gap_at, output
from thresher.policy.rule import State

SETTLED = 0  # place in the memory: how many arms were output or given up


@njit(cache=True)
def good_arm_radius(count: float, sigma: float, n_arms: float, alpha: float) -> float:
    r"""Return half the width of the interval by which an arm is output or given up.

    .. math:: U_n = \sigma \sqrt{\frac{2}{n} \log \frac{4 K n^2}{\delta}}

    :cite:p:`kano2019`, section 3, there for outcomes in [0, 1] (:math:`\sigma = \frac12`). An arm can be misjudged on
    one side only, where Hoeffding's inequality gives :math:`P(\hat\mu_n - \mu \ge U_n) \le \delta/(4 K n^2)`; summed
    over n and the K arms that is :math:`\delta \pi^2 / 24 < 0.42 \, \delta`.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`, sub-Gaussian.
    n_arms : float
        K.
    alpha : float
        :math:`\delta` in (0, 1).
    """
    return sigma * math.sqrt(2.0 * math.log(4.0 * n_arms * count * count / alpha) / count)


@njit(cache=True)
def side_of(gap: float, radius: float) -> int:
    """Return 1 if the interval is wholly at or above the bar, -1 if wholly below, else 0."""
    if gap - radius >= 0.0:
        return 1
    return -1 if gap + radius < 0.0 else 0


@formula
def next_good_arm(state: State) -> int:
    """Return the open arm of highest key, neither output nor given up (ties: lowest arm)."""
    best, highest = -1, 0.0
    for k in range(state.keys.size):
        if state.verdicts[k] == 0 and (best < 0 or state.keys[k] > highest):
            best, highest = k, state.keys[k]
    return best


@formula
def settle_good_arm(state: State, k: int, radius: float) -> bool:
    """Output the arm just pulled, or give it up, if its interval says so; return whether no arm is left."""
    side = side_of(gap_at(state, k), radius)
    if side > 0:
        output(state, k)
    elif side < 0:
        state.verdicts[k] = -1
    else:
        return False
    state.memory[SETTLED] += 1.0
    return bool(state.memory[SETTLED] == state.keys.size)
