"""Shared items in the reference engine: the readable version of :mod:`thresher.policy.shared_items`."""

from __future__ import annotations

import math

from thresher.policy.ranking import rule_of, structured_urgency, urgency_in_flight, verdict_of
from thresher.policy.rule import Known, State
from thresher.policy.shared_items import ERRORS, FIRST_FIT, GROWTH, LEAST_SHARE, SHRINKAGE, STEEPEST
from thresher.problem.sampling import certain_side

Answers = list[dict[int, float]]


class Fitted:
    """The effects of items, fitted to what all arms have answered.

    Parameters
    ----------
    answers : list of dict
        Of each arm: its outcome by item.
    layout : list of list of int
        Of each arm: the items that it has.
    """

    def __init__(self, answers: Answers, layout: list[list[int]]) -> None:
        self.means = [_sum_of(told) / len(told) if told else 0.0 for told in answers]
        self.sums, self.counts = dict[int, float](), dict[int, float]()
        for told, mean in zip(answers, self.means, strict=True):
            for item in sorted(told):
                self.sums[item] = self.sums.get(item, 0.0) + (told[item] - mean)
                self.counts[item] = self.counts.get(item, 0.0) + 1.0
        self.slope, self.share = self._regress(answers)
        self.told, self.centres = list[float](), list[float]()
        for k, items in enumerate(layout):
            told_effects = whole = 0.0
            for item in items:
                if item in answers[k]:
                    effect = self.slope * self._without(k, answers[k][item], item)
                    told_effects += effect / (self.counts[item] - 1.0 + SHRINKAGE)
                    whole += effect / (self.counts[item] - 1.0 + SHRINKAGE)
                else:
                    whole += self.effect_on_others(item)
            self.told.append(told_effects)
            self.centres.append(whole / len(items))

    def _without(self, k: int, outcome: float, item: int) -> float:
        """Return the sum of the residuals of an item without that of one arm."""
        return self.sums[item] - (outcome - self.means[k])

    def effect_on_others(self, item: int) -> float:
        """Return the effect of an item on an arm that has not answered it."""
        return self.slope * self.sums.get(item, 0.0) / (self.counts.get(item, 0.0) + SHRINKAGE)

    def _regress(self, answers: Answers) -> tuple[float, float]:
        """Return the slope of residuals on the effects of their items, and the share of the variance that is left."""
        products = squares = residuals = spread = 0.0
        for k, told in enumerate(answers):
            for item in sorted(told) if len(told) > 1 else ():
                d = told[item] - self.means[k]
                effect = self._without(k, told[item], item) / (self.counts[item] - 1.0 + SHRINKAGE)
                products, squares = products + d * effect, squares + effect * effect
                residuals, spread = residuals + d * d, spread + d * d * effect * effect
        if squares <= 0.0 or residuals <= 0.0 or products <= ERRORS * math.sqrt(2.0 * spread):
            return 0.0, 1.0
        slope = min(products / squares, STEEPEST)
        share = 1.0 - slope * (2.0 * products - slope * squares) / residuals
        return slope, min(max(share, LEAST_SHARE), 1.0)

    def adjusted_total(self, k: int, count: float, total: float) -> float:
        """Return the sum of the outcomes of an arm, adjusted for its items."""
        return total - self.told[k] + count * self.centres[k]


def _sum_of(told: dict[int, float]) -> float:
    total = 0.0
    for item in sorted(told):
        total += told[item]
    return total


class SharedItems:
    """The items of a run: their effects, and the ranking and judging of arms by them."""

    def __init__(self, known: Known) -> None:
        self.rules = [rule_of(known.ranking, k) for k in range(known.thresholds.size)]
        self.layout = [[i for i, has in enumerate(row) if has] for row in known.items]
        self.answers: Answers = [{} for _ in self.rules]
        self.fitted = Fitted(self.answers, self.layout)
        self.due = FIRST_FIT * len(self.rules)

    def tell(self, k: int, item: int, outcome: float) -> None:
        """Note an answer; its effect is that of the last fit."""
        self.answers[k][item] = outcome
        self.fitted.told[k] += self.fitted.effect_on_others(item)

    def refit(self, pulls: int) -> bool:
        """Fit the effects again if it is time; return whether it was."""
        if pulls < self.due:
            return False
        self.fitted, self.due = Fitted(self.answers, self.layout), GROWTH * pulls
        return True

    def index_of(self, k: int, state: State) -> float:
        """Return the adjusted index of an arm; the arm of least index is pulled next."""
        if not state.is_open[k]:
            return math.inf
        told, outstanding = float(state.counts[k]), float(state.asked[k] - state.counts[k])
        if told == 0.0:
            return float(urgency_in_flight(self.rules[k], 0.0, 0.0, 0.0, outstanding))
        if self._certain_side(k, state) != 0:
            return math.inf
        total = self.fitted.adjusted_total(k, told, float(state.totals[k]))
        squares = float(state.squares[k])
        return float(structured_urgency(self.rules[k], told, total, squares, outstanding, self.fitted.share))

    def _certain_side(self, k: int, state: State) -> int:
        rule, told = self.rules[k], float(state.counts[k])
        return int(certain_side(told, state.totals[k], rule.threshold, rule.size, rule.low, rule.high))

    def verdicts(self, state: State) -> list[int]:
        """Return the side of every arm, by a fit to all that was told by now."""
        fitted = Fitted(self.answers, self.layout)
        sides = []
        for k, rule in enumerate(self.rules):
            told = float(state.counts[k])
            total = fitted.adjusted_total(k, told, float(state.totals[k]))
            sides.append(self._certain_side(k, state) or int(verdict_of(rule, told, total)))
        return sides
