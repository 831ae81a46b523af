"""A problem as kernels see it, and the outcome of each of its pulls."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import Whole, formula, kernel
from thresher.problem import Problem
from thresher.problem.bars import NO_CONTROL, Control
from thresher.problem.sampling import turn_at
from thresher.streams import Word, beta, normal, shuffle_on, shuffled, uniform, word_at
from thresher.types import Floats, Ints, Words

NORMAL, ZERO_ONE, SCALED_BETA, TWO_POINT, REPLACING, REPLAYING, SAMPLED, REPEATING = range(8)
DRAWS = {"normal": NORMAL, "zero-one": ZERO_ONE, "scaled-beta": SCALED_BETA, "two-point": TWO_POINT}
FIXED, GAUSSIAN, BETA, TABLE = range(4)  # where the means of a run come from
POPULATIONS = {"gaussian": GAUSSIAN, "beta": BETA, "table": TABLE}
MEANS_STREAM = 1 << 40  # place in an arm's stream where a run's own mean is drawn, far from every pull
REPEATS_STREAM = 1 << 39  # where the outcomes of repeated items are drawn; the start gives the order of the items
ENDLESS = 1 << 62  # supply of an arm that is never exhausted
AHEAD = 32  # samples of a replayed arm whose order is drawn in one go


class Arms(NamedTuple):
    """A problem in arrays of shape (K,), except for the pool.

    Attributes
    ----------
    draw : int
        How outcomes are drawn, one of the codes above.
    first_pulls : int
        Pulls of every arm before any index is looked at.
    means, sigma, thresholds, costs : ndarray of float64
    ticks : ndarray of int64
        Pull costs in whole millionths.
    low, width, concentration : float
        Range and concentration of the Beta draws.
    population : int
        0: the means are fixed; 1: N(first, second²); 2: Beta(first, second); 3: one of a table. That of a control is
        always fixed.
    pool, starts, sizes : ndarray
        Samples to draw from, where each arm's begin and how many there are; empty without a pool. With sizes and no
        samples every run draws that many outcomes of each arm as its pool.
    items : ndarray of int64
        Which shared item each sample answers; empty without shared items.
    n_items : int
        How many shared items there are.
    repeats : int
        How often an arm may be asked an item; with more than one, the samples are success rates.
    control : Control
        The arm whose mean is the bar of the others; of a negative number if there is none.
    """

    draw: int
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
    population_values: Floats
    pool: Floats
    starts: Ints
    sizes: Ints
    items: Ints
    n_items: int
    repeats: int
    control: Control


def arms_of(problem: Problem) -> Arms:
    """Return a problem in the arrays that kernels take."""
    pool, population = problem.pool, problem.population
    sizes = problem.sampling.whole_sizes
    return Arms(
        draw=draw_of(problem),
        first_pulls=problem.kind.first_pulls,
        means=problem.means,
        sigma=problem.sigma,
        thresholds=problem.thresholds,
        costs=problem.costs,
        ticks=problem.ticks,
        low=float(problem.low),
        width=float(problem.high - problem.low),
        concentration=float(problem.truth.concentration),
        population=FIXED if population is None else POPULATIONS[population.kind],
        population_first=0.0 if population is None else population.first,
        population_second=0.0 if population is None else population.second,
        population_values=np.array(() if population is None else population.values, dtype=np.float64),
        pool=np.empty(0) if pool is None else pool.values,
        starts=np.zeros_like(sizes) if pool is None else pool.starts,
        sizes=sizes if pool is None else pool.sizes,
        items=np.empty(0, np.int64) if pool is None or pool.items is None else pool.items,
        n_items=0 if pool is None or pool.items is None else int(pool.items.max()) + 1,
        repeats=1 if pool is None else pool.repeats,
        control=problem.control or NO_CONTROL,
    )


def draw_of(problem: Problem) -> int:
    """Return the code of how the outcomes of a problem are drawn."""
    if problem.truth.samplers is not None:
        return SAMPLED
    if problem.pool is not None and problem.pool.repeats > 1:
        return REPEATING
    if problem.pool is not None:
        return REPLACING if problem.pool.replacement else REPLAYING
    return DRAWS[problem.kind.draw]


@kernel
def mean_of(arms: Arms, arm: int, key: Word) -> float:
    """Return the true mean of an arm in the run whose key for that arm is given."""
    if arms.population == FIXED or arm == arms.control.arm:
        return float(arms.means[arm])
    word = word_at(key, MEANS_STREAM)
    if arms.population == GAUSSIAN:
        return arms.population_first + arms.population_second * normal(word)
    if arms.population == BETA:
        return beta(word, arms.population_first, arms.population_second)
    return float(arms.population_values[int(uniform(word) * arms.population_values.size)])


class DrawnArm(NamedTuple):
    """How one arm draws in one run: the scalars that a compiled loop keeps in registers while it pulls the arm."""

    draw: int
    mean: float
    sigma: float
    threshold: float
    low: float
    width: float
    concentration: float
    start: int
    size: int
    key: Word
    repeats: int


@formula
def arm_at(arms: Arms, arm: int, mean: float, key: Word) -> DrawnArm:
    """Return one arm of a problem, with its mean and its key in this run; inlined, for hot loops."""
    start, size = (arms.starts[arm], arms.sizes[arm]) if arms.sizes.size > 0 else (0, 0)
    return DrawnArm(
        arms.draw,
        mean,
        arms.sigma[arm],
        arms.thresholds[arm],
        arms.low,
        arms.width,
        arms.concentration,
        start,
        size,
        key,
        arms.repeats,
    )


@kernel
def arm_of(arms: Arms, arm: int, mean: float, key: Word) -> DrawnArm:
    """Return one arm of a problem, with its mean and its key in this run."""
    return arm_at(arms, arm, mean, key)


@formula
def supply_of(arm: DrawnArm) -> int:
    """Return how often an arm can be pulled in all: a replayed pool is exhausted after its last sample."""
    return arm.size * arm.repeats if arm.size > 0 and arm.draw != REPLACING else ENDLESS


@kernel
def outcome_at(arm: DrawnArm, pool: Floats, place: int) -> float:
    """Return the outcome of the pull at ``place`` (0, 1, 2, …) of an arm."""
    if is_plain(arm):
        return plain_outcome_at(arm, place)
    return other_outcome_at(arm, pool, place)


@formula
def is_plain(arm: DrawnArm) -> bool:
    """Return whether the outcomes of an arm take one word each and no pool."""
    return arm.draw <= ZERO_ONE


@formula
def plain_outcome_at(arm: DrawnArm, place: int) -> float:
    """Return the outcome of the pull at ``place`` of a normal or a 0/1 arm."""
    word = word_at(arm.key, place)
    if arm.draw == NORMAL:
        return arm.mean + arm.sigma * normal(word)
    return 1.0 if uniform(word) < arm.mean else 0.0


@kernel
def other_outcome_at(arm: DrawnArm, pool: Floats, place: int) -> float:
    """Return the outcome of the pull at ``place`` of any other arm."""
    word = word_at(arm.key, place)
    if arm.draw == SCALED_BETA:
        share = (arm.mean - arm.low) / arm.width
        return arm.low + arm.width * beta(word, share * arm.concentration, (1.0 - share) * arm.concentration)
    if arm.draw == TWO_POINT:
        return 2.0 * arm.mean if uniform(word) < 0.5 else 0.0
    if arm.draw == REPLACING:
        return float(pool[arm.start + int(uniform(word) * arm.size)])
    if arm.draw == REPLAYING:
        return float(pool[sample_at(arm, place)])
    if arm.draw == REPEATING:
        return repeated_outcome(arm, pool[sample_at(arm, place)], place)
    return math.nan  # the user's own samplers, which no kernel can call


@kernel
def truth_of(arm: DrawnArm) -> float:
    """Return the mean against which an arm is judged: that of its distribution, or of all that can be drawn."""
    if arm.size == 0 or arm.draw == REPLACING or arm.draw == REPLAYING or arm.draw == REPEATING:
        return float(arm.mean)
    total, no_samples = 0.0, np.empty(0)
    for place in range(arm.size):
        total += outcome_at(arm, no_samples, place)
    return total / arm.size


@kernel
def draw_ahead(arm: DrawnArm, drawn: Whole, order: Words) -> Whole:
    """Draw the next samples of a replayed arm; return how many of its own were drawn in all.

    Parameters
    ----------
    arm : DrawnArm
    drawn : int
        How many samples were drawn before.
    order : ndarray of uint64, shape (samples,)
        Filled in from the arm's start on: which of its samples come first, second, ….
    """
    end = min(drawn + AHEAD, arm.size)
    shuffle_on(arm.key, drawn, arm.size, order[arm.start + drawn : arm.start + end])
    return end


@formula
def sample_at(arm: DrawnArm, place: int) -> int:
    """Return which sample of the pool the pull at ``place`` of a replayed arm draws."""
    rank = turn_at(place, arm.size, arm.repeats).rank if arm.repeats > 1 else place
    return arm.start + shuffled(arm.key, rank, arm.size)


@formula
def repeated_outcome(arm: DrawnArm, rate: float, place: int) -> float:
    """Return the outcome of the pull at ``place`` of an arm on an item with that success rate."""
    return 1.0 if uniform(word_at(arm.key, REPEATS_STREAM + place)) < rate else 0.0


@kernel
def outcomes_between(arm: DrawnArm, pool: Floats, first: int, last: int) -> Floats:
    """Return the outcomes of the pulls of an arm from place `first` to before `last`."""
    outcomes = np.empty(last - first)
    for place in range(first, last):
        outcomes[place - first] = outcome_at(arm, pool, place)
    return outcomes
