"""HDoC: sample by UCB to find good arms early; judge by wider intervals."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius, next_good_arm, settle_good_arm
from thresher.policy.literature.fixed_confidence.outputs import gap_at
from thresher.policy.policy import ANY_MISTAKE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step


@njit(cache=True)
def hdoc_score(gap: float, count: float, sigma: float, pulls: float) -> float:
    r"""Return the score of one arm; the open arm of highest score is pulled next.

    .. math:: \hat\mu_n - \theta + \sigma \sqrt{2 \log(t) / n}

    :cite:p:`kano2019`, Algorithm 1 (HDoC), there :math:`\hat\mu + \sqrt{\log t / (2n)}` for outcomes in [0, 1]. t is
    the number of the next pull, K + 1 when the rule chooses first. The formula was read in a public reproduction.

    Parameters
    ----------
    gap : float
        :math:`\hat\mu_n - \theta`.
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`.
    pulls : float
        Pulls of all arms so far, :math:`t - 1 \ge 1`.
    """
    return gap + sigma * math.sqrt(2.0 * math.log(pulls + 1.0) / count)


@step
def hdoc_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the open arm of highest upper limit, as UCB does; good arms are output one by one."""
    for k in range(state.keys.size):
        if state.verdicts[k] == 0:
            state.keys[k] = hdoc_score(gap_at(state, k), float(state.counts[k]), known.sigma[k], float(turn.pulls))
    return next_good_arm(state)


@step
def hdoc_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Judge the arm just pulled by its interval; return whether no arm is left."""
    radius = good_arm_radius(float(state.counts[k]), known.sigma[k], float(state.keys.size), known.alpha)
    return settle_good_arm(state, k, radius)


HDOC = Algorithm(
    "hdoc",
    choose=hdoc_choose,
    learn=hdoc_learn,
    conclude=keep_verdicts,
    source="kano2019, Algorithm 1 (HDoC)",
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
