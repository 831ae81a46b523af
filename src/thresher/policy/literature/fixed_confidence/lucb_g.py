"""LUCB-G: sample by the same intervals by which arms are judged."""

from __future__ import annotations

from thresher.jit import njit
from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius, next_good_arm
from thresher.policy.literature.fixed_confidence.hdoc import hdoc_learn
from thresher.policy.literature.fixed_confidence.outputs import gap_at
from thresher.policy.policy import ANY_MISTAKE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step


@njit(cache=True)
def lucb_g_score(gap: float, count: float, sigma: float, n_arms: float, alpha: float) -> float:
    r"""Return the score of one arm, the upper end of its interval; the open arm of highest score is pulled next.

    .. math:: \hat\mu_n - \theta + U_n

    :cite:p:`kano2019`, Algorithm 1 (LUCB-G), with the :math:`U_n` of
    :func:`~thresher.policy.literature.fixed_confidence.good_arms.good_arm_radius`. The formula was read in a public
    reproduction.
    """
    return gap + good_arm_radius(count, sigma, n_arms, alpha)


@step
def lucb_g_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the open arm whose interval reaches highest; good arms are output one by one."""
    n_arms = float(state.keys.size)
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = lucb_g_score(gap_at(state, k), float(state.counts[k]), known.sigma[k], n_arms, known.alpha)
    return next_good_arm(state)


LUCB_G = Algorithm(
    "lucb-g",
    choose=lucb_g_choose,
    learn=hdoc_learn,
    conclude=keep_verdicts,
    source="kano2019, Algorithm 1 (LUCB-G)",
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
