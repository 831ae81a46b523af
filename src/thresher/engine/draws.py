"""A problem as kernels see it, and the outcome of each of its pulls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from thresher.engine.streams import beta, normal, shuffled, uniform, word_at
from thresher.problem import SMALLEST_COST, Problem
from thresher.types import Floats, Ints

REPLACING, REPLAYING = 5, 6  # families of problems with a pool, with and without replacement
MEANS_STREAM = 1 << 40  # place in an arm's stream where a run's own mean is drawn, far from every pull


class Arms(NamedTuple):
    """A problem in arrays of shape (K,), except for the pool.

    Attributes
    ----------
    family : int
        How outcomes are drawn.
    first_pulls : int
        Pulls of every arm before any index is looked at.
    means, sigma, thresholds, costs : ndarray of float64
    ticks : ndarray of int64
        Pull costs in whole millionths.
    low, width, concentration : float
        Range and concentration of the Beta draws.
    population : int
        0: the means are fixed; 1: N(first, second²); 2: Beta(first, second).
    pool, starts, sizes : ndarray
        Samples to draw from, where each arm's begin and how many there are; empty without a pool.
    """

    family: int
    first_pulls: int
    means: Floats
    sigma: Floats
    thresholds: Floats
    costs: Floats
    ticks: Ints
    low: float
    width: float
    concentration: float
    population: int
    population_first: float
    population_second: float
    pool: Floats
    starts: Ints
    sizes: Ints


def arms_of(problem: Problem) -> Arms:
    """Return a problem in the arrays that kernels take."""
    pool, population = problem.pool, problem.population
    family = problem.kind.code if pool is None else REPLACING if pool.replacement else REPLAYING
    return Arms(
        family=family,
        first_pulls=problem.kind.first_pulls,
        means=problem.means,
        sigma=problem.sigma,
        thresholds=problem.thresholds,
        costs=problem.costs,
        ticks=problem.ticks,
        low=float(problem.low),
        width=float(problem.high - problem.low),
        concentration=float(problem.concentration),
        population=0 if population is None else 1 if population.kind == "gaussian" else 2,
        population_first=0.0 if population is None else population.first,
        population_second=0.0 if population is None else population.second,
        pool=np.empty(0) if pool is None else pool.values,
        starts=np.empty(0, np.int64) if pool is None else pool.starts,
        sizes=np.empty(0, np.int64) if pool is None else pool.sizes,
    )


def ticks_of(budget: float) -> int:
    """Return a budget in whole millionths, the unit in which pulls are paid."""
    return round(budget / SMALLEST_COST)


@njit(cache=True)
def mean_of(arms: Arms, arm: int, key: int) -> float:
    """Return the true mean of an arm in the run whose key for that arm is given."""
    if arms.population == 0:
        return arms.means[arm]
    word = word_at(key, MEANS_STREAM)
    if arms.population == 1:
        return arms.population_first + arms.population_second * normal(word)
    return beta(word, arms.population_first, arms.population_second)


class Arm(NamedTuple):
    """One arm in one run: the scalars that a compiled loop keeps in registers while it pulls the arm."""

    family: int
    mean: float
    sigma: float
    threshold: float
    low: float
    width: float
    concentration: float
    start: int
    size: int
    key: int


@njit(cache=True, inline="always")
def arm_of(arms: Arms, arm: int, mean: float, key: int) -> Arm:
    """Return one arm of a problem, with its mean and its key in this run."""
    start, size = (arms.starts[arm], arms.sizes[arm]) if arms.sizes.size > 0 else (0, 0)
    return Arm(
        arms.family,
        mean,
        arms.sigma[arm],
        arms.thresholds[arm],
        arms.low,
        arms.width,
        arms.concentration,
        start,
        size,
        key,
    )


@njit(cache=True, inline="always")
def has_sample(arm: Arm, place: int) -> bool:
    """Return whether the arm can be pulled once more after ``place`` pulls: False once a replayed pool has run dry."""
    return arm.family != REPLAYING or place < arm.size


@njit(cache=True, inline="always")
def outcome_at(arm: Arm, pool: Floats, place: int) -> float:
    """Return the outcome of the pull at ``place`` (0, 1, 2, …) of an arm."""
    if arm.family == 0 or arm.family == 3:
        return arm.mean + arm.sigma * normal(word_at(arm.key, place))
    if arm.family == 1:
        return 1.0 if uniform(word_at(arm.key, place)) < arm.mean else 0.0
    return _rarer_outcome(arm, pool, place)


@njit(cache=True)
def _rarer_outcome(arm: Arm, pool: Floats, place: int) -> float:
    word = word_at(arm.key, place)
    if arm.family == 2:
        share = (arm.mean - arm.low) / arm.width
        return arm.low + arm.width * beta(word, share * arm.concentration, (1.0 - share) * arm.concentration)
    if arm.family == 4:
        return 2.0 * arm.mean if uniform(word) < 0.5 else 0.0
    if arm.family == REPLACING:
        return pool[arm.start + np.int64(uniform(word) * arm.size)]
    return pool[arm.start + shuffled(arm.key, place, arm.size)]
