"""What a judge of a given agreement would save of the labels of a plan, by simulation.

Tables of answers are drawn as the plan assumes them: an arm of rate `p` answers each item right with probability `p`.
The judge gives every answer its right grade with the probability of the agreement, otherwise the other one. The policy
plays each table with these scores and without them. Answers to one item are drawn independently of each other, so that
the saving is that of the judge alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from thresher.errors import InvalidInputError
from thresher.number_text import exact
from thresher.problem import Combination, Problem
from thresher.research.simulation.plan import FINE, BudgetNeed, crossing
from thresher.research.simulation.simulation import simulate
from thresher.types import Floats

TABLES = 20  # drawn tables of answers, which share the runs


class CurvePoint(NamedTuple):
    """Mistakes at a budget, averaged over tables."""

    budget: float
    mean: float
    stderr: float


@dataclass(frozen=True)
class JudgeSaving:
    """The labels for a target number of mistakes, without a judge and with one.

    Attributes
    ----------
    agreement : float
        Share of the answers on which the judge is right.
    items : int
    without, judged : BudgetNeed
    """

    agreement: float
    items: int
    without: BudgetNeed
    judged: BudgetNeed

    @property
    def saved(self) -> float | None:
        """Share of the labels that the judge saves; None where a budget is not known, below 0 if it costs some."""
        if not self.without.budget or not self.judged.budget:
            return None
        return 1.0 - self.judged.budget / self.without.budget

    @property
    def summary(self) -> str:
        """One sentence: what the judge saves."""
        judge = f"A judge that agrees on {exact(100.0 * self.agreement)} % of the answers"
        if self.saved is None or self.judged.budget is None or self.without.budget is None:
            return f"{judge}: no budget that was tried is enough to tell what it saves."
        labels = f"{round(self.judged.budget):,} labels in place of {round(self.without.budget):,}"
        percent = round(100.0 * self.saved)
        return f"{judge} saves {percent} % of the labels: {labels}." if percent > 0 else f"{judge} saves nothing."

    def to_dict(self) -> dict[str, Any]:
        """Return the saving as ``plan --json`` prints it."""
        needs = {"without": vars(self.without), "judged": vars(self.judged)}
        return {"agreement": self.agreement, "items": self.items, "saved": self.saved, **needs}


def judge_saving(
    problem: Problem,
    *,
    items: int,
    agreement: float,
    mistakes: float,
    policy: str = "stopping",
    runs: int = 400,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> JudgeSaving:
    """Return what a judge would save.

    Parameters
    ----------
    problem : Problem
        Of 0/1 outcomes, with fixed rates or a population.
    items : int
        How many answers each arm gives, all of which the judge grades.
    agreement : float
        Share of the answers on which the judge is right, above 0 and at most 1.
    mistakes, policy, runs, seed
        As for :func:`thresher.research.simulation.plan.plan`; tables share the runs.
    progress : callable, optional
        Called with how many of how many tables are done.

    Raises
    ------
    InvalidInputError
        If outcomes are not 0 and 1, a control is the bar, or the agreement is out of range.
    """
    check_judge(problem, items, agreement)
    rng, tables = np.random.default_rng([seed, items]), min(TABLES, max(runs // 2, 1))
    least, most = float(problem.n_arms), float(problem.n_arms * items)
    budgets = np.geomspace(2.0 * least, most, max(int(FINE * math.log2(max(items / 2, 2)) / 2), 2)).round().tolist()
    losses: dict[bool, list[Floats]] = {False: [], True: []}
    for table in range(tables):
        answers = (rng.random((problem.n_arms, items)) < _rates(problem, rng)[:, None]).astype(np.float64)
        scores = np.where(rng.random(answers.shape) < agreement, answers, 1.0 - answers)
        for is_judged, found in losses.items():
            drawn = Problem.crossed(answers, problem.thresholds, proxy=scores if is_judged else None)
            played = simulate(drawn, policy, budgets=budgets, runs=max(runs // tables, 2), seed=seed + table)
            found.append(played.losses(policy).mean(axis=0))
        if progress is not None:
            progress(table + 1, tables)
    needs = [_need(policy, budgets, np.array(found), mistakes) for found in losses.values()]
    return JudgeSaving(agreement, items, *needs)


def check_judge(problem: Problem, items: int, agreement: float) -> None:
    """Raise InvalidInputError if there is nothing that a judge could grade, or its agreement is out of range."""
    if items < 2:
        raise InvalidInputError("--items", items, rule="must be at least 2 with a judge")
    if not 0.0 < agreement <= 1.0:
        raise InvalidInputError("--judge-agreement", agreement, rule="must be above 0 and at most 1", fix="such as 95%")
    asked = Combination(problem.family, not problem.has_known_bar, has_outcomes=problem.pool is not None)
    asked._replace(judge_agreement=agreement).check(judge_agreement="--judge-agreement")


def _rates(problem: Problem, rng: np.random.Generator) -> Floats:
    """Return the rate of each arm: drawn anew from a population, if there is one."""
    population = problem.population
    if population is None:
        return problem.means
    if population.kind == "table":
        return rng.choice(np.array(population.values), problem.n_arms)
    return rng.beta(population.first, population.second, problem.n_arms)


def _need(policy: str, budgets: list[float], losses: Floats, mistakes: float) -> BudgetNeed:
    """Return the budget at which the mean over tables falls to the target; its interval is that of the tables."""
    errors = losses.std(axis=0, ddof=1) / math.sqrt(len(losses)) if len(losses) > 1 else np.zeros(len(budgets))
    points = [CurvePoint(*row) for row in zip(budgets, losses.mean(axis=0).tolist(), errors.tolist(), strict=True)]
    return BudgetNeed(policy, *(crossing(points, mistakes, shift) for shift in (0.0, -2.0, 2.0)))
