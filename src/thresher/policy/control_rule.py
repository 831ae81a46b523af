r"""Which arm next if a control is the bar: the most valuable pull, of an arm or of the control.

One more effective sample of arm `k` has the value :math:`p_k = e^{-F(\nu_k, x_k; a_k)}`, with the effective samples
and the evidence of :mod:`thresher.inference.control_evidence` and at most :math:`a_k/2`: the value would be infinite
for an arm exactly on its bar. A pull adds to :math:`\nu_k` what its gain is, so that for each unit of the budget

.. math:: \text{value of a pull of } k\text{: } \frac{p_k}{m_k} \Big(\frac{\nu_k}{n_k}\Big)^2, \qquad
          \text{one of the control } \frac1{m_0} \sum_k p_k \, s_k \Big(\frac{\nu_k}{n_0}\Big)^2 .

Keys are minus the logarithms of these numbers, and the least is pulled next. When the control is told, all keys move.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.inference import ToldOutcomes, certain_difference, difference, gap_of
from thresher.jit import Whole, kernel, njit
from thresher.policy.index import index_of
from thresher.policy.ranking import LARGEST, ArmRule, Ranking, index_in_flight, rule_of
from thresher.policy.rule import Rule, RuleSetup, State, Turn, least, step
from thresher.problem.bars import Control
from thresher.types import Bools, Floats, Ints

WAITING = -1e280  # arms with outcomes rank after those without while the control has none, the least pulled first


class PullWorth(NamedTuple):
    """The value of the next pull to one arm, as logarithms.

    Attributes
    ----------
    own : float
        A pull of the arm, for each unit of the budget.
    of_control : float
        A pull of the control, times the arm's own pull cost and for each unit of it.
    """

    own: float
    of_control: float


@njit(cache=True)
def told_of(
    rule: ArmRule, count: float, total: float, squares: float, outstanding: float, excess: float, share: float
) -> ToldOutcomes:
    """Return the statistics of an arm from which differences are computed; its mean stays in the range of outcomes."""
    if excess != 0.0:
        excess = min(max(total + excess, count * rule.low), count * rule.high) - total
    return ToldOutcomes(count, total, squares, outstanding, rule.threshold, rule.precision, rule.size, excess, share)


@njit(cache=True)
def pull_worth(rule: ArmRule, arm: ToldOutcomes, other: ToldOutcomes, control: Control) -> PullWorth:
    """Return the value of a pull of an arm and of the control for the verdict on this arm.

    Parameters
    ----------
    rule : ArmRule
        Of the arm; its cost is the mistake cost over the pull cost.
    arm, other : ToldOutcomes
        Of the arm and of the control, at least one outcome each.
    control : Control
    """
    if certain_difference(arm, other, control, rule.low, rule.high) != 0:
        return PullWorth(-math.inf, -math.inf)
    known = difference(rule.evidence, arm, other, control, rule.pseudo_count)
    if known.samples == math.inf:
        return PullWorth(-math.inf, -math.inf)
    index = index_of(rule.code, rule.user, known.samples, known.evidence, rule.cost, rule.parameter)
    price = min(-index, math.log(0.5 * rule.cost))
    return PullWorth(price + math.log(known.gain), price + math.log(known.control_gain))


class ControlledIndex(NamedTuple):
    """The index of an arm that is compared with a control.

    Attributes
    ----------
    own : float
        Minus the logarithm of the value of a pull of the arm; the least is pulled next.
    term : float
        The logarithm of the value of a pull of the control to this arm, times the pull cost of the control.
    """

    own: float
    term: float


@njit(cache=True)
def index_of_arm(
    rule: ArmRule, arm: ToldOutcomes, other: ToldOutcomes, control: Control, pull_cost: float
) -> ControlledIndex:
    """Return the index of an arm, in a run and in a campaign alike.

    An arm that was never told comes first, as without a control. As long as the control was not told, the others wait
    for it.

    Parameters
    ----------
    rule : ArmRule
        Of the arm.
    arm, other : ToldOutcomes
        Of the arm and of the control.
    control : Control
    pull_cost : float
        Of the arm.
    """
    if arm.pulls == 0.0:
        return ControlledIndex(index_in_flight(rule, 0.0, 0.0, 0.0, arm.outstanding), -math.inf)
    if other.pulls == 0.0:
        return ControlledIndex(WAITING + (arm.pulls + arm.outstanding) * 1e270, -math.inf)
    worth = pull_worth(rule, arm, other, control)
    return ControlledIndex(-worth.own, worth.of_control + math.log(pull_cost))


@njit(cache=True)
def index_of_control(rule: ArmRule, told: ToldOutcomes, terms: Floats, pull_cost: float) -> float:
    """Return the index of the control, from the value of a pull of it to each arm (minus infinity for itself)."""
    if told.pulls == 0.0:
        return index_in_flight(rule, 0.0, 0.0, 0.0, told.outstanding)
    return math.log(pull_cost) - log_sum(terms)


@njit(cache=True)
def log_sum(terms: Floats) -> float:
    """Return the logarithm of the sum of the exponentials of some numbers; minus infinity if all are."""
    top = -math.inf
    for term in terms:
        top = max(top, term)
    if top == -math.inf:
        return top
    total = 0.0
    for term in terms:
        total += math.exp(term - top)
    return top + math.log(total)


@njit(cache=True)
def control_verdict(arm: ToldOutcomes, other: ToldOutcomes, control: Control, low: float, high: float) -> int:
    """Return 1 for above the control's bar, -1 for below, 0 if nothing was told of the arm or of the control."""
    if arm.pulls == 0.0 or other.pulls == 0.0:
        return 0
    side = certain_difference(arm, other, control, low, high)
    return side if side != 0 else (1 if gap_of(arm, other, control) > 0.0 else -1)


class ControlledArms(NamedTuple):
    """All arms of a campaign, the control among them, as keys are computed from them.

    Attributes
    ----------
    counts, totals, squares, outstanding : ndarray of float64, shape (K,)
        Statistics of each arm, and its pulls in flight.
    excess : ndarray of float64, shape (K,)
        What each sum would be higher by if the items of the arm were as hard as those of its pool; 0 without items.
    pull_costs : ndarray of float64, shape (K,)
    is_active : ndarray of bool, shape (K,)
        Others are not measured, and the control is not measured for their sake.
    first_pulls : float
        With which every arm begins.
    items : float
        How many pulls an arm can have; infinite without items.
    share : float
        Of the variance, what other arms' answers to the same items leave.
    """

    counts: Floats
    totals: Floats
    squares: Floats
    outstanding: Floats
    excess: Floats
    pull_costs: Floats
    is_active: Bools
    first_pulls: float = 0.0
    items: float = math.inf
    share: float = 1.0


@kernel
def control_keys(ranking: Ranking, control: Control, arms: ControlledArms) -> Floats:
    """Return the key of every arm and of the control, shape (K,): the least is pulled next.

    Parameters
    ----------
    ranking : Ranking
        Of all arms, the control among them.
    control : Control
    arms : ControlledArms
    """
    keys, terms = np.empty(arms.counts.size), np.full(arms.counts.size, -np.inf)
    rank_all(ranking, control, arms, keys, terms)
    return keys


@kernel
def most_worth_pulls(
    ranking: Ranking, control: Control, arms: ControlledArms, prices: Ints, left: Whole, wanted: Whole, ceiling: float
) -> Ints:
    """Return the arms to pull next, in order: each time the one of least key that can be paid, ties to the lowest.

    Each pull counts as outstanding for the next one. It moves the keys of its arm and of the control, and one of the
    control moves all. Fewer than `wanted` come back once no arm can be paid or pays.

    Parameters
    ----------
    ranking : Ranking
    control : Control
    arms : ControlledArms
        Its outstanding pulls are counted up.
    prices : ndarray of int64, shape (K,)
        What a pull takes from the budget.
    left : int
        What the budget has.
    wanted : int
    ceiling : float
        The largest key at which a pull pays.
    """
    keys, terms = np.empty(arms.counts.size), np.full(arms.counts.size, -np.inf)
    rank_all(ranking, control, arms, keys, terms)
    chosen, n = np.empty(wanted, np.int64), 0
    while n < wanted:
        best = -1
        for k in range(keys.size):
            if prices[k] <= left and (best < 0 or keys[k] < keys[best]):
                best = k
        if best < 0 or keys[best] == math.inf or keys[best] > ceiling:
            break
        chosen[n] = best
        n, left = n + 1, left - prices[best]
        arms.outstanding[best] += 1.0
        rank_changed(ranking, control, arms, best, keys, terms)
    return chosen[:n]


@njit(cache=True)
def rank_all(ranking: Ranking, control: Control, arms: ControlledArms, keys: Floats, terms: Floats) -> None:
    """Fill in all keys, and the value of a pull of the control to each arm."""
    for k in range(keys.size):
        if k != control.arm:
            _rank_arm(ranking, control, arms, k, keys, terms)
    _rank_control(ranking, control, arms, keys, terms)


@njit(cache=True)
def rank_changed(ranking: Ranking, control: Control, arms: ControlledArms, k: int, keys: Floats, terms: Floats) -> None:
    """Update the keys that depend on one arm: its own and that of the control, or all if it is the control."""
    if k == control.arm:
        rank_all(ranking, control, arms, keys, terms)
    else:
        _rank_arm(ranking, control, arms, k, keys, terms)
        _rank_control(ranking, control, arms, keys, terms)


@njit(cache=True)
def _rank_arm(ranking: Ranking, control: Control, arms: ControlledArms, k: int, keys: Floats, terms: Floats) -> None:
    """Fill in the index of an arm, and the value of a pull of the control to it."""
    found = ControlledIndex(math.inf, -math.inf)
    if arms.is_active[k]:
        rule = rule_of(ranking, k)
        arm, other = _told_in(arms, rule, k), _told_in(arms, rule_of(ranking, control.arm), control.arm)
        found = index_of_arm(rule, arm, other, control, arms.pull_costs[k])
    keys[k], terms[k] = _within_bounds(arms, k, found.own), found.term


@njit(cache=True)
def _told_in(arms: ControlledArms, rule: ArmRule, k: int) -> ToldOutcomes:
    """Return the statistics of an arm in a campaign."""
    told = arms.counts[k], arms.totals[k], arms.squares[k], arms.outstanding[k]
    return told_of(rule, told[0], told[1], told[2], told[3], arms.excess[k], arms.share)


@njit(cache=True)
def _rank_control(ranking: Ranking, control: Control, arms: ControlledArms, keys: Floats, terms: Floats) -> None:
    """Fill in the index of the control, from the value of a pull of it to each arm."""
    place, rule = control.arm, rule_of(ranking, control.arm)
    found = index_of_control(rule, _told_in(arms, rule, place), terms, arms.pull_costs[place])
    keys[place] = _within_bounds(arms, place, found)


@njit(cache=True)
def _within_bounds(arms: ControlledArms, k: int, key: float) -> float:
    """Return a key, least before the first pulls of an arm, infinite after its last item."""
    asked = arms.counts[k] + arms.outstanding[k]
    if not arms.is_active[k] or asked >= arms.items:
        return math.inf
    if asked < arms.first_pulls:
        return -math.inf
    return key if key == key else LARGEST  # NaN, of a user-defined formula: the last one


def control_rule(known: RuleSetup, *, first_pulls: int) -> Rule:
    """Return the rule that makes the most valuable pull, with the pull costs as its parameters."""
    n_arms = known.thresholds.size
    return Rule(
        choose=most_worth,
        known=known,
        origin=np.zeros(n_arms),
        conclude=judge_by_difference,
        first_pulls=first_pulls,
        memory=2 * n_arms,
        has_control=True,
    )


@njit(cache=True)
def told_in_run(known: RuleSetup, state: State, k: int, excess: float, share: float) -> ToldOutcomes:
    """Return the statistics of an arm in a run."""
    told, outstanding = float(state.counts[k]), float(state.asked[k] - state.counts[k])
    return told_of(rule_of(known.ranking, k), told, state.totals[k], state.squares[k], outstanding, excess, share)


@njit(cache=True)
def _has_changed(state: State, n_changed: int, k: int) -> bool:
    found = False
    for i in range(n_changed):
        found = found or state.changed[i] == k
    return found


@step
def most_worth(known: RuleSetup, state: State, turn: Turn) -> int:
    """Return the most valuable pull, an arm or the control, or -1 if all keys are at the ceiling."""
    return most_worth_arm(known, state, turn, 0, state.counts.size, 1.0, turn.is_first)


@kernel
def most_worth_arm(
    known: RuleSetup, state: State, turn: Turn, terms: Whole, excess: Whole, share: float, is_all: bool
) -> int:
    """Return the most valuable pull, an arm or the control, or -1 if all keys are at the ceiling.

    Parameters
    ----------
    known, state, turn
        As of a step.
    terms, excess : int
        Where in the memory of the rule are, for each arm, the value of a pull of the control to it, and what its
        items add to its sum.
    share : float
        Of the variance, what other arms' answers to the same items leave.
    is_all : bool
        Whether all keys have moved, not only those of the arms that have changed.
    """
    place, n_arms, costs, memory = known.control.arm, state.counts.size, known.parameters, state.memory
    is_all = is_all or _has_changed(state, turn.n_changed, place)
    other = told_in_run(known, state, place, memory[excess + place], share)
    memory[terms + place] = -math.inf
    for i in range(n_arms if is_all else turn.n_changed):
        k = i if is_all else state.changed[i]
        if k != place:
            arm = told_in_run(known, state, k, memory[excess + k], share)
            found = index_of_arm(rule_of(known.ranking, k), arm, other, known.control, costs[k])
            state.keys[k], memory[terms + k] = found.own, found.term
    worth_to_each = memory[terms : terms + n_arms]
    state.keys[place] = index_of_control(rule_of(known.ranking, place), other, worth_to_each, costs[place])
    best = least(state)
    return best if best >= 0 and state.keys[best] < known.ceiling else -1


@step
def judge_by_difference(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts by the side of the difference from the control, which has none itself."""
    other, ranking = told_in_run(known, state, known.control.arm, 0.0, 1.0), known.ranking
    for k in range(state.counts.size):
        arm = told_in_run(known, state, k, 0.0, 1.0)
        side = control_verdict(arm, other, known.control, ranking.low, ranking.high)
        state.verdicts[k] = 0 if k == known.control.arm else side
