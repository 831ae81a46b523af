"""How many arms are decided, by goal and guarantee, and what it costs in mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import betainc, ndtri

from benchmarks.decisions.calibration import RISK
from benchmarks.decisions.campaigns import Simulated, coins
from thresher.policy import GUARANTEES
from thresher.policy.fixed_budget.decide import DECIDED
from thresher.policy.outlook import GOALS
from thresher.report import markdown_table
from thresher.types import Floats

ARMS, A, B, BAR = 36, 8.0, 2.0, 0.8
HOPEFUL = 0.07  # a rule that stops at this risk suits a judge who knows the true prior


def played(goal: str, guarantee: str, budget: int, runs: int, seed: int, *, risk: float = RISK) -> list[Simulated]:
    """Return campaigns of 36 arms from Beta(8, 2) at the bar 0.8 that measure for decisions at some risk."""
    rng, found = np.random.default_rng(seed), []
    for run in range(runs):
        begun = coins(rng.beta(A, B, ARMS), BAR, goal, guarantee)
        begun.judging = begun.judging._replace(risk=risk)
        found.append(begun.carried_on(budget, seed * 100_003 + run))
    return found


def chance_by_prior(counts: Floats, totals: Floats) -> Floats:
    """Return the chance of error of the sign of each mean under the true prior."""
    below = betainc(A + totals, B + counts - totals, BAR)
    return np.asarray(np.where(totals > BAR * counts, below, 1.0 - below))


def power(scale: float, seed: int, _: Path | None) -> None:
    """Print how many of 36 arms from Beta(8, 2) at the bar 0.8 are decided, by goal and guarantee, and mistakes."""
    runs, table = max(4, int(60 * scale)), []
    for each in (10, 30, 100):
        for goal in GOALS:
            plain, shown = played(goal, GUARANTEES[0], each * ARMS, runs, seed), []
            for guarantee in GUARANTEES:
                own = played(goal, guarantee, each * ARMS, runs, seed) if goal == "decide" else plain
                decided = [campaign.decided(guarantee).is_decided for campaign in own]
                wrong = [(found & campaign.is_wrong).sum() for found, campaign in zip(decided, own, strict=True)]
                shown.append(f"{100 * np.mean(decided):.0f} % ({np.mean(wrong):.2f})")
            mistakes = np.mean([campaign.is_wrong.sum() for campaign in plain])
            table.append([str(each), goal, f"{mistakes:.2f}", *shown])
    print(f"{runs} campaigns of 36 arms; decided (wrong decisions per campaign)\n")
    print(markdown_table(["measurements per arm", "goal", "wrong verdicts", *GUARANTEES], table, left=(1,)))


def reference(scale: float, seed: int, _: Path | None) -> None:
    """Print the same arms at budgets of 1,200 and 3,600, judged by the true prior and by the campaign itself."""
    runs, table = max(4, int(200 * scale)), []
    for budget in (1200, 3600):
        for goal, risk in (*((goal, RISK) for goal in GOALS), ("decide", HOPEFUL)):
            campaigns = played(goal, "calibrated", budget, runs, seed, risk=risk)
            own = [each.judging._replace(risk=RISK).decide(each.question, each.seen).is_decided for each in campaigns]
            by_prior = [(chance_by_prior(*each.sums[:2]) <= RISK).mean() for each in campaigns]
            words = goal if risk == RISK else f"{goal}, as for a risk of {risk:g}"
            wrong = np.array([each.is_wrong.sum() for each in campaigns], np.float64)
            table.append([f"{budget:,}", words, *_shown(by_prior, wrong), f"{100 * np.mean(own):.0f} %"])
        shares, wrong = prior_known(budget, runs, seed)
        table.append([f"{budget:,}", "decide, prior known", *_shown(shares, wrong), "–"])
    print(f"{runs} campaigns of 36 arms\n")
    heads = ["budget", "goal", "decided at 0.05 by the true prior", "wrong verdicts", "by the campaign"]
    print(markdown_table(heads, table, left=(1,)))


def _shown(decided: Sequence[float] | Floats, wrong: Floats) -> tuple[str, str]:
    return f"{100 * np.mean(decided):.0f} %", f"{wrong.mean():.1f} ± {wrong.std() / np.sqrt(wrong.size):.1f}"


def prior_known(budget: int, runs: int, seed: int) -> tuple[Floats, Floats]:
    """Return the same for campaigns that measure the arm whose chance by the true prior is nearest to the risk."""
    rng = np.random.default_rng(seed)
    means, all_runs, level = rng.beta(A, B, (runs, ARMS)), np.arange(runs), 0.5 * ndtri(RISK) ** 2
    counts, totals, keys = np.zeros(means.shape), np.zeros(means.shape), np.zeros(means.shape)
    for t in range(budget):
        arms = np.full(runs, t) if t < ARMS else keys.argmin(axis=1)
        here = all_runs, arms
        counts[here] += 1.0
        totals[here] += rng.random(runs) < means[here]
        chances = chance_by_prior(counts[here], totals[here])
        evidence = 0.5 * ndtri(np.clip(chances, 1e-300, 0.5)) ** 2
        needed = (counts[here] + A + B) * (level - evidence) / (evidence + 0.5)
        keys[here] = np.where(chances <= RISK, DECIDED, needed)
    wrong = (totals > BAR * counts) != (means > BAR)
    return (chance_by_prior(counts, totals) <= RISK).mean(axis=1), wrong.sum(axis=1).astype(np.float64)
