"""The urgency of an arm's next pull in a live campaign: the formulas of the simulator, one arm at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from thresher.campaign.comparison import Comparison
from thresher.campaign.rows import Arm, Ledger
from thresher.campaign.terms import Terms
from thresher.errors import InvalidInputError
from thresher.index.base import Index
from thresher.index.effective import effective_in_flight
from thresher.index.evidence import evidence_in_flight, evidence_of
from thresher.index.repeated import Variance, repeated_in_flight
from thresher.jit import plain
from thresher.policy import ArmRule, Ranking, find_index_policy, find_policy, rule_of, urgency_in_flight
from thresher.policy.goals.decide import decide_formula, level_to_decide
from thresher.policy.ranking import LARGEST
from thresher.policy.shared_items import Effects, adjusted_total
from thresher.problem import Control, Question, Structure
from thresher.problem.money import amount_of
from thresher.problem.sampling import certain_side
from thresher.problem.structure import ITEMS, POPULATION
from thresher.types import Floats

# Interpreted: calling the compiled ones takes longer, and the first call would load a compiler.
_rule_of, _urgency_in_flight, _decide_formula = plain(rule_of), plain(urgency_in_flight), plain(decide_formula)
_adjusted_total, _certain_side, _effective_in_flight = (
    plain(adjusted_total),
    plain(certain_side),
    plain(effective_in_flight),
)
_repeated_in_flight = plain(repeated_in_flight)
_evidence_of, _evidence_in_flight = plain(evidence_of), plain(evidence_in_flight)

NO_ITEMS = Ledger()
ARMS = 32  # for the level of ``fwer``: arms may be added later, and the level depends on their logarithm alone


def _instead_of(policy: str) -> str:
    """Return how to fix a policy that a campaign cannot have."""
    if policy.partition(":")[0] == "decide":
        return "leave the policy out and set goal='decide', which measures for decisions"
    return "use one that ranks each arm by an index, such as 'stopping'"


class Urgency:
    """The sort keys of arms under the terms of a campaign.

    Without a control a key depends on its arm alone, and on the last refit.

    The result equals that of :func:`thresher.policy.urgency_in_flight`, or with items that of the simulator's shared
    items, bit for bit. Nothing is compiled here: an ask takes less time than loading a compiler.

    Parameters
    ----------
    terms : Terms
    is_earlier : bool
        Rank as version 0.2 did, where a calibrated campaign with the goal ``decide`` never measured an arm beyond its
        level before all others: for the rows that it left.

    Raises
    ------
    InvalidInputError
        If the policy has no index, needs the truth, or does not fit the family.
    """

    def __init__(self, terms: Terms, *, is_earlier: bool = False) -> None:
        traits = find_policy(terms.policy).traits
        for is_so, why in (
            (traits.stops, "must not stop by itself: a campaign ends with its budget"),
            (traits.needs_truth, "must not need the true means, which a campaign cannot know"),
            (traits.needs_all_arms, "must rank each arm by its own outcomes alone, not by those of all arms"),
        ):
            if is_so:
                raise InvalidInputError("policy", terms.policy, rule=why, fix=_instead_of(terms.policy))
        policy = find_index_policy(terms.policy)
        self._terms, self._policy = terms, policy
        self._index: Index = policy.indices[0]
        self._decided: tuple[float, float, float, float] | None = None
        if terms.goal == "decide":
            level, rho, mixing, lacking = level_to_decide(terms.guarantee, terms.risk, n_arms=ARMS)
            self._decided = (level, rho, mixing, 0.0 if is_earlier else lacking)
        self._first_pulls = terms.kind.first_pulls
        pool = Question.of("bernoulli", thresholds=[0.5], structure=_structure(1))
        self.shares_items = policy.structure_of(pool) == ITEMS
        self._compares = bool(terms.control) and not all(index.ignores_outcomes for index in policy.indices)
        self._settled = lru_cache(maxsize=8)(self._settled_of)
        self.rule = lru_cache(maxsize=100_000)(self._rule)
        # An ask ranks its arms once to choose and once to write; arms with equal statistics have equal keys.
        self._value = lru_cache(maxsize=10_000)(self._value_of)

    def _rule(self, threshold: float, sigma: float, cost: float, pull_cost: int, items: int = 0) -> ArmRule:
        """Return the rule that ranks and judges an arm with these numbers."""
        question = self._terms.question(
            thresholds=[threshold],
            sigma=sigma,
            costs=[cost * self._terms.stake],
            pull_costs=[amount_of(pull_cost)],
            structure=_structure(items, self._terms.target),
        )
        rule = _rule_of(self._policy.rank(question), 0)
        return ArmRule._make(value.item() if hasattr(value, "item") else value for value in rule)

    def rule_of(self, arm: Arm, ledger: Ledger = NO_ITEMS) -> ArmRule:
        """Return the rule that ranks and judges an arm."""
        return self.rule(arm.threshold, arm.sigma, arm.cost, arm.pull_cost, ledger.items)

    @property
    def needs_all_arms(self) -> bool:
        """Whether keys depend on other arms: with a control as the bar."""
        return self._compares

    def compare(self, arms: Sequence[Arm], ledger: Ledger = NO_ITEMS) -> Comparison:
        """Return all arms of a campaign, by position, beside its control."""
        place = next(k for k, arm in enumerate(arms) if arm.name == self._terms.control)
        settings = tuple((arm.sigma, arm.cost, arm.pull_cost) for arm in arms)
        settled, items = self._settled(settings, place, ledger.items), ledger.items or math.inf
        return Comparison(arms, *settled, first_pulls=self._first_pulls, items=items, share=ledger.share)

    def of_all(self, arms: Sequence[Arm], ledger: Ledger = NO_ITEMS) -> list[float]:
        """Return the sort keys of all arms of a campaign, by position."""
        if self._compares:
            return self.compare(arms, ledger).keys()
        return [self.of(arm, ledger) for arm in arms]

    def _settled_of(
        self, settings: tuple[tuple[float, float, int], ...], place: int, items: int
    ) -> tuple[Ranking, Control, Floats]:
        """Return the ranking of arms with these settings against the control, and their pull costs."""
        sigma, costs, pull_costs = (np.array(column, dtype=np.float64) for column in zip(*settings, strict=True))
        question = self._terms.question(
            sigma=sigma,
            costs=costs * self._terms.stake,
            pull_costs=[amount_of(int(cost)) for cost in pull_costs],
            arms=[str(k) for k in range(len(settings))],
            structure=Structure(np.full(len(settings), items)) if items else None,
            control=place,
            margin=self._terms.margin,
        )
        return self._policy.rank(question), question.control or Control(place), np.array(question.pull_costs)

    def of(self, arm: Arm, ledger: Ledger = NO_ITEMS) -> float:
        """Return the sort key of an arm: the least is asked next, ties go to the lowest position."""
        if arm.retired:
            return math.inf
        if ledger.pools:
            return self._of_items(arm, ledger)
        return -math.inf if arm.pulls + arm.outstanding < self._first_pulls else self._of_draws(arm)

    def _of_draws(self, arm: Arm) -> float:
        """Return the sort key of an arm whose outcomes are independent draws."""
        settings = arm.threshold, arm.sigma, arm.cost, arm.pull_cost
        return self._value(settings, arm.pulls, arm.outstanding, arm.total, arm.squares)

    def _of_items(self, arm: Arm, ledger: Ledger) -> float:
        """Return the sort key of an arm that answers items: infinite once it is certain, or has no item left."""
        asked, size = arm.pulls + arm.outstanding, ledger.items
        if asked >= size:
            return math.inf
        if asked < self._first_pulls:
            return -math.inf
        rule, count = self.rule_of(arm, ledger), float(arm.pulls)
        if arm.pulls == 0:
            return float(_urgency_in_flight(rule, 0.0, 0.0, 0.0, float(arm.outstanding)))
        if rule.size == math.inf:  # a policy that takes the draws for independent ones
            return self._of_draws(arm)
        is_sample = self._terms.target == POPULATION
        if not is_sample and _certain_side(count, arm.total, rule.threshold, rule.size, rule.low, rule.high):
            return math.inf
        total, share = arm.total, 1.0
        if self.shares_items:
            total, share = _adjusted_total(count, total, Effects(arm.effects, arm.centre)), ledger.share
        seen = count + rule.pseudo_count
        evidence = _evidence_of(
            rule.evidence, seen, total + rule.pseudo_total, arm.squares, rule.threshold, rule.precision
        )
        if is_sample:
            variance = Variance(1.0, share, for_population=True)
            known = _repeated_in_flight(arm.pulls, seen, evidence, arm.outstanding, size, 1, variance)
        else:
            known = _effective_in_flight(count, seen, evidence, float(arm.outstanding), rule.size, share)
        return self._key(rule, *known)

    def _value_of(
        self, settings: tuple[float, float, float, int], pulls: int, outstanding: int, total: float, squares: float
    ) -> float:
        """Return the sort key of an arm that has its first pulls, from all that it depends on."""
        rule = self.rule(*settings)
        if pulls == 0:
            return float(_urgency_in_flight(rule, 0.0, 0.0, 0.0, float(outstanding)))
        seen = pulls + rule.pseudo_count
        told = _evidence_of(rule.evidence, seen, total + rule.pseudo_total, squares, rule.threshold, rule.precision)
        return self._key(rule, seen + outstanding, _evidence_in_flight(told, seen, float(outstanding)))

    def _key(self, rule: ArmRule, samples: float, evidence: float, gain: float = 1.0) -> float:
        """Return the sort key by what an arm is expected to know, and how many samples its next pull is worth.

        It is within the range of a float; that of a user-defined formula that returns NaN is the last one.
        """
        if self._decided is None:
            value = self._index(samples, evidence, rule.cost * gain, rule.parameter)
        else:
            value = _decide_formula(samples, evidence, *self._decided) / gain
        return min(max(value, -LARGEST), LARGEST) if value == value else LARGEST


def _structure(items: int, target: str = ITEMS) -> Structure | None:
    """Return the structure of one arm that answers so many items."""
    return Structure(np.array([items]), np.ones((1, items), np.bool_), target) if items else None
