"""The arm that is nearest to a decision: for people who need decisions, not few mistakes."""

from __future__ import annotations

import math
from statistics import NormalDist

from thresher.jit import njit
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.decisions import GUARANTEES
from thresher.policy.fixed_budget.more_than import BY_STOPPING, evidence_by
from thresher.policy.intervals import pseudo_samples
from thresher.policy.nearest import measurements_to_decide
from thresher.policy.policy import Stop
from thresher.policy.ranking import rule_of
from thresher.policy.rule import Known, State, Turn, least, step
from thresher.problem import Problem

SHARE_OF_RISK = 0.25  # a lone arm's chance of error, looked at after each outcome, is too hopeful by about this factor


@njit(cache=True)
def decide_formula(count: float, evidence: float, level: float, rho: float) -> float:
    r"""Return about how many measurements decide an arm; the least is pulled next.

    Without pseudo-samples (:math:`\rho = 0`) it is decided at :math:`x \ge x^*`; with them by the normal mixture of
    :mod:`thresher.policy.intervals`, :math:`\frac{n}{n+\rho} x - \frac12 \log \frac{n+\rho}{\rho} \ge x^*`.

    Parameters
    ----------
    count : float
        :math:`n > 0`.
    evidence : float
        :math:`x \ge 0`.
    level, rho : float
        :math:`x^*` and :math:`\rho`.
    """
    shown = evidence if rho == 0.0 else evidence * count / (count + rho) - 0.5 * math.log1p(count / rho)
    return measurements_to_decide(count, evidence, level - shown)


@step
def decide_choose(known: Known, state: State, turn: Turn) -> int:
    """Return the open arm that needs the fewest more measurements for a decision; decided ones are left alone.

    Ours. It decides more arms than `stopping` at small budgets, and makes more mistakes on the others. Evidence is that
    of `stopping`. The four guarantees are those of :mod:`thresher.policy.decisions`; for ``calibrated``, which rests on
    all arms, a quarter of the risk on this arm alone stands in, and ``fdr`` counts on half of the arms to be decided.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        rule, count = rule_of(known.ranking, k), float(state.counts[k])
        evidence = evidence_by(rule, count, state.totals[k], state.squares[k])
        state.keys[k] = decide_formula(count + rule.pseudo_count, evidence, known.parameters[0], known.parameters[1])
    return least(state)


def _prepare(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:  # noqa: ARG001
    """Return the level at which an arm is decided, and ρ."""
    return level_to_decide(GUARANTEES[int(values[0])], values[1], n_arms=problem.n_arms)


def level_to_decide(guarantee: str, risk: float, *, n_arms: int = 1) -> tuple[float, float]:
    r"""Return :math:`x^*` and :math:`\rho` of :func:`decide_formula`; only ``fwer`` depends on the number of arms."""
    if guarantee == "calibrated":
        return 0.5 * NormalDist().inv_cdf(1.0 - SHARE_OF_RISK * risk) ** 2, 0.0
    share = {"anytime": risk, "fdr": 0.5 * risk, "fwer": risk / n_arms}[guarantee]
    return math.log(1.0 / share), pseudo_samples(share)


DECIDE = Algorithm(
    "decide",
    choose=decide_choose,
    source="ours",
    parameters=(Parameter("guarantee", 0.0, words=GUARANTEES), Parameter("risk", 0.05, high=1.0)),
    prepare=_prepare,
    index=BY_STOPPING,
)
