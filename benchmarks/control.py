"""A control arm as the bar: mistakes, coverage of intervals, and false passes with peeking.

python -m benchmarks.control table [--runs 400] [--seed 1]
python -m benchmarks.control rates [--runs 400] [--seed 1]
python -m benchmarks.control coverage [--campaigns 2000] [--seed 1]
python -m benchmarks.control peeking [--campaigns 400] [--seed 1]
python -m benchmarks.control ties [--seed 1]

`table` has Gaussian arms, `rates` arms with outcomes 0 and 1 and arms with margins; budgets are pulls per arm, the
control among the arms. `coverage` and `peeking` have arms that all equal the control, the hardest case for a false
pass, and look after every tenth of the budget. `ties` has five live campaigns for each row, with two variants near the
control.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import thresher as th
from thresher.campaign import Campaign
from thresher.inference import decide, posterior_of
from thresher.inference.bars import bar_of, difference_intervals, lift_intervals
from thresher.inference.guarantees import GUARANTEES
from thresher.jit import njit
from thresher.policy import ControlledArms, Ranking, control_keys, find_index_policy
from thresher.policy.index.stopping import stopping_formula
from thresher.problem import Population, Problem, Statistics
from thresher.problem.bars import Control
from thresher.report.markdown import markdown_table
from thresher.research.simulation.result import standard_error
from thresher.types import Floats

PER_ARM = (10, 30, 100)
LOOKS = 10
RISK = 0.05


class ControlCase(NamedTuple):
    """A problem with a control, and what the tables call it."""

    name: str
    problem: Problem


def alternating(n_arms: int) -> Floats:
    """Return the means 0 of the control and ±k/K of K arms."""
    k = np.arange(1, n_arms + 1)
    return np.concatenate([[0.0], (-1.0) ** k * k / n_arms])


GAUSSIAN = (
    ControlCase("μ = ±k/10, K = 10", Problem.gaussian(alternating(10), control=0)),
    ControlCase("μ = ±k/50, K = 50", Problem.gaussian(alternating(50), control=0)),
    ControlCase(
        "μ ~ N(0, ½²), K = 50", Problem.gaussian(np.zeros(51), control=0, population=Population("gaussian", 0.0, 0.5))
    ),
)
RATES = (
    ControlCase(
        "rates 0.10 ± 0.005 k, K = 10",
        Problem.bernoulli(0.1 + 0.05 * alternating(10), control=0),
    ),
    ControlCase(
        "rates ~ Beta(8, 2), control 0.8, margin −0.05, K = 30",
        Problem.bernoulli(np.full(31, 0.8), control=0, margin=-0.05, population=Population("beta", 8.0, 2.0)),
    ),
    ControlCase(
        "rates ~ Beta(2, 8), control 0.2, margin −10 %, K = 30",
        Problem.bernoulli(np.full(31, 0.2), control=0, margin="-10%", population=Population("beta", 2.0, 8.0)),
    ),
    ControlCase(
        "Gaussian, σ of the control 3, margin 0.2, K = 20",
        Problem.gaussian(
            np.zeros(21),
            sigma=np.concatenate([[3.0], np.ones(20)]),
            control=0,
            margin=0.2,
            population=Population("gaussian", 0.2, 0.5),
        ),
    ),
    ControlCase(
        "Gaussian, σ unknown, K = 20",
        Problem.gaussian_unknown_variance(np.zeros(21), control=0, population=Population("gaussian", 0.0, 0.5)),
    ),
)


def often(problem: Problem, *, by_stopping: bool, per_arm: int, runs: int, seed: int) -> Floats:
    """Return the mistakes of each run when the control is pulled √K times as often as an arm, Gaussian arms of σ = 1.

    The arms are pulled evenly, or by the stopping index with the control's present mean as a known bar.
    """
    n_arms, random = problem.n_arms - 1, np.random.default_rng(seed)
    spread = 0.0 if problem.population is None else problem.population.second
    means = np.tile(problem.means[1:], (runs, 1)) + spread * random.normal(size=(runs, n_arms))
    return np.array([_one_run(each, per_arm * problem.n_arms, by_stopping, seed + i) for i, each in enumerate(means)])


@njit(cache=True)
def _one_run(means: Floats, budget: int, by_stopping: bool, seed: int) -> float:
    np.random.seed(seed)
    n_arms, base, pulls = means.size, np.random.normal(), 1.0
    counts, totals = np.ones(n_arms), means + np.random.normal(0.0, 1.0, n_arms)
    for spent in range(n_arms + 1, budget):
        if pulls * n_arms < math.sqrt(n_arms) * (spent - pulls):
            base, pulls = base + np.random.normal(), pulls + 1.0
            continue
        best, least = 0, np.inf
        for k in range(n_arms):
            evidence = counts[k] * (totals[k] / counts[k] - base / pulls) ** 2 / 2.0
            key = stopping_formula(counts[k], evidence, 1.0) if by_stopping else counts[k]
            if key < least:
                best, least = k, key
        counts[best], totals[best] = counts[best] + 1.0, totals[best] + means[best] + np.random.normal()
    wrong = 0.0
    for k in range(n_arms):
        wrong += 1.0 if (totals[k] / counts[k] > base / pulls) != (means[k] > 0.0) else 0.0
    return wrong


def rows_of(case: ControlCase, *, runs: int, seed: int, with_root: bool) -> list[list[str]]:
    """Return a line for each way to spend the budget: mean mistakes with standard errors, and the control's share."""
    problem, lines = case.problem, []
    budgets = [per_arm * problem.n_arms for per_arm in PER_ARM]
    found = th.simulate(problem, ["uniform", "stopping", "lsa"], budgets=budgets, runs=runs, seed=seed)
    if with_root:
        for name, by_stopping in (("control √K times, uniform", False), ("control √K times, stopping", True)):
            lost = [often(problem, by_stopping=by_stopping, per_arm=n, runs=runs, seed=seed) for n in PER_ARM]
            lines.append([case.name, name, *(f"{each.mean():.3g} ± {standard_error(each):.2g}" for each in lost)])
    for policy in ("uniform", "stopping", "lsa"):
        rows = [row for row in found.rows() if row.policy == policy]
        shares = found.counted[policy].pulls[:, 0] / found.counted[policy].pulls.sum(axis=1)
        cells = [f"{row.mean:.3g} ± {row.stderr:.2g} ({share:.2f})" for row, share in zip(rows, shares, strict=True)]
        lines.append([case.name, policy, *cells])
    return lines


def equal_arms(family: str, n_arms: int) -> Problem:
    """Return arms that all equal the control."""
    if family == "bernoulli":
        return Problem.bernoulli(np.full(n_arms + 1, 0.3), control=0)
    if family == "bounded":
        return Problem.bounded(np.full(n_arms + 1, 0.3), control=0)
    means = np.full(n_arms + 1, 2.0)
    if family == "gaussian":
        return Problem.gaussian(means, control=0)
    return Problem.gaussian_unknown_variance(means, control=0)


def looks_of(problem: Problem, per_arm: int, *, seed: int, run: int) -> Iterator[Statistics]:
    """Yield what a campaign by `stopping` has seen at each of its looks."""
    control, n_arms, first = problem.control, problem.n_arms, problem.kind.first_pulls
    assert control is not None
    random = np.random.default_rng([seed, run])
    policy, state = find_index_policy("stopping"), np.zeros((3, n_arms))
    ranking, costs = policy.rank(problem), np.array(problem.pull_costs)
    left, looks = per_arm * n_arms - first * n_arms, [per_arm * n_arms * (i + 1) // LOOKS for i in range(LOOKS)]
    drawn = draws(problem, random, (n_arms, per_arm * n_arms))
    origin = np.array(problem.thresholds)
    for k in range(n_arms):
        more = drawn[k, :first]
        state[:, k] = first, more.sum(), ((more - origin[k]) ** 2).sum()
    spent = per_arm * n_arms - left
    for look in looks:
        spend(ranking, control, costs, drawn, origin, state, max(look - spent, 0))
        spent = max(look, spent)
        yield Statistics(*(row.copy() for row in state))


def draws(problem: Problem, random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Return outcomes of arms that are all alike."""
    mean = float(problem.means[0])
    if problem.family == "bernoulli":
        return np.asarray(random.random(shape) < mean, dtype=np.float64)
    return (
        random.beta(4.0 * mean, 4.0 * (1.0 - mean), shape)
        if problem.family == "bounded"
        else random.normal(mean, 1.0, shape)
    )


@njit(cache=True)
def spend(
    ranking: Ranking, control: Control, costs: Floats, drawn: Floats, origin: Floats, state: Floats, pulls: int
) -> None:
    """Make this many pulls, each of the most valuable arm; `state` has counts, sums and squares."""
    none, active = np.zeros(costs.size), np.ones(costs.size, np.bool_)
    arms = ControlledArms(state[0], state[1], state[2], none, none, costs, active, 0.0, math.inf, 1.0)
    for _ in range(pulls):
        k = int(np.argmin(control_keys(ranking, control, arms)))
        outcome = drawn[k, int(state[0, k])]
        state[0, k] += 1.0
        state[1, k] += outcome
        state[2, k] += (outcome - origin[k]) ** 2


def coverage(family: str, *, campaigns: int, seed: int) -> list[list[str]]:
    """Return in which share of campaigns with one arm the intervals of difference and lift ever left the truth out."""
    problem, missed, missed_lift, widths = equal_arms(family, 1), 0, 0, []
    for run in range(campaigns):
        wrong = wrong_lift = False
        for seen in looks_of(problem, 200, seed=seed, run=run):
            here = difference_intervals(problem.question, seen, alpha=RISK)
            lift = lift_intervals(problem.question, seen, alpha=RISK)
            wrong = wrong or bool(here.low[0] > 0.0 or here.high[0] < 0.0)
            wrong_lift = wrong_lift or bool(lift.low[0] > 0.0 or lift.high[0] < 0.0)
        missed, missed_lift = missed + wrong, missed_lift + wrong_lift
        widths.append(float(here.high[0] - here.low[0]))
    shares = [f"{each / campaigns:.4f}" for each in (missed, missed_lift)]
    return [[family, str(campaigns), *shares, f"{np.mean(widths):.3g}"]]


def peeking(family: str, *, campaigns: int, seed: int, n_arms: int = 10) -> list[list[str]]:
    """Return how often arms that equal the control pass at some look, under each guarantee."""
    problem = equal_arms(family, n_arms)
    passed, decided, any_pass, false_share = (np.zeros(len(GUARANTEES)) for _ in range(4))
    for run in range(campaigns):
        ever, either = np.zeros((2, len(GUARANTEES), n_arms), np.bool_)
        for seen in looks_of(problem, 100, seed=seed, run=run):
            bar = bar_of(problem.question)
            sides, chance = bar.sides(seen.means), posterior_of(bar, seen, is_stopping=True)
            for g, guarantee in enumerate(GUARANTEES):
                now = decide(bar, seen, sides, chance, risk=RISK, guarantee=guarantee).is_decided
                is_first = not ever[g].any()
                ever[g], either[g] = ever[g] | (now & (sides > 0)), either[g] | now
                if is_first and ever[g].any():  # a campaign that is stopped here
                    false_share[g] += (now & (sides > 0)).sum() / now.sum()
        passed, decided = passed + ever.mean(axis=1), decided + either.mean(axis=1)
        any_pass += ever.any(axis=1)
    columns = np.stack([passed, decided, any_pass, false_share], axis=1) / campaigns
    return [
        [family, guarantee, str(campaigns), *(f"{each:.4f}" for each in columns[g])]
        for g, guarantee in enumerate(GUARANTEES)
    ]


VARIANTS = {"control": 0.100, "tie": 0.100, "near": 0.105, "good": 0.130, "better": 0.150, "bad": 0.070, "worse": 0.05}
VISITORS = 20_000
TIED_RUNS = 5  # campaigns of each row


def ties(tolerance: float, stop_mistakes: float, *, seed: int) -> list[str]:
    """Return where the visitors of live campaigns go, two of whose variants nearly tie with the control: means."""
    found = np.array([_tied(tolerance, stop_mistakes, [seed, run]) for run in range(TIED_RUNS)])
    spent, control, near, decided, wrong = found.mean(axis=0)
    counts = [f"{decided:.1f} of {len(VARIANTS) - 1}", f"{wrong:.1f}"]
    return [f"{tolerance:g}", f"{stop_mistakes:g}", f"{spent:,.0f}", f"{control:.0%}", f"{near:.0%}", *counts]


def _tied(tolerance: float, stop_mistakes: float, seed: list[int]) -> tuple[float, ...]:
    """Return the visitors of a campaign, shares of control and near-ties, arms decided, and clear ones wrong."""
    terms: dict[str, Any] = {"tolerance": tolerance, "stop_mistakes": stop_mistakes}
    campaign = Campaign.create(
        "memory://", f"{terms} {seed}", arms=list(VARIANTS), control="control", budget=VISITORS, **terms
    )
    random = np.random.default_rng(seed)
    while visitors := campaign.ask(100):
        campaign.tell_many((visitor, bool(random.random() < VARIANTS[visitor.arm])) for visitor in visitors)
    found, spent = campaign.verdicts(), campaign.spent
    assert found.control is not None
    near = sum(row.pulls for row in found if row.arm in ("tie", "near"))
    clear = [row for row in found if row.arm not in ("tie", "near")]
    wrong = sum((row.verdict == "above") != (VARIANTS[row.arm] > VARIANTS["control"]) for row in clear)
    decided = sum(row.decision != "open" for row in found)
    return spent, found.control.pulls / spent, near / spent, decided, wrong


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["table", "rates", "coverage", "peeking", "ties"])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", action="append", help="of coverage and peeking; repeatable")
    given = parser.parse_args()
    families = given.family or ["gaussian", "bernoulli", "bounded", "gaussian-unknown-variance"]
    if given.what in ("table", "rates"):
        cases = GAUSSIAN if given.what == "table" else RATES
        lines = [
            line
            for case in cases
            for line in rows_of(case, runs=given.runs, seed=given.seed, with_root=given.what == "table")
        ]
        heads = ["problem", "policy", *(f"{n} pulls per arm" for n in PER_ARM)]
    elif given.what == "coverage":
        lines = [line for each in families for line in coverage(each, campaigns=given.campaigns, seed=given.seed)]
        heads = ["family", "campaigns", "difference ever missed", "lift ever missed", "mean width at the end"]
    elif given.what == "ties":
        lines = [ties(*terms, seed=given.seed) for terms in ((0.0, 0.0), (0.01, 0.0), (0.01, 0.25))]
        heads = ["tolerance", "stop at mistakes", "visitors", "to the control", "to the near-ties", "decided", "wrong"]
    else:
        lines = [line for each in families for line in peeking(each, campaigns=given.campaigns, seed=given.seed)]
        heads = [
            "family",
            "guarantee",
            "campaigns",
            "arms that ever pass",
            "arms ever decided",
            "campaigns with a pass",
        ]
        heads.append("false share at the first pass")
    print(markdown_table(heads, lines))


if __name__ == "__main__":
    main()
