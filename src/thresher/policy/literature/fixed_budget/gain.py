"""The expected gain in the probability of a right verdict from one more 0/1 outcome: the reward of KG and Opt-KG."""

from __future__ import annotations

import math

from thresher.jit import njit
from thresher.policy.literature.fixed_budget.beta import beta_tails, log_density_factor
from thresher.policy.rule import RuleSetup, State, step

UNSURE = 0.5 + 1e-12  # tolerance for rounding: a verdict needs more than an even chance


@njit(cache=True)
def gains_of(a: float, b: float, threshold: float) -> tuple[float, float]:
    r"""Return how much the chance of a right verdict gains by a 1 and by a 0, under the posterior Beta(a, b).

    .. math:: R_1 = h(I(a+1, b)) - h(I(a, b)), \quad R_2 = h(I(a, b+1)) - h(I(a, b)), \quad
       I(a, b) = P(\mathrm{Beta}(a, b) \ge \theta), \quad h(p) = \max(p, 1-p)

    :cite:p:`chen2013`, for θ = ½; another bar was added here. By
    :math:`I(a+1, b) = I + w/a` and :math:`I(a, b+1) = I - w/b` with :math:`w = \theta^a (1-\theta)^b / B(a, b)` no
    digits are lost if the verdict is nearly certain.

    Parameters
    ----------
    a, b : float
        Both positive: ones and zeros seen, and those of the prior.
    threshold : float
        :math:`0 < \theta < 1`.
    """
    below, above = beta_tails(a, b, threshold)
    w = math.exp(log_density_factor(a, b, threshold))
    if above >= 0.5:
        return w / a, max(below - above + w / b, -w / b)
    return max(above - below + w / a, -w / a), w / b


@step
def conclude_by_posterior(known: RuleSetup, state: State) -> None:
    """Fill in the likelier side under the Beta prior of the parameters, below if both are equally likely."""
    for k in range(state.counts.size):
        a = known.parameters[0] + state.totals[k]
        b = known.parameters[1] + state.counts[k] - state.totals[k]
        is_above = beta_tails(a, b, known.thresholds[k])[1] > UNSURE
        state.verdicts[k] = 0 if state.counts[k] == 0 else 1 if is_above else -1
