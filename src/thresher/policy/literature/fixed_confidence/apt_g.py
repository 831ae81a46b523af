"""APT-G: sample where the side is least clear."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_confidence.good_arms import next_good_arm
from thresher.policy.literature.fixed_confidence.hdoc import hdoc_learn
from thresher.policy.literature.fixed_confidence.outputs import gap_at
from thresher.policy.policy import ANY_MISTAKE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step


@njit(cache=True)
def apt_g_score(gap: float, count: float, sigma: float) -> float:
    r"""Return the score of one arm; the open arm of highest score is pulled next.

    .. math:: - \sqrt n \, |\hat\mu_n - \theta| / \sigma

    :cite:p:`kano2019`, Algorithm 1 (APT-G), after the index of :cite:p:`locatelli2016`, Eq. (4), with ε = 0; dividing
    by :math:`\sigma` was added here and changes nothing where it is common. The formula was read in a public
    reproduction.
    """
    return -math.sqrt(count) * abs(gap) / sigma


@step
def apt_g_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the open arm whose side is least clear; good arms are output one by one."""
    for i in range(turn.n_changed):
        k = state.changed[i]
        state.keys[k] = apt_g_score(gap_at(state, k), float(state.counts[k]), known.sigma[k])
    return next_good_arm(state)


APT_G = Algorithm(
    "apt-g",
    choose=apt_g_choose,
    learn=hdoc_learn,
    conclude=keep_verdicts,
    source="kano2019, Algorithm 1 (APT-G)",
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
