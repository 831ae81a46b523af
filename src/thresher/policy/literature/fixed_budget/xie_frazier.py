"""The exact Bayes policy for 0/1 arms with a Beta prior, a known bar and a price per sample."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from thresher.jit import formula
from thresher.policy.algorithm import BINARY, Algorithm, Parameter
from thresher.policy.literature.fixed_budget.beta import beta_tails
from thresher.policy.literature.known_standard import DEAREST, BetaPrior, posteriors_of, sample_prices
from thresher.policy.policy import Stop
from thresher.policy.rule import RuleSetup, State, Turn, least, step
from thresher.problem import Problem
from thresher.types import Floats

DEPTH = 1000  # samples of one arm that are solved one by one
GRID = np.geomspace(DEAREST, 1e-6, 300)
A, B, TABLE = range(3)  # places of the parameters


@step
def xie_frazier_choose(known: RuleSetup, state: State, turn: Turn) -> int:
    r"""Return the arm whose next sample has the highest price under its Beta prior, solved exactly.

    :cite:p:`xie2013`: with a cost per sample the arms separate, and each is an optimal stopping problem. Here the price
    at which an arm is indifferent between stopping and one more sample ranks the arms until a budget is spent, as in
    Whittle's relaxation :cite:p:`whittle1988`; the paper has sampling costs or a random horizon instead of a budget.
    Arms are not opened first: an arm without a sample is judged by the prior. An arm without a price, or with a
    thousand samples, waits until all arms are like that; then the one with the fewest samples is next.
    """
    if turn.is_first:
        for k in range(state.keys.size):
            state.keys[k] = _key_of(known, state, k)
    for i in range(turn.n_changed):
        state.keys[state.changed[i]] = _key_of(known, state, state.changed[i])
    return least(state)


@formula
def _key_of(known: RuleSetup, state: State, k: int) -> float:
    """Return minus the price of the next sample of an arm; for an arm without a price, its number of samples."""
    n = state.counts[k]
    price = known.parameters[TABLE + n * (n + 1) // 2 + int(state.totals[k] + 0.5)] if n < DEPTH else 0.0
    return float(-price * known.ranking.costs[k] if price > 0.0 else n)


@step
def xie_frazier_conclude(known: RuleSetup, state: State) -> None:
    """Fill in the verdicts by the posterior: above if that is more likely than not."""
    for k in range(state.counts.size):
        a, b = known.parameters[A] + state.totals[k], known.parameters[B] + state.counts[k] - state.totals[k]
        below, above = beta_tails(a, b, known.thresholds[k])
        state.verdicts[k] = 1 if above > below else -1


@lru_cache(maxsize=4)
def prices_of(a: float, b: float, threshold: float) -> Floats:
    """Return the price of the next sample in every state: n samples with s ones are at place n (n + 1) / 2 + s."""
    known = posteriors_of(BetaPrior(a, b), threshold, DEPTH)
    return sample_prices(known.errors, known.ones, DEPTH, GRID)


def _prepare(problem: Problem, stop: Stop, values: tuple[float, ...]) -> Floats:  # noqa: ARG001
    return np.concatenate([values, prices_of(*values, float(problem.thresholds[0]))])


def _why_not(problem: Problem) -> str | None:
    return None if len(set(problem.thresholds.tolist())) == 1 else "it needs one bar for all arms"


XIE_FRAZIER = Algorithm(
    "xie-frazier",
    choose=xie_frazier_choose,
    conclude=xie_frazier_conclude,
    source="xie2013",
    parameters=(Parameter("a", 1.0), Parameter("b", 1.0)),
    families=BINARY,
    first_pulls=0,
    why_not=_why_not,
    prepare=_prepare,
)
