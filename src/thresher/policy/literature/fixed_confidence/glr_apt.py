"""GLR-APT: pull the arm of least likelihood ratio against the bar; judge an arm once its ratio is large enough."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.algorithm import KNOWN_NOISE, Algorithm
from thresher.policy.literature.fixed_confidence.any_above import evidence_at, mixture_level
from thresher.policy.literature.fixed_confidence.good_arms import next_good_arm, settle_good_arm
from thresher.policy.policy import ANY_MISTAKE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step

PSEUDO_SAMPLES = 10.0  # of the mixture; its level is lowest at some 100 pulls of an arm, for ten arms and α = 0.05


@njit(cache=True)
def glr_radius(count: float, sigma: float, n_arms: float, alpha: float) -> float:
    r"""Return the distance from the bar at which the evidence of an arm reaches the mixture level at α/K.

    .. math:: r = \sigma \sqrt{\frac{n + \rho}{n^2} \log \frac{(n + \rho) K^2}{\rho\, \alpha^2}}

    Parameters
    ----------
    count : float
        :math:`n \ge 1`.
    sigma : float
        :math:`\sigma > 0`, sub-Gaussian.
    n_arms : float
        K.
    alpha : float
        In (0, 1).
    """
    return sigma * math.sqrt(2.0 * mixture_level(count, alpha / n_arms, PSEUDO_SAMPLES) / count)


@step
def glr_apt_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the open arm of least evidence, the generalised likelihood ratio against a mean on the bar.

    For thresholding the dual-directed sampling of :cite:p:`qin2023` reduces to this: the hardest arm against its
    alternative, :math:`\min_k n_k \, d(\hat\mu_k, \theta_k)`, with a GLR stopping rule. The reduction is inferred from
    the abstract. The level, a normal mixture at α/K for each arm, is our choice; with it the promise holds for every
    way to sample. For 0/1 and bounded outcomes the evidence is Hoeffding's.
    """
    for i in range(turn.n_changed):
        state.keys[state.changed[i]] = -evidence_at(known, state, state.changed[i])
    return next_good_arm(state)


@step
def glr_apt_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:  # noqa: ARG001
    """Judge the arm just pulled by its evidence; return whether no arm is left."""
    radius = glr_radius(float(state.counts[k]), known.sigma[k], float(state.keys.size), known.alpha)
    return settle_good_arm(state, k, radius)


GLR_APT = Algorithm(
    "glr-apt",
    choose=glr_apt_choose,
    learn=glr_apt_learn,
    conclude=keep_verdicts,
    source="qin2023; stopping level by thresher",
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
