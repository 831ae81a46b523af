"""Why many decisions on `tao-2` are wrong, and what other chances of error would decide there and elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.decisions.calibration import RISK, Judged, cells
from thresher.engine import arms_of, ticks_of
from thresher.engine.seen_runs import see_runs
from thresher.policy import Doubt, Seen, doubt, find_index_policy
from thresher.policy.doubt import n_informative
from thresher.policy.likelihood import likelihood_of
from thresher.policy.population import UNLIKE_OTHERS, Chances, chances, fit_population, unfitted_population
from thresher.problem import Problem, Question, named
from thresher.report import markdown_table
from thresher.types import Floats

Judge = Callable[[Question, Seen], Doubt]

PROBLEM, BUDGET = "tao-2", 5000
ELSEWHERE = (  # where fewer decisions would be the price
    ("gaussian-population:tau=0.3,K=10", 800, 300),
    ("beta-population:a=8,b=2,threshold=0.8,K=10", 800, 300),
    ("tests: 45 good, 2 bad, 3 flaky", 350, 60),
)
SAMPLES = 8


def left_alone(scale: float, seed: int, _: Path | None) -> None:
    """Print decisions and wrong ones by policy and by chance of error, and outcomes of the arms next to the bar."""
    problem, runs, table = named(PROBLEM), int(3000 * scale), []
    is_near = np.abs(problem.means - problem.thresholds) < 0.01
    for policy in ("stopping", "uniform"):
        seen = campaigns(problem, BUDGET, policy, runs, seed)[0]
        counts = np.array([each.counts for each in seen])
        for words, judge in (("the chance of error", doubt), ("the larger of both chances", larger)):
            found = judged(problem, seen, problem.means, judge)
            is_decided = found.claimed <= RISK
            wrong = is_decided & found.is_wrong & is_near
            others = np.median(counts[:, is_near][~wrong[:, is_near]])
            numbers = [f"{np.median(counts[wrong]):.0f}" if wrong.any() else "–", f"{others:.0f}"]
            decisions = [str(is_decided.sum()), str((is_decided & found.is_wrong).sum())]
            table.append([policy, words, *decisions, found.share, *numbers])
    print(f"{runs} campaigns of {PROBLEM}, budget {BUDGET:,}; outcomes: the median of the arms next to the bar\n")
    heads = ["policy", "decided by", "decisions", "wrong", "share in a campaign", "outcomes: decided wrongly", "others"]
    print(markdown_table(heads, table, left=(0, 1)))
    print()
    tried(scale, seed)


def tried(scale: float, seed: int) -> None:
    """Print what other chances of error would do: wrong ones among the decisions, and how many are decided."""
    problems = {problem.name: problem for problem, _ in cells()}
    settings = [(named(PROBLEM), BUDGET, 2000), *((problems[name], spent, runs) for name, spent, runs in ELSEWHERE)]
    rules: dict[str, tuple[Judge, float]] = {
        "today": (doubt, 1.0),
        "weight (20 / (20 + R))²": (mixed(lambda informative: (20.0 / (20.0 + informative)) ** 2), 1.0),
        "weight 1 / (1 + (R / 7)²)": (mixed(lambda informative: 1.0 / (1.0 + (informative / 7.0) ** 2)), 1.0),
        "the larger of both": (larger, 1.0),
        f"fitted to {SAMPLES} samples of the other arms": (resampled(np.random.default_rng(seed)), 0.2),
    }
    table = []
    for words, (judge, part) in rules.items():
        row = [words]
        for problem, budget, runs in settings:
            seen, means = campaigns(problem, budget, "stopping", max(4, int(runs * scale * part)), seed)
            found = judged(problem, seen, means, judge)
            is_decided = found.claimed <= RISK
            shown = f"{100 * is_decided.mean():.0f} %, {found.share}"
            row.append(f"{shown}; {(is_decided & found.is_wrong).sum()} of {is_decided.sum()}")
        table.append(row)
    print("decided, wrong ones among the decided in a campaign; of all decisions\n")
    print(markdown_table(["chance of error", *(problem.name for problem, *_ in settings)], table, left=(0,)))


def campaigns(problem: Problem, budget: float, policy: str, runs: int, seed: int) -> tuple[list[Seen], Floats]:
    """Return what was seen in campaigns, and their true means, shape (K,) or (runs, K)."""
    rule = find_index_policy(policy)
    seen = see_runs(rule.rank(problem), arms_of(problem), np.array([ticks_of(budget)]), seed, 0, runs)
    arrays = (np.asarray(each[:, 0], np.float64) for each in (seen.counts, seen.totals, seen.squares))
    return [Seen(*each) for each in zip(*arrays, strict=True)], seen.means


def judged(problem: Problem, seen: list[Seen], means: Floats, judge: Judge) -> Judged:
    """Return claimed chances of error of the signs of all means, and which are wrong."""
    sides = np.array([np.where(each.means > problem.thresholds, 1, -1) for each in seen])
    claimed = [judge(problem.question, each).of(side) for each, side in zip(seen, sides, strict=True)]
    return Judged(np.array(claimed), (sides > 0) != (means > problem.thresholds))


def larger(question: Question, seen: Seen) -> Doubt:
    """Return the larger of the chances by the population and by the arm alone."""
    return doubt(question, seen, is_stopping=True)


def mixed(weight: Callable[[float], float], fit: Callable[[Question, Seen], Chances] | None = None) -> Judge:
    """Return the chance of error with another weight of an arm's own chance, or another fit."""

    def judge(question: Question, seen: Seen) -> Doubt:
        fitted = fit(question, seen) if fit else chances(question, seen, fit_population(question, seen))
        alone = chances(question, seen, unfitted_population(question, seen))
        own = weight(n_informative(fitted, alone, seen.counts))
        below, above = (here + own * np.maximum(there - here, 0.0) for here, there in zip(fitted, alone, strict=True))
        return Doubt(above=below, below=above)

    return judge


def resampled(rng: np.random.Generator) -> Judge:
    """Return the chance of error with populations fitted to bootstrap samples of the other arms, averaged."""

    def fit(question: Question, seen: Seen) -> Chances:
        arms, n_arms = likelihood_of(question, seen), question.n_arms
        below = np.zeros(n_arms)
        for k in range(n_arms):
            others, arm = np.delete(np.arange(n_arms), k), arms.part(np.array([k]))
            for _ in range(SAMPLES):
                chosen = rng.choice(others, others.size)
                given = question.sigma[chosen] if question.kind.noise == "given" else None
                sample = Question.of(question.family, thresholds=question.thresholds[chosen], sigma=given)
                found = fit_population(sample, seen.part(chosen))
                prior = found.n_arms * found.weights + UNLIKE_OTHERS * found.alone(arm.strengths)
                posterior = (arm.at(found.centres) * prior)[0]
                below[k] += posterior[: posterior.size // 2].sum() / posterior.sum() / SAMPLES
        return Chances(below, 1.0 - below)

    return mixed(lambda informative: (10.0 / (10.0 + informative)) ** 2, fit)
