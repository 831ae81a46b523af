"""The sort key of an arm's next pull in a live campaign: its index, by the formulas of the simulator."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from thresher.campaign.ledger.control import ControlRanking
from thresher.campaign.ledger.rows import Arm, Ledger
from thresher.campaign.ledger.terms import Terms
from thresher.errors import InvalidInputError
from thresher.inference import Effects, Variance
from thresher.jit import plain
from thresher.policy import (
    LARGEST,
    ArmRule,
    Ranking,
    adjusted_index,
    find_index_policy,
    find_policy,
    index_in_flight,
    is_certain,
    repeated_index,
    rule_of,
)
from thresher.policy.goals import index_to_decide, level_to_decide
from thresher.policy.index import USER_CODE
from thresher.problem import ITEMS, NONE, POPULATION, Question, Structure, amount_of
from thresher.problem.bars import Control
from thresher.types import Floats

# Interpreted: calling the compiled ones takes longer, and the first call would load a compiler.
_rule_of, _index_in_flight = plain(rule_of), plain(index_in_flight)
_adjusted_index, _repeated_index, _is_certain = plain(adjusted_index), plain(repeated_index), plain(is_certain)

Settings: TypeAlias = tuple[float, float, float, int, int]  # threshold, σ, mistake cost and pull cost of an arm; items
NO_ITEMS = Ledger()
ARMS = 32  # for the level of ``fwer``: arms may be added later, and the level depends on their logarithm alone


def _instead_of(policy: str) -> str:
    """Return how to fix a policy that a campaign cannot have."""
    if policy.partition(":")[0] == "decide":
        return "leave the policy out and set goal='decide', which measures for decisions"
    return "use one that ranks each arm by an index, such as 'stopping'"


class SortKeys:
    """The sort keys of arms under the terms of a campaign.

    Without a control a key depends on its arm alone, and on the last refit.

    They are the formulas of the simulator: :func:`thresher.policy.index_in_flight`, with items
    :func:`thresher.policy.shared_items.adjusted_index`, and for items that are asked several times or stand for a
    population :func:`thresher.policy.repeated_items.repeated_index`. Nothing is compiled here: an ask takes less time
    than loading a compiler.

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
            (traits.needs_truth, "must not need the true means, which a campaign does not have"),
            (traits.needs_all_arms, "must rank each arm by its own outcomes alone, not by those of all arms"),
        ):
            if is_so:
                raise InvalidInputError("policy", terms.policy, rule=why, fix=_instead_of(terms.policy))
        policy = find_index_policy(terms.policy)
        self._terms, self._policy = terms, policy
        self._to_decide: Callable[..., float] | None = None
        if terms.goal == "decide":
            level = level_to_decide(terms.guarantee, terms.risk, n_arms=ARMS)
            self._to_decide = index_to_decide(*level[:3], 0.0 if is_earlier else level[3])
        self._first_pulls = terms.kind.first_pulls
        pool = Question.of("bernoulli", thresholds=[0.5], structure=self._structure(1))
        self.shares_items = policy.structure_of(pool) == ITEMS
        # Whether keys depend on a fit to the outcomes of all arms.
        self.is_fitted = self.shares_items or (terms.repeats > 1 and policy.structure_of(pool) != NONE)
        # Whether keys depend on other arms: with a control as the bar.
        self.needs_all_arms = bool(terms.control) and not all(index.ignores_outcomes for index in policy.indices)
        self._settled = lru_cache(maxsize=8)(self._settled_of)
        self.rule = lru_cache(maxsize=100_000)(self._rule)
        # An ask ranks its arms once to choose and once to write; arms with equal statistics have equal keys.
        self._by_draws = lru_cache(maxsize=10_000)(self._index_by_draws)

    def _rule(self, threshold: float, sigma: float, cost: float, pull_cost: int, items: int = 0) -> ArmRule:
        """Return the rule that ranks and judges an arm with these numbers."""
        question = self._terms.question(
            thresholds=[threshold],
            sigma=sigma,
            costs=[cost * self._terms.stake],
            pull_costs=[amount_of(pull_cost)],
            structure=self._structure(items),
        )
        rule = _rule_of(self._policy.rank(question), 0)
        return ArmRule._make(value.item() if hasattr(value, "item") else value for value in rule)

    def rule_of(self, arm: Arm, ledger: Ledger = NO_ITEMS) -> ArmRule:
        """Return the rule that ranks and judges an arm."""
        return self.rule(arm.threshold, arm.sigma, arm.cost, arm.pull_cost, ledger.items)

    def compare(self, arms: Sequence[Arm], ledger: Ledger = NO_ITEMS) -> ControlRanking:
        """Return all arms of a campaign, by position, with its control."""
        place = next(k for k, arm in enumerate(arms) if arm.name == self._terms.control)
        settings = tuple((arm.sigma, arm.cost, arm.pull_cost) for arm in arms)
        settled, items = self._settled(settings, place, ledger.items), ledger.items or math.inf
        return ControlRanking(arms, *settled, first_pulls=self._first_pulls, items=items, share=ledger.share)

    def of_all(self, arms: Sequence[Arm], ledger: Ledger = NO_ITEMS) -> list[float]:
        """Return the sort keys of all arms of a campaign, by position."""
        if self.needs_all_arms:
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
        asked, items = arm.pulls + arm.outstanding, ledger.items
        if arm.retired or asked >= (ledger.turns or math.inf):
            return math.inf
        if asked < self._first_pulls:
            return -math.inf
        settings = arm.threshold, arm.sigma, arm.cost, arm.pull_cost, items
        numbers = arm.pulls, arm.total, arm.squares, arm.outstanding
        if self._is_sample(settings):
            return self._of_sample(arm, ledger, self._ranked(settings))
        if items == 0 or not self.shares_items:
            return self._by_draws(settings, *numbers)
        effects, share = Effects(arm.effects, arm.centre), ledger.share * arm.unevenness
        return _stored(_adjusted_index, self._ranked(settings), *map(float, numbers), effects, share)

    def _is_sample(self, settings: Settings) -> bool:
        """Return whether all outcomes of an arm leave its mean unknown; not if draws count as independent."""
        terms = self._terms
        return (terms.target == POPULATION or terms.repeats > 1) and self.rule(*settings).size < math.inf

    def _of_sample(self, arm: Arm, ledger: Ledger, rule: ArmRule) -> float:
        """Return the sort key of an arm whose items are asked several times, or are a sample: it is never certain."""
        shared, terms = self.shares_items, self._terms
        effects = Effects(arm.effects, arm.centre) if shared else Effects(0.0, 0.0)
        rho = ledger.rho if ledger.fitted else terms.item_sampling.cautious_rho
        variance = Variance(
            rho if terms.repeats > 1 else 1.0, ledger.share if shared else 1.0, terms.target == POPULATION
        )
        numbers = arm.pulls, arm.total, arm.squares, arm.outstanding
        value = _repeated_index(rule, *numbers, terms.repeats, effects, variance)
        return float(value) if value < math.inf else LARGEST

    def _structure(self, items: int) -> Structure | None:
        """Return the structure of one arm that answers this many items."""
        return self._terms.structure(np.array([items]), np.ones((1, items), np.bool_)) if items else None

    def _index_by_draws(self, settings: Settings, pulls: int, total: float, squares: float, outstanding: int) -> float:
        """Return the sort key of an arm from all that it depends on if outcomes of other arms do not count."""
        return _stored(_index_in_flight, self._ranked(settings), float(pulls), total, squares, float(outstanding))

    def _ranked(self, settings: Settings) -> ArmRule:
        """Return the rule that ranks an arm: by its index, or by how near it is to a decision."""
        rule = self.rule(*settings)
        return rule if self._to_decide is None else rule._replace(code=USER_CODE, user=self._to_decide, cost=1.0)


def _stored(formula: Callable[..., float], rule: ArmRule, count: float, total: float, *more: Any) -> float:
    """Return an index as it is stored: infinite only if no other outcome can change the side of the arm.

    That of a user-defined formula that returns infinity or NaN is the largest number.
    """
    value = formula(rule, count, total, *more)
    if value < math.inf:
        return float(value)
    return math.inf if _is_certain(rule, count, total) else LARGEST
