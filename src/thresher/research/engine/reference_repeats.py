"""Items with repeats in the reference engine: the readable version of :mod:`thresher.policy.repeated_items`."""

from __future__ import annotations

import math

from thresher.inference import FEWEST_DEGREES, FIRST_FIT, GROWTH, PSEUDO_DEGREES, Effects, Variance, signals_in
from thresher.policy import RuleSetup, State, repeated_index, rule_of, verdict_of
from thresher.research.engine.reference_items import Fitted


class RepeatedItems:
    """The items of a run: what was told of each, their effects, and the ranking and judging of arms by them."""

    def __init__(self, known: RuleSetup) -> None:
        self.rules = [rule_of(known.ranking, k) for k in range(known.thresholds.size)]
        self.layout = [[i for i, has in enumerate(row) if has] for row in known.items]
        self.repeats, self.shares_items = int(known.parameters[0]), bool(known.parameters[1])
        self.told: list[dict[int, list[float]]] = [{} for _ in self.rules]
        # Signals count from the first fit on.
        self.signals = signals_in(known.items, None, None)
        self.fitted, self.rho = self.fit(), 0.0
        self.signals = known.signals
        self.due = FIRST_FIT * len(self.rules)

    def fit(self) -> Fitted:
        """Return the effects of items, fitted to the mean outcome of each arm on each item."""
        means = [{item: sum(values) / len(values) for item, values in told.items()} for told in self.told]
        fitted = Fitted(means, self.layout, self.signals)
        if not self.shares_items:
            fitted.slope, fitted.share, fitted.slopes = 0.0, 1.0, [0.0] * len(means)
            fitted.told, fitted.centres = [0.0] * len(means), [0.0] * len(means)
        return fitted

    def fit_rho(self) -> float:
        """Return the share of the variance of an outcome that lies between items; 0 with too few repeats."""
        within = degrees = weighted = 0.0
        for told in self.told:
            own, total, number = 0.0, 0.0, 0.0
            for item in sorted(told):
                values = told[item]
                total, number = total + sum(values), number + len(values)
                within += sum(values) - sum(values) * sum(values) / len(values)
                own += len(values) - 1.0
            if own > 0.0:
                degrees += own
                weighted += own * (total - total * total / number) / (number - 1.0)
        if degrees < FEWEST_DEGREES or weighted <= 0.0:
            return 0.0
        variance = weighted / degrees
        return min(max(1.0 - (within + PSEUDO_DEGREES * variance) / ((degrees + PSEUDO_DEGREES) * variance), 0.0), 1.0)

    def tell(self, k: int, item: int, outcome: float) -> None:
        """Note an answer; the first one on an item has the effect of the last fit."""
        if item not in self.told[k]:
            self.fitted.told[k] += self.fitted.effect_on_others(k, item)
        self.told[k].setdefault(item, []).append(outcome)

    def refit(self, pulls: int) -> bool:
        """Fit effects and repeats again if it is time; return whether it was."""
        if pulls < self.due:
            return False
        self.fitted, self.rho, self.due = self.fit(), self.fit_rho(), GROWTH * pulls
        return True

    def index_of(self, k: int, state: State) -> float:
        """Return the index of an arm; the arm of least index is pulled next."""
        if not state.is_open[k]:
            return math.inf
        told, outstanding = int(state.counts[k]), int(state.asked[k] - state.counts[k])
        effects = Effects(self.fitted.told[k], self.fitted.centres[k])
        variance = Variance(self.rho, self.fitted.share, for_population=False)
        total, squares = float(state.totals[k]), float(state.squares[k])
        found = repeated_index(self.rules[k], told, total, squares, outstanding, self.repeats, effects, variance)
        return float(found)

    def verdicts(self, state: State) -> list[int]:  # noqa: ARG002
        """Return the side of every arm by the mean over items of the items' means, by a fit to all that was told."""
        fitted, sides = self.fit(), []
        for k, (rule, told) in enumerate(zip(self.rules, self.told, strict=True)):
            total = 0.0
            for item in sorted(told):
                total += sum(told[item]) / len(told[item])
            sides.append(int(verdict_of(rule, float(len(told)), fitted.adjusted_total(k, float(len(told)), total))))
        return sides
