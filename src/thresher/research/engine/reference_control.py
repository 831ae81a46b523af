"""A control as the reference engine plays it, to be read: the twin of :mod:`thresher.policy.control_rule`."""

from __future__ import annotations

import math

from thresher.inference import ToldOutcomes, certain_difference, difference
from thresher.policy import RuleSetup, State, rule_of
from thresher.policy.index import index_of
from thresher.research.engine.reference_items import Fitted, SharedItems
from thresher.types import Floats


class Controlled:
    """How a run ranks and judges arms whose bar is a control; everything is computed again for each choice."""

    def __init__(self, known: RuleSetup, items: SharedItems | None = None) -> None:
        self.items = items
        self.control, self.pull_costs = known.control, known.parameters
        self.rules = [rule_of(known.ranking, k) for k in range(known.thresholds.size)]
        self.arms = [k for k in range(len(self.rules)) if k != self.control.arm]

    def told(self, k: int, state: State, fitted: Fitted | None) -> ToldOutcomes:
        """Return what was told of an arm, adjusted for its items if there is a fit of them."""
        rule, count, total = self.rules[k], float(state.counts[k]), float(state.totals[k])
        outstanding = float(state.asked[k]) - count
        numbers = count, total, float(state.squares[k]), outstanding
        told = ToldOutcomes(*numbers, float(rule.threshold), float(rule.precision), float(rule.size))
        if fitted is None:
            return told
        excess = count * fitted.centres[k] - fitted.told[k]
        if excess != 0.0:
            excess = min(max(total + excess, count * rule.low), count * rule.high) - total
        return told._replace(excess=excess, share=fitted.share)

    def keys(self, indices: Floats, state: State) -> None:
        """Fill in the key of every arm: minus the logarithm of the value of its next pull."""
        fitted = None if self.items is None else self.items.fitted
        other, terms = self.told(self.control.arm, state, fitted), dict[int, float]()
        for k in self.arms:
            rule, arm = self.rules[k], self.told(k, state, fitted)
            if self.certain_side(arm, other) != 0:
                indices[k] = math.inf
                continue
            known = difference(rule.evidence, arm, other, self.control, rule.pseudo_count)
            if known.samples == math.inf:
                indices[k] = math.inf
                continue
            index = index_of(rule.code, rule.user, known.samples, known.evidence, rule.cost, rule.parameter)
            price = min(-float(index), math.log(0.5 * rule.cost))
            indices[k] = -(price + math.log(known.gain))
            terms[k] = price + math.log(known.control_gain) + math.log(self.pull_costs[k])
        top = max(terms.values(), default=-math.inf)
        total = 0.0
        for term in terms.values():
            total += math.exp(term - top)
        log_sum = top + math.log(total) if total > 0.0 else -math.inf
        indices[self.control.arm] = math.log(self.pull_costs[self.control.arm]) - log_sum

    def certain_side(self, arm: ToldOutcomes, other: ToldOutcomes) -> int:
        """Return the side of an arm if what is left in the pools cannot change it, else 0."""
        return int(certain_difference(arm, other, self.control, self.rules[0].low, self.rules[0].high))

    def verdicts(self, state: State) -> list[int]:
        """Return the side of every arm, and 0 for the control, by a fit of the items to all that was told by now."""
        fitted = None if self.items is None else Fitted(self.items.answers, self.items.layout, self.items.signals)
        sides, other = [0] * len(self.rules), self.told(self.control.arm, state, fitted)
        for k in self.arms:
            arm = self.told(k, state, fitted)
            if arm.pulls == 0.0 or other.pulls == 0.0:
                continue
            bar = self.control.ratio * ((other.total + other.excess) / other.pulls)
            above = (arm.total + arm.excess) / arm.pulls - bar - self.control.margin > 0.0
            sides[k] = self.certain_side(arm, other) or (1 if above else -1)
        return sides
