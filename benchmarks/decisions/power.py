"""How many arms are decided, by goal and guarantee, and what it costs in mistakes."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import betainc, ndtri

from benchmarks.decisions.calibration import RISK
from benchmarks.decisions.campaigns import Simulated, coins
from thresher.inference.guarantees import GUARANTEES
from thresher.inference.guarantees.calibrated import SHRINKAGE
from thresher.policy.goals.decide import DECIDED
from thresher.policy.outlook import GOALS
from thresher.report import markdown_table
from thresher.types import Floats

ARMS, A, B, BAR = 36, 8.0, 2.0, 0.8
AT_ONCE = 4, 3  # arms, and measurements of each, before a rule that refits the population does it again


def played(goal: str, guarantee: str, budget: int, runs: int, seed: int, n_arms: int = ARMS) -> list[Simulated]:
    """Return campaigns of arms from Beta(8, 2) at the bar 0.8."""
    rng = np.random.default_rng(seed)
    return [
        coins(rng.beta(A, B, n_arms), BAR, goal, guarantee).carried_on(budget, seed * 100_003 + run)
        for run in range(runs)
    ]


def chance_by_prior(counts: Floats, totals: Floats) -> Floats:
    """Return the chance of error of the sign of each mean under the true prior."""
    below = betainc(A + totals, B + counts - totals, BAR)
    return np.asarray(np.where(totals > BAR * counts, below, 1.0 - below))


def power(scale: float, seed: int, _: Path | None) -> None:
    """Print how many of 36 and of 10 arms from Beta(8, 2) are decided, by goal and guarantee, and mistakes."""
    runs, table = max(4, int(60 * scale)), []
    for n_arms, each, goal in product((ARMS, 10), (10, 30, 100), GOALS):
        plain, shown = played(goal, GUARANTEES[0], each * n_arms, runs, seed, n_arms), []
        for guarantee in GUARANTEES:
            own = played(goal, guarantee, each * n_arms, runs, seed, n_arms) if goal == "decide" else plain
            decided = [campaign.decided(guarantee).is_decided for campaign in own]
            wrong = [(found & campaign.is_wrong).sum() for found, campaign in zip(decided, own, strict=True)]
            shown.append(f"{100 * np.mean(decided):.0f} % ({np.mean(wrong):.2f})")
        mistakes = np.mean([campaign.is_wrong.sum() for campaign in plain])
        table.append([str(n_arms), str(each), goal, f"{mistakes:.2f}", *shown])
    print(f"{runs} campaigns in each row; decided (wrong decisions per campaign)\n")
    print(markdown_table(["arms", "measurements per arm", "goal", "wrong verdicts", *GUARANTEES], table, left=(2,)))


def reference(scale: float, seed: int, _: Path | None) -> None:
    """Print the same arms at budgets of 1,200 and 3,600, judged by the true prior and by the campaign itself."""
    runs, table = max(4, int(200 * scale)), []
    for budget in (1200, 3600):
        rules = {goal: played(goal, "calibrated", budget, runs, seed) for goal in GOALS}
        rules["decide, refitted"] = refitted(budget, max(4, runs // 4), seed)
        rules["decide, prior known"] = prior_known(budget, runs, seed)
        for words, campaigns in rules.items():
            by_prior = np.array([chance_by_prior(*each.sums[:2]) <= RISK for each in campaigns])
            own = np.array([each.decided().is_decided for each in campaigns])
            wrong = np.array([each.is_wrong for each in campaigns])
            mistakes = wrong.sum(axis=1)
            error = mistakes.std() / np.sqrt(mistakes.size)
            shares = [
                f"{100 * found.mean():.0f} % ({(found & wrong).sum(axis=1).mean():.2f})" for found in (by_prior, own)
            ]
            table.append([f"{budget:,}", words, f"{mistakes.mean():.1f} ± {error:.1f}", *shares])
    print(f"{runs} campaigns of 36 arms, a quarter as many refitted; decided (wrong decisions per campaign)\n")
    print(
        markdown_table(["budget", "goal", "wrong verdicts", "by the true prior", "by the campaign"], table, left=(1,))
    )


def needed(chances: Floats, counts: Floats) -> Floats:
    """Return about how many measurements bring chances of error to the risk, as the policy `decide` estimates it."""
    evidence, level = 0.5 * ndtri(np.clip(chances, 1e-300, 0.5)) ** 2, 0.5 * ndtri(RISK) ** 2
    more = counts * (level - evidence) / (evidence + 0.5)
    return np.asarray(np.where(chances <= RISK, DECIDED * (1.0 + evidence), more))


def refitted(budget: int, runs: int, seed: int) -> list[Simulated]:
    """Return campaigns that measure what is nearest to the risk by their own chance of error, fitted again and again.

    A live campaign does not do that: the order of its arms is stored, and one outcome would move all of them.
    """
    rng, found = np.random.default_rng(seed), []
    for _ in range(runs):
        campaign = coins(rng.beta(A, B, ARMS), BAR, "decide")
        counts, totals, squares = campaign.sums
        arms, times = np.arange(ARMS), 1
        while True:
            more = rng.binomial(times, campaign.means[arms])
            counts[arms] += times
            totals[arms] += more
            squares[arms] += more * (1.0 - BAR) ** 2 + (times - more) * BAR**2
            left = budget - int(counts.sum())
            if left == 0:
                break
            keys = needed(campaign.decided().p_wrong, counts + SHRINKAGE)
            times = min(AT_ONCE[1], left)
            arms = np.argsort(keys)[: min(AT_ONCE[0], left // times)]
        found.append(campaign)
    return found


def prior_known(budget: int, runs: int, seed: int) -> list[Simulated]:
    """Return campaigns that measure the arm whose chance by the true prior is nearest to the risk."""
    rng = np.random.default_rng(seed)
    means, all_runs = rng.beta(A, B, (runs, ARMS)), np.arange(runs)
    counts, totals, keys = np.zeros(means.shape), np.zeros(means.shape), np.zeros(means.shape)
    for t in range(budget):
        here = all_runs, np.full(runs, t) if t < ARMS else keys.argmin(axis=1)
        counts[here] += 1.0
        totals[here] += rng.random(runs) < means[here]
        keys[here] = needed(chance_by_prior(counts[here], totals[here]), counts[here] + A + B)
    squares = totals * (1.0 - BAR) ** 2 + (counts - totals) * BAR**2
    begun = [coins(each, BAR, "decide") for each in means]
    return [
        Simulated(each.question, each.means, each.judging, np.stack(sums))
        for each, *sums in zip(begun, counts, totals, squares, strict=True)
    ]
