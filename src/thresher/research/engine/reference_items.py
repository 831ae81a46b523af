"""Shared items in the reference engine: the readable version of :mod:`thresher.policy.shared_items`."""

from __future__ import annotations

import math
from collections.abc import Iterable

from thresher.inference import (
    ERRORS,
    FIRST_FIT,
    GROWTH,
    LEAST_LEFT,
    LEAST_SHARE,
    LESS_SCORED,
    OWN,
    RANKED,
    RIDGE,
    SHRINKAGE,
    STEEPEST,
    Signals,
    signals_in,
)
from thresher.policy import RuleSetup, State, index_in_flight, rule_of, structured_index, verdict_of
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
    signals : Signals
        Of past arms and of a proxy.
    """

    def __init__(self, answers: Answers, layout: list[list[int]], signals: Signals) -> None:
        self.means = [_sum_of(told) / len(told) if told else 0.0 for told in answers]
        self.sums: dict[int, float] = dict(enumerate(signals.past_sums.tolist()))
        self.counts: dict[int, float] = dict(enumerate(signals.past_counts.tolist()))
        self.scores: list[list[float]] = signals.scores.tolist() or [[0.0] * len(self.sums)] * len(answers)
        for told, mean in zip(answers, self.means, strict=True):
            for item in sorted(told):
                self.sums[item] += told[item] - mean
                self.counts[item] += 1.0
        self.unevenness = [1.0] * len(answers)
        self.slope, self.share, self.slopes = self._regress(answers, signals)
        self.told, self.centres = list[float](), list[float]()
        for k, items in enumerate(layout):
            told_effects = whole = 0.0
            for item in items:
                if item in answers[k]:
                    effect = self.slope * self._without(k, answers[k][item], item)
                    effect = effect / (self.counts[item] - 1.0 + SHRINKAGE) + self.slopes[k] * self.scores[k][item]
                    told_effects += effect
                    whole += effect
                else:
                    whole += self.effect_on_others(k, item)
            self.told.append(told_effects)
            self.centres.append(whole / len(items))

    def _without(self, k: int, outcome: float, item: int) -> float:
        """Return the sum of the residuals of an item without that of one arm."""
        return self.sums[item] - (outcome - self.means[k])

    def effect_on_others(self, k: int, item: int) -> float:
        """Return the effect of an item on an arm that has not answered it."""
        by_others = self.slope * self.sums[item] / (self.counts[item] + SHRINKAGE)
        return by_others + self.slopes[k] * self.scores[k][item]

    def _regress(self, answers: Answers, signals: Signals) -> tuple[float, float, list[float]]:
        """Return the slope of residuals on the effects of their items, the share that is left, the slopes on scores."""
        products, squares, residuals, spread = signals.moments.tolist()
        for k, told in enumerate(answers):
            for item in sorted(told) if len(told) > 1 else ():
                d = told[item] - self.means[k]
                effect = self._without(k, told[item], item) / (self.counts[item] - 1.0 + SHRINKAGE)
                products, squares = products + d * effect, squares + effect * effect
                residuals, spread = residuals + d * d, spread + d * d * effect * effect
        matters = squares > 0.0 and residuals > 0.0 and products > ERRORS * math.sqrt(2.0 * spread)
        if signals.is_scored:
            past, past_squares, _, _ = signals.moments.tolist()
            both = (products - LESS_SCORED * past, squares - LESS_SCORED * past_squares)
            return self._regress_scores(answers, *(both if matters else (0.0, 0.0)))
        if not matters:
            return 0.0, 1.0, [0.0] * len(answers)
        slope = min(products / squares, STEEPEST)
        share = 1.0 - slope * (2.0 * products - slope * squares) / residuals
        return slope, min(max(share, LEAST_SHARE), 1.0), [0.0] * len(answers)

    def _regress_scores(self, answers: Answers, products: float, squares: float) -> tuple[float, float, list[float]]:
        """Return the same of a regression on the effects of items and the scores of answers together."""
        arms = [(k, self._regressors(k, told)) for k, told in enumerate(answers) if len(told) > 1]
        crossed = _total(effect * z for _, rows in arms for _, effect, z in rows)
        along = _total(d * z for _, rows in arms for d, _, z in rows)
        scores = _total(z * z for _, rows in arms for _, _, z in rows)
        residuals, count = _total(d * d for _, rows in arms for d, _, _ in rows), sum(len(rows) for _, rows in arms)
        if scores <= 0.0 or residuals <= 0.0:
            return (min(products / squares, STEEPEST) if squares > 0.0 else 0.0), 1.0, [0.0] * len(answers)
        ridged, weight = scores + RIDGE * (scores / count), OWN * (scores / count)
        determinant = squares * ridged - crossed * crossed
        slope = (products * ridged - crossed * along) / determinant if determinant > 0.0 else 0.0
        slope = min(max(slope, 0.0), STEEPEST)
        common = (along - slope * crossed) / ridged
        slopes, lefts, by_items = [common] * len(answers), dict[int, float](), dict[int, float]()
        for k, rows in arms:
            above, below = weight * common, weight
            for d, effect, z in rows:
                above, below = above + z * (d - slope * effect), below + z * z
            slopes[k] = above / below
            rests = [d - slope * effect - slopes[k] * z for d, effect, z in rows]
            lefts[k] = _total(rest * rest for rest in rests)  # a power may differ in the last bit
            rests = [d - slope * effect for d, effect, _ in rows]
            by_items[k] = _total(rest * rest for rest in rests)
        left, before = _total(lefts.values()), _total(by_items.values())
        share, by_scores = max(_ridged_share(left, residuals, count), LEAST_LEFT), _ridged_share(left, before, count)
        weight = RANKED * (before / count)
        for k in lefts if weight > 0.0 else ():
            own = (lefts[k] + weight * by_scores) / (by_items[k] + weight)
            self.unevenness[k] = max(own, by_scores) / by_scores
        return slope, share, slopes

    def _regressors(self, k: int, told: dict[int, float]) -> list[tuple[float, float, float]]:
        """Return, of each item that an arm was told: its residual, the effect of the item, and its score."""
        centre = _total(self.scores[k][item] for item in sorted(told)) / len(told)
        return [
            (
                told[item] - self.means[k],
                self._without(k, told[item], item) / (self.counts[item] - 1.0 + SHRINKAGE),
                self.scores[k][item] - centre,
            )
            for item in sorted(told)
        ]

    def adjusted_total(self, k: int, count: float, total: float) -> float:
        """Return the sum of the outcomes of an arm, adjusted for its items."""
        return total - self.told[k] + count * self.centres[k]


def _ridged_share(left: float, squares: float, count: int) -> float:
    """Return the share of the variance that is left in all arms, drawn to 1; 1 if there was nothing to explain."""
    pseudo = RIDGE * (squares / count)
    return min((left + pseudo) / (squares + pseudo), 1.0) if squares > 0.0 else 1.0


def _sum_of(told: dict[int, float]) -> float:
    return _total(told[item] for item in sorted(told))


def _total(numbers: Iterable[float]) -> float:
    """Return the sum, added one by one as compiled code does."""
    total = 0.0
    for number in numbers:
        total += number
    return total


class SharedItems:
    """The items of a run: their effects, and the ranking and judging of arms by them."""

    def __init__(self, known: RuleSetup) -> None:
        self.rules = [rule_of(known.ranking, k) for k in range(known.thresholds.size)]
        self.layout = [[i for i, has in enumerate(row) if has] for row in known.items]
        self.answers: Answers = [{} for _ in self.rules]
        self.signals = known.signals
        # Signals count from the first fit on.
        self.fitted = Fitted(self.answers, self.layout, signals_in(known.items, None, None))
        self.due = FIRST_FIT * len(self.rules)

    def tell(self, k: int, item: int, outcome: float) -> None:
        """Note an answer; its effect is that of the last fit."""
        self.answers[k][item] = outcome
        self.fitted.told[k] += self.fitted.effect_on_others(k, item)

    def refit(self, pulls: int) -> bool:
        """Fit the effects again if it is time; return whether it was."""
        if pulls < self.due:
            return False
        self.fitted, self.due = Fitted(self.answers, self.layout, self.signals), GROWTH * pulls
        return True

    def index_of(self, k: int, state: State) -> float:
        """Return the adjusted index of an arm; the arm of least index is pulled next."""
        if not state.is_open[k]:
            return math.inf
        told, outstanding = float(state.counts[k]), float(state.asked[k] - state.counts[k])
        if told == 0.0:
            return float(index_in_flight(self.rules[k], 0.0, 0.0, 0.0, outstanding))
        if self._certain_side(k, state) != 0:
            return math.inf
        total = self.fitted.adjusted_total(k, told, float(state.totals[k]))
        squares, share = float(state.squares[k]), self.fitted.share * self.fitted.unevenness[k]
        return float(structured_index(self.rules[k], told, total, squares, outstanding, share))

    def _certain_side(self, k: int, state: State) -> int:
        rule, told = self.rules[k], float(state.counts[k])
        return int(certain_side(told, state.totals[k], rule.threshold, rule.size, rule.low, rule.high))

    def verdicts(self, state: State) -> list[int]:
        """Return the side of every arm, by a fit to all that was told by now."""
        fitted = Fitted(self.answers, self.layout, self.signals)
        sides = []
        for k, rule in enumerate(self.rules):
            told = float(state.counts[k])
            total = fitted.adjusted_total(k, told, float(state.totals[k]))
            sides.append(self._certain_side(k, state) or int(verdict_of(rule, told, total)))
        return sides
