"""One run in progress, as kernels hold it: a row for each arm, and how to pull the arm of a row.

A row keeps what belongs to an arm together: with a hundred thousand arms a pull waits for two or three lines of memory
instead of twenty.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.inference import STUDENT
from thresher.jit import Whole, formula, kernel
from thresher.policy import ArmRule, Ranking, arm_index
from thresher.research.engine.boundary import MOST_GROUPS, Boundaries, has_table, new_boundaries, share_table
from thresher.research.engine.draws import (
    ENDLESS,
    REPLAYING,
    Arms,
    DrawnArm,
    draw_ahead,
    is_plain,
    mean_of,
    other_outcome_at,
    plain_outcome_at,
    supply_of,
    truth_of,
)
from thresher.streams import Word, arm_key, run_key
from thresher.types import Floats, Ints, Words

Rows: TypeAlias = NDArray[np.void]

_SEEN = [("count", "i8"), ("total", "f8"), ("squares", "f8")]
_RANKED = (
    [("code", "i8")]
    + [
        (name, "f8")
        for name in ("parameter", "threshold", "precision", "cost", "pseudo_count", "pseudo_total", "items")
    ]
    + [("group", "i8")]
)
_DRAWN = [(name, "f8") for name in ("mean", "truth", "sigma")] + [
    ("key", "u8"), ("start", "i8"), ("size", "i8"), ("drawn", "i8"), ("ticks", "i8"),
]  # fmt: skip
ROW = np.dtype([*_SEEN, *_RANKED, *_DRAWN])
HISTORY = np.dtype([(name, "f8") for name in ("runs", "level", "deviation", "climbed", "growth", "pulls")])
MARK = np.dtype([("arm", "i8"), *_SEEN, ("index", "f8"), ("highest", "f8"), ("is_sure", "i8")])


class Kind(NamedTuple):
    """What all arms have in common; the fields are those of :class:`Arms` and :class:`Ranking`.

    `least` and `most` are what an outcome can be, as policies know it.
    """

    draw: int
    low: float
    width: float
    concentration: float
    evidence: int
    user: Any
    least: float
    most: float


class DrawnPool(NamedTuple):
    """Samples to draw from, and the order in which each replayed arm draws its own, as far as it was drawn."""

    values: Floats
    order: Words


class Table(NamedTuple):
    """K arms in one run.

    Attributes
    ----------
    kind : Kind
    cycle : float
        What one pull of every arm costs, in ticks.
    pool : DrawnPool
        Samples to draw from.
    rows : ndarray of ROW, shape (K,)
        What was seen of each arm, how it is ranked, how it draws.
    indices : ndarray of float64, shape (K,)
        The index of each arm; infinite once it is exhausted.
    marks : ndarray of MARK, shape (K,)
        Where arms stood before a level was raised, and the highest index that each had on the way, or at least had.
    queue : ndarray of int64, shape (K,)
        Room for a list of arms.
    lead : ndarray of MARK, shape (1,)
        Where the arm that leads stood when its lead began, or before; its arm is -1 while all arms wait for a leader.
    boundaries : Boundaries
        At which sums the indices reach levels, for all runs.
    history : ndarray of HISTORY, shape (1,)
        How many runs there were, at which level they had spent their first budget, on average, how far they were from
        that average; how far levels rose near there, and the logarithm of what they cost rose with them; and about
        how many pulls were made.
    """

    kind: Kind
    cycle: float
    pool: DrawnPool
    rows: Rows
    indices: Floats
    marks: Rows
    queue: Ints
    lead: Rows
    boundaries: Boundaries
    history: Rows


class ArmTotals(NamedTuple):
    """What the verdicts of a run are made of; arrays of shape (K,)."""

    means: Floats
    counts: Ints
    totals: Floats


@kernel
def new_table(ranking: Ranking, arms: Arms) -> Table:
    """Return room for the runs of a policy on a problem; nothing has been drawn yet."""
    n_arms = arms.means.size
    rows = np.zeros(n_arms, ROW)
    for k in range(n_arms):
        row = rows[k]
        row["code"], row["parameter"] = ranking.codes[k], ranking.parameters[k]
        row["threshold"], row["precision"], row["cost"] = ranking.thresholds[k], ranking.precisions[k], ranking.costs[k]
        row["pseudo_count"], row["pseudo_total"] = ranking.pseudo_counts[k], ranking.pseudo_totals[k]
        row["items"] = ranking.sizes[k]
        row["sigma"], row["ticks"] = arms.sigma[k], arms.ticks[k]
        if arms.sizes.size > 0:
            row["start"], row["size"] = arms.starts[k], arms.sizes[k]
    kind = Kind(
        arms.draw,
        arms.low,
        arms.width,
        arms.concentration,
        ranking.evidence,
        ranking.user,
        ranking.low,
        ranking.high,
    )
    groups = _group(kind, rows)
    return Table(
        kind,
        float(arms.ticks.sum()),
        DrawnPool(arms.pool, np.empty(arms.pool.size, np.uint64)),
        rows,
        np.empty(n_arms),
        np.empty(n_arms, MARK),
        np.empty(n_arms, np.int64),
        np.empty(1, MARK),
        new_boundaries(groups, ranking.thresholds),
        np.zeros(1, HISTORY),
    )


@kernel
def one_in(table: Table, step: Whole) -> Table:
    """Return a copy of one arm in every `step`, as they stand; boundaries and history are shared."""
    rows, indices = table.rows[::step].copy(), table.indices[::step].copy()
    marks, lead, queue = np.empty(rows.size, MARK), np.empty(1, MARK), np.empty(rows.size, np.int64)
    lead[0]["arm"], cycle = -1, 0.0
    for k in range(rows.size):
        cycle += rows[k]["ticks"]
    return Table(table.kind, cycle, table.pool, rows, indices, marks, queue, lead, table.boundaries, table.history)


@kernel
def _group(kind: Kind, rows: Rows) -> Whole:
    """Put arms that share boundaries into groups 0, 1, …; return how many.

    All go into -1 if there are too many groups, if a draw takes so long that a formula does not matter, or if an
    arm can be used up.
    """
    firsts, groups = np.empty(MOST_GROUPS, np.int64), np.int64(0)
    for k in range(rows.size):
        rule, group = ranked_by(kind, rows[k]), 0
        while group < groups and not share_table(rule, ranked_by(kind, rows[firsts[group]])):
            group += 1
        arm = drawn_by(kind, rows[k])
        if group == MOST_GROUPS or not has_table(rule) or not is_plain(arm) or supply_of(arm) < ENDLESS:
            rows["group"][:] = -1
            return np.int64(0)
        if group == groups:
            firsts[group] = k
            groups += 1
        rows[k]["group"] = group
    return groups


@kernel
def start_run(table: Table, arms: Arms, seed: int, run: int) -> Word:
    """Set a table to the start of a run, without pulls; return the run's key."""
    key, rows, means, is_fixed = run_key(seed, run), table.rows, arms.means, arms.population == 0
    has_pools = arms.sizes.size > 0
    for k in range(rows.size):
        row = rows[k]
        row["key"] = arm_key(key, k)
        row["mean"] = means[k] if is_fixed else mean_of(arms, k, row["key"])
        row["truth"] = truth_of(drawn_by(table.kind, row)) if has_pools else row["mean"]
        row["count"], row["total"], row["squares"], row["drawn"] = 0, 0.0, 0.0, 0
    table.indices[:] = -math.inf
    table.lead[0]["arm"] = -1
    return key


@formula
def drawn_by(kind: Kind, row: Any) -> DrawnArm:
    """Return how the arm of a row draws."""
    return DrawnArm(
        kind.draw,
        row["mean"],
        row["sigma"],
        row["threshold"],
        kind.low,
        kind.width,
        kind.concentration,
        row["start"],
        row["size"],
        row["key"],
        1,  # what has repeats is not played here
    )


@formula
def ranked_by(kind: Kind, row: Any) -> ArmRule:
    """Return how the arm of a row is ranked."""
    return ArmRule(
        row["code"],
        row["parameter"],
        kind.user,
        kind.evidence,
        row["threshold"],
        row["precision"],
        row["cost"],
        row["pseudo_count"],
        row["pseudo_total"],
        row["items"],
        kind.least,
        kind.most,
    )


class Pulled(NamedTuple):
    """How often an arm was pulled in a row, its index after that, and the highest one on the way if it is known."""

    pulls: int
    reached: float
    highest: float


@kernel
def _pooled_outcome_at(arm: DrawnArm, pool: DrawnPool, row: Any, place: int) -> float:
    """Return the outcome of the pull at ``place`` of an arm that is not plain; draw some ahead from a replayed pool."""
    if arm.draw != REPLAYING:
        return other_outcome_at(arm, pool.values, place)
    if place >= row["drawn"]:
        row["drawn"] = draw_ahead(arm, row["drawn"], pool.order)
    return float(pool.values[arm.start + np.int64(pool.order[arm.start + place])])


@kernel
def pull_below(kind: Kind, pool: DrawnPool, row: Any, index: float, bar: float, most: Whole) -> Pulled:
    """Pull the arm of a row while its index is below the bar, at most `most` times.

    This is the hot loop. It works on plain numbers: see :mod:`thresher.jit`.
    """
    arm, rule = drawn_by(kind, row), ranked_by(kind, row)
    supply, plain = supply_of(arm), is_plain(arm)
    first, total, squares, highest = row["count"], row["total"], row["squares"], -math.inf
    count, last = first, min(first + most, supply)
    while index < bar and count < last:
        outcome = plain_outcome_at(arm, count) if plain else _pooled_outcome_at(arm, pool, row, count)
        total += outcome
        count += 1
        if rule.evidence == STUDENT:  # nothing else looks at the squares
            squares += (outcome - arm.threshold) * (outcome - arm.threshold)
        index = arm_index(rule, float(count), total, squares)
        highest = max(highest, index)
    if count == supply:
        index = math.inf  # the pool is exhausted
    row["count"], row["total"], row["squares"] = count, total, squares
    return Pulled(count - first, index, highest)


@formula
def set_mark(mark: Any, k: int, row: Any, index: float) -> None:
    """Note where an arm stands."""
    mark["arm"], mark["count"], mark["total"], mark["squares"] = k, row["count"], row["total"], row["squares"]
    mark["index"] = mark["highest"] = index
    mark["is_sure"] = 1


@kernel
def see(table: Table) -> ArmTotals:
    """Return what was seen of every arm, to be judged."""
    n_arms = table.rows.size
    seen = ArmTotals(np.empty(n_arms), np.empty(n_arms, np.int64), np.empty(n_arms))
    for k in range(n_arms):
        row = table.rows[k]
        seen.means[k], seen.counts[k], seen.totals[k] = row["truth"], row["count"], row["total"]
    return seen


@kernel
def open_every_arm(table: Table, first_pulls: int) -> int:
    """Pull every arm as often as it must be first; return what that cost, in ticks."""
    kind, pool, rows, indices = table.kind, table.pool, table.rows, table.indices
    spent = 0
    for k in range(indices.size):
        pulled = pull_below(kind, pool, rows[k], indices[k], math.inf, first_pulls)
        indices[k] = pulled.reached
        spent += rows[k]["ticks"] * pulled.pulls
    return spent
