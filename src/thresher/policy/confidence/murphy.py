r"""Murphy sampling: is any arm above the bar? Pull as if there were one.

:cite:p:`kaufmann2018`. The means are drawn from their posterior, given that some mean is above the bar, and the arm of
the highest draw is pulled. The paper asks about the lowest mean; this is its mirror image. Its rejection of draws below
the bar takes ever longer while no arm is above; here the same distribution is drawn without: which arms are above,
given that one is, from the chances of each, and the values only of those that are. What was read of the paper is its
abstract, the rule itself in a public implementation; its stopping rules were not read. Ours is
:func:`~thresher.policy.confidence.any_above.mixture_level` at δ/K for each arm, with which the promise holds for any
way to sample. For 0/1 outcomes the prior is uniform; for all others the posterior is that of Gaussian outcomes under a
flat prior.
"""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.confidence.policy import ANY_MISTAKE, ConfidencePolicy
from thresher.policy.confidence.trial import MURPHY, Demand, Trial, gap_of
from thresher.policy.field.beta import beta_tails

PSEUDO_SAMPLES = 50.0  # of the mixture: the level is lowest at some 700 pulls of an arm, for ten arms and δ = 0.05


@njit(cache=True)
def normal_above(gap: float, count: float, sigma: float) -> float:
    r"""Return the posterior chance that a mean is above the bar, :math:`\Phi(\sqrt n \, (\hat\mu - \theta)/\sigma)`."""
    return 0.5 * math.erfc(-math.sqrt(0.5 * count) * gap / sigma)


@njit(cache=True)
def beta_above(ones: float, count: float, threshold: float) -> float:
    r"""Return the posterior chance that the mean of 0/1 outcomes is above the bar, under a uniform prior.

    Parameters
    ----------
    ones, count : float
        :math:`0 \le s \le n`: the posterior is Beta(1 + s, 1 + n - s).
    threshold : float
        θ in [0, 1].
    """
    return beta_tails(1.0 + ones, 1.0 + count - ones, threshold)[1]


@njit(cache=True, inline="always")
def above_at(demand: Demand, trial: Trial, k: int) -> float:
    """Return the posterior chance that an arm is above its bar."""
    count = float(trial.rows[k]["count"])
    if demand.is_beta:
        bar = trial.rows[k]["threshold"]
        # Whole, but for the rounding of sums that were counted from the bar.
        return beta_above(float(round(trial.rows[k]["total"] + count * bar)), count, bar)
    return normal_above(gap_of(trial, k), count, trial.rows[k]["sigma"])


def murphy() -> ConfidencePolicy:
    """Return the test whether any arm is above the bar that pulls by draws in which one is."""
    return ConfidencePolicy(
        "murphy", MURPHY, ANY_MISTAKE, "kaufmann2018, Murphy sampling; stopping rule ours", second=PSEUDO_SAMPLES
    )
