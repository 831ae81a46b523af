"""KG, the knowledge gradient: the largest expected gain of one more outcome."""

from __future__ import annotations

from thresher.jit import formula, njit
from thresher.policy.algorithm import BINARY, Algorithm, Parameter
from thresher.policy.literature.fixed_budget.gain import conclude_by_posterior, gains_of
from thresher.policy.rule import RuleSetup, State, Turn, random_number, step

NOTHING = 1e-9  # share of the larger gain: rounding error of an expectation of 0


@njit(cache=True)
def kg_formula(a: float, b: float, threshold: float) -> float:
    r"""Return the expected gain of one more outcome, :math:`(a R_1 + b R_2)/(a + b)`.

    The chance that an arm is above its bar does not move on average: the gain is exactly 0 unless one of the outcomes
    would turn the verdict.
    """
    by_one, by_zero = gains_of(a, b, threshold)
    mean = (a * by_one + b * by_zero) / (a + b)
    return mean if mean > NOTHING * max(by_one, by_zero) else 0.0


@step
def kg_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose next outcome is expected to gain most; ties are broken at random.

    :cite:p:`chen2013`, section 4, for 0/1 outcomes and the prior Beta(a, b). Most arms soon have gain 0: with a fixed
    order among equals one arm would be pulled forever, so that the paper draws one, and so does this. A bar other than
    ½ was added here. The verdict is the likelier side under the posterior; where both are equally likely, below.
    """
    for i in range(turn.n_changed):
        k = state.changed[i]
        a = known.parameters[0] + state.totals[k]
        b = known.parameters[1] + state.counts[k] - state.totals[k]
        state.keys[k] = kg_formula(a, b, known.thresholds[k])
    best, equals = -1.0, 0
    for k in range(state.keys.size):
        if state.is_open[k] and state.keys[k] >= best:
            equals = equals + 1 if state.keys[k] == best else 1
            best = state.keys[k]
    return _draw(state, best, int(random_number(turn) * equals))


@formula
def _draw(state: State, best: float, place: int) -> int:
    """Return one of the open arms with that key, by its place among them; -1 if there is none."""
    for k in range(state.keys.size):
        if state.is_open[k] and state.keys[k] == best:
            if place == 0:
                return k
            place -= 1
    return -1


KG = Algorithm(
    "kg",
    choose=kg_choose,
    conclude=conclude_by_posterior,
    source="chen2013, section 4",
    parameters=(Parameter("a", 1.0), Parameter("b", 1.0)),
    families=BINARY,
)
