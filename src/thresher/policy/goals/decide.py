r"""The arm that is nearest to a decision: for people who need decisions, not few mistakes.

Evidence grows by about :math:`(x + \frac12)/n` with each measurement: :math:`x/n` is what the empirical mean lets
expect and :math:`\frac1{2n}` what is not known of the mean. An arm that lacks :math:`x^* - x` for a decision needs

.. math:: \frac{n (x^* - x)}{x + \frac12}

measurements more, about. The arm that needs fewest is measured next, a decided one is left alone. Minimising mistakes
does the contrary: it keeps all arms equally doubtful, and with a small budget nearly all stay just above the risk.

The proved guarantees decide an arm by its own outcomes, so :math:`x^*` is known. ``calibrated`` decides it by all arms,
and an arm with :math:`x \ge x^*` may still be open, most of all if there are few. It ranks as one that lacks
:math:`3 e^{5 (x - x^*)}`: after open ones that are about as far, before those that are out of reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from thresher.jit import njit, plain
from thresher.policy.algorithm import Algorithm, Parameter
from thresher.policy.goals.more_than import BY_STOPPING, evidence_by
from thresher.policy.policy import Stop
from thresher.policy.ranking import rule_of
from thresher.policy.rule import RuleSetup, State, Turn, least, step
from thresher.registries import GUARANTEES

if TYPE_CHECKING:
    from thresher.problem import Problem

WORDS = tuple(GUARANTEES)
DECIDED = 1e200  # decided arms rank after all others, the least evidence first
LACKING, GROWTH = 3.0, 5.0  # missing evidence of an arm at its level, and its growth beyond that
LARGEST = 400.0  # exponent; beyond it an arm is decided under any guarantee


@njit(cache=True)
def decide_formula(count: float, evidence: float, level: float, rho: float, mixing: float, lacking: float) -> float:
    r"""Return about how many measurements decide an arm; the least is pulled next.

    The mean is shrunk to the bar by :math:`\rho` outcomes there, which makes
    :math:`x = \frac{n}{n+\rho} \hat x` of the evidence. The arm is decided at
    :math:`x - \frac12 \log \frac{n+\rho}{\rho} \ge x^*` by the normal mixture of :mod:`thresher.inference.intervals`,
    and without the logarithm by a chance of error.

    Parameters
    ----------
    count : float
        :math:`n > 0`.
    evidence : float
        :math:`\hat x \ge 0`.
    level, rho : float
        :math:`x^*` and :math:`\rho`.
    mixing : float
        The factor of the logarithm: ½ for a mixture, else 0.
    lacking : float
        Evidence that an arm counts as lacking when it reaches the level; 0 if it is decided then.
    """
    shrunk = evidence * count / (count + rho)
    missing = level + mixing * math.log1p(count / rho) - shrunk
    if missing <= 0.0:
        if lacking == 0.0 or -GROWTH * missing > LARGEST:
            return DECIDED * (1.0 + shrunk)
        missing = lacking * math.exp(-GROWTH * missing)
    return (count + rho) * missing / (shrunk + 0.5)


@step
def decide_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the open arm that needs the fewest more measurements for a decision; decided ones are left alone.

    Ours. It decides more arms than `stopping` at small budgets, and makes more mistakes on the others. Evidence is that
    of `stopping`. The four guarantees are those of :mod:`thresher.inference.decisions`; for ``calibrated``, which rests
    on all arms, half of the risk on this arm alone stands in, and ``fdr`` counts on a quarter of the arms.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        rule, count = rule_of(known.ranking, k), float(state.counts[k])
        evidence = evidence_by(rule, count, state.totals[k], state.squares[k])
        by = known.parameters
        state.keys[k] = decide_formula(count + rule.pseudo_count, evidence, by[0], by[1], by[2], by[3])
    return least(state)


def _prepare(problem: Problem, stop: Stop, values: tuple[float, ...]) -> tuple[float, ...]:  # noqa: ARG001
    """Return the level at which an arm is decided, ρ, the factor of the logarithm, and the missing evidence."""
    return level_to_decide(WORDS[int(values[0])], values[1], n_arms=problem.n_arms)


def level_to_decide(guarantee: str, risk: float, *, n_arms: int) -> tuple[float, float, float, float]:
    r"""Return :math:`x^*`, :math:`\rho`, `mixing` and `lacking` of :func:`decide_formula`.

    `n_arms` is for ``fwer`` alone.
    """
    from thresher.inference.guarantees import RULES  # here: a campaign with another goal does not load them

    return (*RULES[guarantee].level_to_decide(risk, n_arms), LACKING)


def index_to_decide(level: float, rho: float, mixing: float, lacking: float) -> Callable[..., float]:
    """Return :func:`decide_formula` as an index of (count, evidence, cost, parameter), interpreted.

    The cost is how many effective samples the next pull adds: with more, fewer measurements decide.
    """
    formula = plain(decide_formula)

    def index(count: float, evidence: float, cost: float, parameter: float) -> float:  # noqa: ARG001
        return float(formula(count, evidence, level, rho, mixing, lacking) / cost)

    return index


DECIDE = Algorithm(
    "decide",
    choose=decide_choose,
    source="thresher",
    parameters=(Parameter("guarantee", 0.0, words=WORDS), Parameter("risk", 0.05, high=1.0)),
    prepare=_prepare,
    index=BY_STOPPING,
)
