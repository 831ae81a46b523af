r"""Sticky Track-and-Stop: is any arm above the bar? Track the best proportions for an answer, and stick to the answer.

:cite:p:`degenne2019`, for the any-arm question with Gaussian arms (its Example 1, mirrored). The answers that cannot be
ruled out are those of the means near the empirical ones; of these the first in a fixed order (the order of the arms) is
aimed at, so that the aim does not wander between answers that are equally good. The paper was not read. The set of
answers, the weights, the projection that raises small ones and the stopping level are those of the notes of a public
reproduction (Degenne-Koolen-2019 in github.com/lzt68/Online-Learning-Implementation), whose stopping times come out
again (``python -m reproduction degenne2019``).
"""

from __future__ import annotations

import math

from thresher.jit import formula, njit
from thresher.policy.algorithm import KNOWN_NOISE, Algorithm, Parameter
from thresher.policy.literature.fixed_confidence.any_above import answer_above, answer_none, evidence_at, track_level
from thresher.policy.literature.fixed_confidence.outputs import gap_at
from thresher.policy.policy import ANY_MISTAKE, Traits
from thresher.policy.rule import RuleSetup, State, Turn, keep_verdicts, step

LOG_2 = math.log(2.0)


@formula
def _weight(known: RuleSetup, state: State, k: int) -> float:
    return float(state.counts[k] / (known.sigma[k] * known.sigma[k]))


@formula
def distance_to_best(known: RuleSetup, state: State, a: int) -> float:
    r"""Return how far the means are from some of which arm `a` is the highest and above the bar.

    .. math:: \min_{x \ge \max(\hat g_a, 0)} \frac{n_a (x - \hat g_a)^2}{2 \sigma_a^2}
              + \sum_{i \ne a} \frac{n_i (\hat g_i - x)_+^2}{2 \sigma_i^2}

    with the gaps g. Its derivative is increasing and concave, so that Newton's method from the left end never passes
    the minimum and is there as soon as the arms that are higher stay the same.
    """
    n_arms, own = state.keys.size, gap_at(state, a)
    x = max(own, 0.0)
    while True:
        weight, pull, higher = _weight(known, state, a), _weight(known, state, a) * own, 0
        for i in range(n_arms):
            if i != a and gap_at(state, i) > x:
                weight += _weight(known, state, i)
                pull += _weight(known, state, i) * gap_at(state, i)
                higher += 1
        if higher == 0 or pull / weight <= x:
            break
        x = pull / weight
    distance = _weight(known, state, a) * ((x - own) * (x - own))
    for i in range(n_arms):
        if i != a and gap_at(state, i) > x:
            above = gap_at(state, i) - x
            distance += _weight(known, state, i) * (above * above)
    return 0.5 * distance


@formula
def sticky_answer(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the first arm that is the highest mean, or has all means at or below the bar, within :math:`C_t`.

    :math:`C_t` are the means at a distance of at most :math:`\log C + 10 \log t` after t pulls. If means with none
    above the bar are among them, every arm is an answer there, and the first arm is it.
    """
    n_arms, radius = state.keys.size, known.parameters[0] + 10.0 * math.log(float(turn.pulls))
    below, best = 0.0, 0
    for k in range(n_arms):
        if state.totals[k] > 0.0:
            below += evidence_at(known, state, k)
        if gap_at(state, k) > gap_at(state, best):
            best = k
    if below < radius:
        return 0
    for a in range(best):
        if distance_to_best(known, state, a) <= radius:
            return a
    return best


@njit(cache=True)
def forced_share(pulls: float, n_arms: float) -> float:
    r"""Return the least share of each arm, :math:`1/\sqrt{K^2 + t}`, where t is the number of the next pull."""
    return 1.0 / math.sqrt(n_arms * n_arms + pulls + 1.0)


@formula
def aim(known: RuleSetup, state: State, k: int, answer: int) -> float:
    """Return the weight of an arm before it is scaled: all on the answer, or alike, or by 1/gap² if none is above."""
    if answer < 0:
        gap = gap_at(state, k) / known.sigma[k]
        return float(1.0 / (gap * gap))
    if state.totals[answer] > 0.0:
        return 1.0 if k == answer else 0.0
    return 1.0


@formula
def shift_of(known: RuleSetup, state: State, answer: int, whole: float, least: float) -> float:
    """Return what is taken from every weight above the least share so that with the others raised to it they sum to 1.

    By Newton's method on a convex function from the left: as soon as no further weight falls to the least share it is
    there.
    """
    shift, before = 0.0, -1
    while True:
        above, total = 0, 0.0
        for k in range(state.keys.size):
            weight = aim(known, state, k, answer) / whole
            if weight - shift > least:
                above += 1
                total += weight
        if above == before or above == 0:
            return shift
        shift, before = (total + (state.keys.size - above) * least - 1.0) / above, above


@step
def sticky_tas_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the arm that is farthest behind the best shares for one answer, to which the rule sticks.

    Arms are tracked by the sums of the weights so far (C-tracking; ties: lowest arm). `log_c` is log C of the stopping
    level and of the neighbourhood, at least log 2: 1 in the reproduction.
    """
    n_arms, is_any = state.keys.size, False
    for k in range(n_arms):
        is_any = is_any or state.totals[k] >= 0.0
    answer = sticky_answer(known, state, turn) if is_any else -1
    whole = 0.0
    for k in range(n_arms):
        whole += aim(known, state, k, answer)
    least = forced_share(float(turn.pulls), float(n_arms))
    shift, next_arm = shift_of(known, state, answer, whole, least), 0
    for k in range(n_arms):
        state.keys[k] += max(aim(known, state, k, answer) / whole - shift, least)
        if state.keys[k] - state.counts[k] > state.keys[next_arm] - state.counts[next_arm]:
            next_arm = k
    return next_arm


@step
def sticky_tas_learn(known: RuleSetup, state: State, turn: Turn, k: int) -> bool:
    """Answer if the evidence suffices after a pull of an arm; return whether it did."""
    level = track_level(float(turn.pulls), known.alpha, known.parameters[0])
    if state.totals[k] > 0.0:  # the others have shown nothing new
        return evidence_at(known, state, k) > level and answer_above(state, k)
    if turn.pulls < state.keys.size:
        return False
    for j in range(state.keys.size):
        if state.totals[j] > 0.0 or evidence_at(known, state, j) <= level:
            return False
    return answer_none(state)


STICKY_TAS = Algorithm(
    "sticky-tas",
    choose=sticky_tas_choose,
    learn=sticky_tas_learn,
    conclude=keep_verdicts,
    source="degenne2019, Sticky Track-and-Stop",
    parameters=(Parameter("log_c", 1.0, low=LOG_2, is_open=False),),
    families=KNOWN_NOISE,
    traits=Traits(in_flight=False, promise=ANY_MISTAKE),
    counts_from_bar=True,
)
