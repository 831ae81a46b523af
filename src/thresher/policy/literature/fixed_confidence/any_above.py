"""Is any arm above the bar? Stopping rules that output one such arm, or that there is none.

An arm is output when its own evidence suffices; "none" when that of every arm does, all of them on the lower side.
"""

from __future__ import annotations

import math

from thresher.inference import squared_evidence
from thresher.jit import formula, njit
from thresher.policy.literature.fixed_confidence.outputs import output
from thresher.policy.rule import RuleSetup, State

FIXED_POINT = 20  # steps, each of which divides the error by 5 or more: x is at least 6


@njit(cache=True)
def mixture_level(count: float, alpha: float, rho: float) -> float:
    r"""Return the evidence that a mean on the bar reaches at any time with probability at most α.

    .. math:: \frac{n + \rho}{2n} \log \frac{n + \rho}{\rho \alpha^2}

    The two-sided normal mixture :cite:p:`robbins1970`: the boundary of
    :func:`thresher.martingales.normal.gaussian_radius` for one value of ρ, as evidence :math:`n r^2 / (2\sigma^2)`.

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    alpha, rho : float
        α in (0, 1), and the pseudo-samples ρ > 0 of the mixture.
    """
    return 0.5 * (count + rho) / count * math.log((count + rho) / (rho * alpha * alpha))


@njit(cache=True)
def track_level(pulls: float, alpha: float, log_c: float) -> float:
    r"""Return the evidence at which sticky Track-and-Stop stops, :math:`\log(C t^2 / \delta)` after t pulls.

    :cite:p:`degenne2019`, Theorem 10, where C is only said to be large enough; read in a public reproduction. Here one
    arm alone decides whether an answer is wrong. Its n-th pull is pull n + K - 1 or a later one, and its evidence is
    that large on the wrong side with probability at most :math:`\delta / (C t^2)`: summed over n and K arms
    :math:`\frac{\delta}{C} K \sum_{t \ge K} t^{-2} \le 2 \delta / C`, so that any :math:`C \ge 2` will do, whatever
    the means (derived here).
    """
    return log_c + 2.0 * math.log(pulls) - math.log(alpha)


@njit(cache=True)
def good_arm_level(pulls: float, n_arms: float, alpha: float) -> float:
    r"""Return the evidence at which good-arm identification stops after t pulls of K arms.

    .. math:: \frac12 \overline W \Big(2 \log \frac{K}{\delta} + 4 \log (4 + \log t) + \frac12 \Big), \qquad
              \overline W(x) - \log \overline W(x) = x, \quad \overline W \ge 1

    :cite:p:`jourdan2026`, whose likelihood ratios stop every way to sample at this level; read in a public
    implementation of it with Murphy sampling, which has :math:`x + \log x` for :math:`\overline W(x)`, slightly less.

    Parameters
    ----------
    pulls, n_arms : float
        :math:`t \ge 1` and :math:`K \ge 1`.
    alpha : float
        δ in (0, 1).
    """
    x = 2.0 * math.log(n_arms / alpha) + 4.0 * math.log(4.0 + math.log(pulls)) + 0.5
    found = x + math.log(x)
    for _ in range(FIXED_POINT):
        found = x + math.log(found)
    return 0.5 * found


@formula
def evidence_at(known: RuleSetup, state: State, k: int) -> float:
    """Return the evidence of one arm about its side."""
    sigma = known.sigma[k]
    return squared_evidence(float(state.counts[k]), state.totals[k], 0.0, 0.5 / (sigma * sigma))


@formula
def answer_above(state: State, k: int) -> bool:
    """Output an arm as the answer; return True."""
    output(state, k)
    return True


@formula
def answer_none(state: State) -> bool:
    """Answer that no arm is above the bar; return True."""
    state.verdicts[:] = -1
    return True
