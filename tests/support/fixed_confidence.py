"""The rules that stop by themselves, written again in plain Python, to compare the compiled ones with.

The formulas for one arm and the random streams are the shared ones; what is written again is what is done with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.policy.algorithm import AlgorithmPolicy
from thresher.policy.literature.fixed_confidence.any_above import good_arm_level, track_level
from thresher.policy.literature.fixed_confidence.apt_g import apt_g_score
from thresher.policy.literature.fixed_confidence.discoveries import (
    corrected,
    discovery_level,
    discovery_radius,
    family_level,
)
from thresher.policy.literature.fixed_confidence.glr_apt import glr_radius
from thresher.policy.literature.fixed_confidence.good_arms import good_arm_radius
from thresher.policy.literature.fixed_confidence.hdoc import hdoc_score
from thresher.policy.literature.fixed_confidence.lucb_g import lucb_g_score
from thresher.policy.literature.fixed_confidence.murphy import beta_above, normal_above
from thresher.policy.literature.fixed_confidence.posterior_draws import MeanPosterior, draw_above
from thresher.policy.literature.fixed_confidence.sticky_tas import forced_share
from thresher.policy.literature.fixed_confidence.warm_up import first_rounds, lil_radius
from thresher.problem import Problem
from thresher.research.engine.draws import arms_of, outcome_at
from thresher.research.engine.reference import drawn_arms
from thresher.streams import CHOICES, arm_key, run_key, uniform, word_at


@dataclass(frozen=True)
class Ended:
    """How one run ended: pulls of each arm, verdicts (1, -1, 0), pulls at each output, whether it stopped itself."""

    counts: list[int]
    verdicts: list[int]
    outputs: list[int]
    stopped: bool


class Run:
    """One run as far as it has gone."""

    def __init__(self, policy: AlgorithmPolicy, problem: Problem, alpha: float, seed: int, run: int) -> None:
        self.name, self.parameters = policy.algorithm.name, policy.parameters
        self.alpha, self.rounds, self.arms = alpha, 1, arms_of(problem)
        self.is_binary = problem.family == "bernoulli"
        if self.name == "lil-hdoc":
            epsilon, first = self.parameters
            self.rounds = int(first) or first_rounds(epsilon, problem.n_arms, alpha)
        self.drawn, self.n_arms = drawn_arms(self.arms, seed, run), problem.n_arms
        self.choices: Any = np.uint64(arm_key(np.uint64(run_key(seed, run)), CHOICES))
        self.every = range(self.n_arms)
        self.counts, self.totals = [0] * self.n_arms, [0.0] * self.n_arms
        self.verdicts, self.outputs = [0] * self.n_arms, list[int]()

    @property
    def pulls(self) -> int:
        """Pulls of all arms so far."""
        return sum(self.counts)

    def gap(self, k: int) -> float:
        """Return the empirical mean of an arm, counted from its bar."""
        return self.totals[k] / self.counts[k]

    def sigma(self, k: int) -> float:
        """Return σ of an arm."""
        return float(self.drawn[k].sigma)

    def evidence(self, k: int) -> float:
        """Return the evidence of an arm, as the compiled rules compute it."""
        return self.counts[k] * self.gap(k) * self.gap(k) * (0.5 / (self.sigma(k) * self.sigma(k)))

    def pull(self, k: int) -> None:
        """Pull an arm."""
        outcome = outcome_at(self.drawn[k], self.arms.pool, self.counts[k])
        self.totals[k] += outcome - self.drawn[k].threshold
        self.counts[k] += 1

    def output(self, k: int) -> None:
        """Output an arm as above its bar."""
        self.verdicts[k] = 1
        self.outputs.append(self.pulls)

    def open(self) -> list[int]:
        """Return the arms that are neither output nor given up."""
        return [k for k in self.every if self.verdicts[k] == 0]


class GoodArms(Run):
    """HDoC, LUCB-G, APT-G, GLR-APT and lil'HDoC."""

    def choose(self) -> int:
        """Return the open arm of highest score."""
        return max(self.open(), key=self._score)  # the first of equals

    def _score(self, k: int) -> float:
        count, gap = float(self.counts[k]), self.gap(k)
        if self.name == "lucb-g":
            return lucb_g_score(gap, count, self.sigma(k), float(self.n_arms), self.alpha)
        if self.name == "apt-g":
            return apt_g_score(gap, count, self.sigma(k))
        if self.name == "glr-apt":
            return -self.evidence(k)
        return hdoc_score(gap, count, self.sigma(k), float(self.pulls))

    def settle(self, k: int) -> bool:
        """Judge the arm just pulled; return whether no arm is left."""
        count, delta = float(self.counts[k]), self.alpha
        if count >= self.rounds:
            if self.name == "lil-hdoc":
                radius = lil_radius(count, self.sigma(k), float(self.n_arms), delta, self.parameters[0])
            elif self.name == "glr-apt":
                radius = glr_radius(count, self.sigma(k), float(self.n_arms), delta)
            else:
                radius = good_arm_radius(count, self.sigma(k), float(self.n_arms), delta)
            if self.gap(k) - radius >= 0.0:
                self.output(k)
            elif self.gap(k) + radius < 0.0:
                self.verdicts[k] = -1
        return not self.open()


class Discoveries(Run):
    """Jamieson and Jain's rules, by the definition of the set S."""

    inside: frozenset[int] = frozenset()
    waits = False

    def choose(self) -> int:
        """Return the arm of highest score outside of S, or in S where it waits to be output."""
        waiting = [k for k in self.open() if (k in self.inside) == self.waits]
        return max(waiting or self.open(), key=self._score)

    def _score(self, k: int) -> float:
        delta = self.alpha
        level = discovery_level(delta, len(self.inside), k in self.inside, self.parameters[0] == 1.0)
        return self.gap(k) + discovery_radius(float(self.counts[k]), self.sigma(k), delta / level)

    def _clears(self, k: int, delta: float) -> bool:
        return self.gap(k) > 0.0 and self.gap(k) >= discovery_radius(float(self.counts[k]), self.sigma(k), delta)

    def settle(self, k: int) -> bool:
        """Bring S up to date and output; return whether all arms are."""
        delta, pulled = corrected(self.alpha), [k for k in self.every if self.counts[k] > 0]
        self.inside = frozenset()
        for step in range(self.n_arms, 0, -1):
            clear = [k for k in pulled if self._clears(k, delta * step / self.n_arms)]
            if len(clear) >= step:
                self.inside = frozenset(clear)
                break
        level = family_level(self.n_arms, len(self.inside), delta)
        for k in self.open():
            if k in self.inside and (self.name == "jj-fdr" or self._clears(k, self.alpha / level)):
                self.output(k)
        is_first = not self.waits and self.pulls > self.n_arms
        self.waits = is_first and self.name == "jj-fwer" and any(k in self.inside for k in self.open())
        return not self.open()


class AnyAbove(Run):
    """Murphy sampling and sticky Track-and-Stop."""

    def __init__(self, policy: AlgorithmPolicy, problem: Problem, alpha: float, seed: int, run: int) -> None:
        super().__init__(policy, problem, alpha, seed, run)
        self.tracked = [0.0] * self.n_arms

    def settle(self, k: int) -> bool:
        """Answer if what was seen is enough; return whether it was."""
        if self.totals[k] > 0.0:
            if self.evidence(k) > self._level():
                self.output(k)
                return True
        elif all(n > 0 for n in self.counts) and all(
            self.totals[j] <= 0.0 and self.evidence(j) > self._level() for j in self.every
        ):
            self.verdicts = [-1] * self.n_arms
            return True
        return False

    def _level(self) -> float:
        if self.name == "murphy":
            return good_arm_level(float(self.pulls), float(self.n_arms), self.alpha)
        return track_level(float(self.pulls), self.alpha, self.parameters[0])

    def choose(self) -> int:
        """Return the next arm."""
        return self._track() if self.name == "sticky-tas" else self._murphy()

    def _murphy(self) -> int:
        above = [self._above(k) for k in self.every]
        word: Any = np.uint64(word_at(self.choices, self.pulls))
        firsts = [chance * math.prod(1.0 - p for p in above[:k]) for k, chance in enumerate(above)]
        if sum(firsts) == 0.0:
            return max(self.every, key=lambda k: self.gap(k) * math.sqrt(float(self.counts[k])) / self.sigma(k))
        place = uniform(np.uint64(word_at(word, 0))) * sum(firsts)
        first = next(k for k in self.every if place < sum(firsts[: k + 1]))
        chosen = [first] + [k for k in self.every if k > first and uniform(np.uint64(word_at(word, 1 + k))) < above[k]]
        if len(chosen) == 1:
            return first
        return max(chosen, key=lambda k: self._draw(k, np.uint64(word_at(word, 1 + self.n_arms + k))))

    def _above(self, k: int) -> float:
        count, bar = float(self.counts[k]), float(self.drawn[k].threshold)
        if self.is_binary:
            return beta_above(float(round(self.totals[k] + count * bar)), count, bar)
        return normal_above(self.gap(k), count, self.sigma(k))

    def _draw(self, k: int, word: Any) -> float:
        bar = float(self.drawn[k].threshold)
        known = MeanPosterior(self.is_binary, float(self.counts[k]), self.gap(k), bar, self.sigma(k), self._above(k))
        return draw_above(known, word)

    def _track(self) -> int:
        least = forced_share(float(self.pulls), float(self.n_arms))
        weights = self._weights()
        shares = [weight / sum(weights) for weight in weights]
        shift, above = 0.0, -1
        while above != (now := sum(share - shift > least for share in shares)) and now > 0:
            total = sum(share for share in shares if share - shift > least)
            shift, above = (total + (self.n_arms - now) * least - 1.0) / now, now
        for k in self.every:
            self.tracked[k] += max(shares[k] - shift, least)
        return max(self.every, key=lambda k: self.tracked[k] - self.counts[k])

    def _weights(self) -> list[float]:
        if max(self.totals) < 0.0:
            return [1.0 / ((self.gap(k) / self.sigma(k)) * (self.gap(k) / self.sigma(k))) for k in self.every]
        answer = self._answer()
        if self.totals[answer] > 0.0:
            return [1.0 if k == answer else 0.0 for k in self.every]
        return [1.0] * self.n_arms

    def _answer(self) -> int:
        radius = self.parameters[0] + 10.0 * math.log(float(self.pulls))
        if sum(self.evidence(k) for k in self.every if self.totals[k] > 0.0) < radius:
            return 0
        best = max(self.every, key=self.gap)
        return next((a for a in range(best) if self._distance(a) <= radius), best)

    def _distance(self, a: int) -> float:
        """Return the least cost of making arm `a` the highest, by trying every set of higher arms to be lowered."""
        weights = [self.counts[k] / (self.sigma(k) * self.sigma(k)) for k in self.every]
        low = max(self.gap(a), 0.0)

        def cost(x: float) -> float:
            moved = sum(weights[k] * (self.gap(k) - x) ** 2 for k in self.every if k != a and self.gap(k) > x)
            return 0.5 * (weights[a] * (x - self.gap(a)) ** 2 + moved)

        higher = sorted((k for k in self.every if k != a and self.gap(k) > low), key=self.gap, reverse=True)
        pooled = [[a, *higher[:size]] for size in range(1, len(higher) + 1)]
        tried = [sum(weights[k] * self.gap(k) for k in pool) / sum(weights[k] for k in pool) for pool in pooled]
        return min(cost(max(x, low)) for x in [low, *tried])


KINDS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("hdoc", "lucb-g", "apt-g", "glr-apt", "lil-hdoc"), GoodArms),
    **dict.fromkeys(("jj-fdr", "jj-fwer"), Discoveries),
    **dict.fromkeys(("murphy", "sticky-tas"), AnyAbove),
}


def ended(policy: AlgorithmPolicy, problem: Problem, *, alpha: float, most: int, seed: int, run: int) -> Ended:
    """Return how one run ends, with a limit on its pulls."""
    kind, done = KINDS[policy.algorithm.name], False
    game = kind(policy, problem, alpha, seed, run)
    above = [k for k in game.every if game.drawn[k].mean > game.drawn[k].threshold]
    while not done and game.pulls < most:
        is_opening = game.pulls < game.rounds * game.n_arms
        k = game.pulls % game.n_arms if is_opening else game.choose()
        game.pull(k)
        done = game.settle(k)
        if kind is Discoveries and above and all(game.verdicts[k] > 0 for k in above):
            done = True
    return Ended(game.counts, game.verdicts, game.outputs, done)
