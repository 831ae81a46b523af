"""The urgency of an arm's next pull in a live campaign: the formulas of the simulator, one arm at a time."""

from __future__ import annotations

import math
from functools import lru_cache

from thresher.campaign.rows import Arm
from thresher.campaign.terms import Terms
from thresher.errors import InvalidInputError
from thresher.index.base import Index
from thresher.index.evidence import evidence_in_flight, evidence_of
from thresher.jit import njit
from thresher.policy import ArmRule, find_index_policy, find_policy, rule_of, urgency_in_flight
from thresher.policy.fixed_budget.decide import decide_formula, level_to_decide
from thresher.policy.ranking import LARGEST
from thresher.problem import Question
from thresher.problem.money import amount_of

# The Python functions: calling the compiled ones takes longer than running these.
_rule_of = getattr(rule_of, "py_func", rule_of)
_urgency_in_flight = getattr(urgency_in_flight, "py_func", urgency_in_flight)
_decide_formula = getattr(decide_formula, "py_func", decide_formula)


@njit(cache=True)
def _expected(
    evidence: int,
    threshold: float,
    precision: float,
    seen: float,
    total: float,
    squares: float,
    outstanding: float,
) -> float:
    """Return the expected evidence of an arm after its outstanding pulls are told."""
    told = evidence_of(evidence, seen, total, squares, threshold, precision)
    return evidence_in_flight(told, seen, outstanding)


class Urgency:
    """The sort key of an arm under the terms of a campaign; it depends on that arm alone.

    The result equals that of :func:`thresher.policy.urgency_in_flight`, bit for bit. That function takes a pointer to a
    user-defined index, and passing a pointer from Python to compiled code costs 0.3 ms; here Python calls the formula.

    Parameters
    ----------
    terms : Terms

    Raises
    ------
    InvalidInputError
        If the policy has no index, needs the truth, or does not fit the family.
    """

    def __init__(self, terms: Terms) -> None:
        traits = find_policy(terms.policy).traits
        for is_so, why in (
            (traits.stops, "must not stop by itself: a campaign ends with its budget"),
            (traits.needs_truth, "must not need the true means, which a campaign cannot know"),
            (traits.needs_all_arms, "must rank each arm by its own outcomes alone, not by those of all arms"),
        ):
            if is_so:
                raise InvalidInputError(
                    "policy", terms.policy, rule=why, fix="use one that ranks each arm by an index, such as 'stopping'"
                )
        policy = find_index_policy(terms.policy)
        self._terms, self._policy = terms, policy
        self._index: Index = policy.indices[0]
        self._decided = level_to_decide(terms.guarantee, terms.risk) if terms.goal == "decide" else None
        self._first_pulls = terms.kind.first_pulls
        self.rule = lru_cache(maxsize=100_000)(self._rule)
        # An ask ranks its arms once to choose and once to write; arms with equal statistics have equal keys.
        self._value = lru_cache(maxsize=10_000)(self._value_of)

    def _rule(self, threshold: float, sigma: float, cost: float, pull_cost: int) -> ArmRule:
        """Return the rule that ranks and judges an arm with these numbers."""
        question = Question.of(
            self._terms.family,
            thresholds=[threshold],
            sigma=sigma if self._terms.kind.noise == "given" else None,
            costs=[cost * self._terms.stake],
            pull_costs=[amount_of(pull_cost)],
            low=self._terms.low,
            high=self._terms.high,
        )
        rule = _rule_of(self._policy.rank(question), 0)
        return ArmRule._make(value.item() if hasattr(value, "item") else value for value in rule)

    def rule_of(self, arm: Arm) -> ArmRule:
        """Return the rule that ranks and judges an arm."""
        return self.rule(arm.threshold, arm.sigma, arm.cost, arm.pull_cost)

    def of(self, arm: Arm) -> float:
        """Return the sort key of an arm: the least is asked next, ties go to the lowest position."""
        if arm.retired:
            return math.inf
        if arm.pulls + arm.outstanding < self._first_pulls:
            return -math.inf
        return self._value(
            arm.threshold, arm.sigma, arm.cost, arm.pull_cost, arm.pulls, arm.outstanding, arm.total, arm.squares
        )

    def _value_of(
        self,
        threshold: float,
        sigma: float,
        cost: float,
        pull_cost: int,
        pulls: int,
        outstanding: int,
        total: float,
        squares: float,
    ) -> float:
        """Return the sort key of an arm that has its first pulls, from all that it depends on."""
        rule = self.rule(threshold, sigma, cost, pull_cost)
        if pulls == 0:
            return float(_urgency_in_flight(rule, 0.0, 0.0, 0.0, float(outstanding)))
        seen = pulls + rule.pseudo_count
        evidence = _expected(
            rule.evidence,
            rule.threshold,
            rule.precision,
            seen,
            total + rule.pseudo_total,
            squares,
            float(outstanding),
        )
        if self._decided is None:
            value = self._index(seen + outstanding, evidence, rule.cost, rule.parameter)
        else:
            value = _decide_formula(seen + outstanding, evidence, *self._decided)
        # A user-defined formula may return NaN: such an arm comes last, and the order stays total.
        return min(max(value, -LARGEST), LARGEST) if value == value else LARGEST
