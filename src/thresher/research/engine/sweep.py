r"""The fast engine: raise a level, let every arm run alone until it passes, settle the exact order only at a budget.

For every index policy the state at the first time when all indices are at least :math:`C` is the set of first passages
:math:`\tau_k(C)`: an arm that has passed is not pulled again before all have (:cite:p:`ouhamma2021`, appendix C). So
the arms can be run one after the other, each in a tight loop, with no search for the least index.

In full, the pulls of a run are in the order of (level, arm), where the level of a pull is the highest index that its
arm had before it. If the money does not last for a level, the arm that is farthest behind shows one that it lasts for:
the highest index of that arm so far. All others are taken back to there, and no pull of that arm is wasted, which at
times takes most of the budget.

The readable reference is :mod:`thresher.research.engine.reference`; the two agree bit for bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thresher.jit import Whole, kernel
from thresher.policy.index import index_of
from thresher.research.engine.boundary import place_of, slot_below, slot_for
from thresher.research.engine.climb import climb, climb_quickly, is_quick
from thresher.research.engine.settle import settle
from thresher.research.engine.table import Table, one_in, ranked_by, set_mark

SETTLED = 2.0  # pulls per arm that are left to be settled one by one
SHARE = 0.8  # of the money left, that a step aims to spend at most
CAUTION = 1.5  # mean deviations of where earlier runs ended, that the first step of a run ends below their mean
NEAR = 0.25  # of the budget, from which on the cost of a level tells what it costs near the end
GROWTH = 16.0  # times what was spent before, that a step aims to spend at most
RISK = 1.5  # times what it aims to spend, that a step may spend before it is cut short
FIRST_RATE = 1.0  # a level higher by 1 costs e^rate times as much, until a step shows the true rate
ZOOM = 8.0  # times the last rate, that a rate may be larger or smaller
STEPS, FINEST = 4.0, 2.0**-6  # a level is a multiple of a power of two: about a quarter of the step, or the finest
TYPICAL_ARMS, TYPICAL_EVIDENCE = 16, 0.5
PILOT_ARMS, PILOT_PART = 256, 16  # arms of a pilot, if that is at most one in this many
LONG, WARM = 50.0, 30_000.0  # tables pay off from this many pulls per arm in a budget, and this many pulls in all
FRESH = 4.0  # pulls per arm below which a run has just begun
KEPT = 2.0**-4  # while records rise by less than this, they are looked for with the same table


@kernel
def spend(table: Table, money: int, ceiling: float) -> int:
    """Spend the money, each pull on the arm of least index (ties: lowest arm); return what is left, in ticks.

    It ends when the arm of least index cannot be paid (:func:`~thresher.research.engine.settle.spend_rest` goes on from
    there), or when the least index has reached the ceiling (infinite: never, except that an arm that is exhausted has
    an infinite index). The table may be one where an earlier budget ended: an index policy does not know its budget, so
    one run serves all, if every pull costs the same.
    """
    n_arms = table.indices.size
    if table.history[0]["runs"] == 0 and n_arms >= PILOT_ARMS * PILOT_PART:
        pilot = one_in(table, n_arms // PILOT_ARMS)
        _raise_levels(pilot, int(money * (pilot.cycle / table.cycle)), ceiling)
    return settle(table, _raise_levels(table, money, ceiling), ceiling)


@kernel
def _raise_levels(table: Table, money: int, ceiling: float) -> int:
    """Raise the level as long as there is money for it; return what is left, in ticks.

    Whatever the levels are, the pulls are the same. Every level takes a visit to every arm that is below it, and one
    that is too high is pulled unnecessarily; so the first aims as high as earlier runs have shown to be safe.
    """
    lead, history, spent = table.lead[0], table.history[0], _spent(table)
    budget, before, is_first = money + spent, spent, spent < FRESH * table.cycle
    is_known = history["runs"] > 1.0 and history["climbed"] > 0.0
    rate = history["growth"] / history["climbed"] if is_known else FIRST_RATE
    level, is_noted = _typical(table, spent / table.cycle) if is_first else -math.inf, is_first
    while money > SETTLED * table.cycle:
        reached = _reached(table)
        if reached >= ceiling:
            break
        level = max(level, reached)
        goal, aim = _goal(history, level, rate, money, spent, is_first)
        goal, risked = min(goal, ceiling), min(money, int(RISK * aim))
        has_tables = budget > LONG * table.cycle and history["pulls"] > WARM
        cost = risked - _raise_all(table, goal, risked, has_tables)
        if cost == 0:
            break
        gain, growth = (goal if lead["arm"] < 0 else lead["highest"]) - level, math.log1p(cost / spent)
        if not is_known or not is_first or lead["arm"] >= 0:
            zoom = min(max(growth / (gain * rate) if gain > 0.0 else math.inf, 1.0 / ZOOM), ZOOM)
            rate *= math.sqrt(zoom) if is_known and lead["arm"] < 0 else zoom
        if is_noted and spent > NEAR * budget:
            history["climbed"], history["growth"] = history["climbed"] + max(gain, 0.0), history["growth"] + growth
        money, spent = money - cost, spent + cost
        history["pulls"] += table.indices.size * cost / table.cycle
        level, is_first = -math.inf, False
    if is_noted and spent > before:
        rate = history["growth"] / history["climbed"] if history["climbed"] > 0.0 else rate
        _remember(history, _reached(table) + math.log(budget / spent) / rate, _scatter(table) / rate)
    return money


@kernel
def _goal(history: Any, level: float, rate: float, money: int, spent: float, is_first: bool) -> tuple[float, float]:
    """Return to which level to go from one, and what that is meant to cost."""
    doubt = CAUTION * history["deviation"]
    goal = _round(history["level"] - doubt, doubt)
    if is_first and history["runs"] > 0 and goal > level:
        return goal, float(money)
    aim = min(SHARE * money, GROWTH * spent)
    step = math.log1p(aim / spent) / rate
    goal = _round(level + step, step)
    return goal if goal > level else level + step, aim


@kernel
def _remember(history: Any, level: float, doubt: float) -> None:
    """Note at which level a run has spent its first budget; the first run leaves a doubt."""
    if -math.inf < level < math.inf:
        history["runs"] += 1.0
        weight, away = 1.0 / history["runs"], level - history["level"]
        history["level"] += weight * away
        history["deviation"] += weight * ((doubt if weight == 1.0 else abs(away)) - history["deviation"])


@kernel
def _spent(table: Table) -> float:
    """Return what all pulls have cost, in ticks."""
    rows, spent = table.rows, 0
    for k in range(rows.size):
        spent += rows[k]["count"] * rows[k]["ticks"]
    return float(spent)


@kernel
def _scatter(table: Table) -> float:
    """Return by about what share the cost of a run differs from that of others: little if many arms share in it."""
    rows, squares = table.rows, 0.0
    for k in range(rows.size):
        cost = float(rows[k]["count"] * rows[k]["ticks"])
        squares += cost * cost
    return math.sqrt(squares) / _spent(table)


@kernel
def _typical(table: Table, pulls: float) -> float:
    """Return an index that most arms have after this many pulls of each, as a level to start from."""
    n_arms = table.indices.size
    least = math.inf
    for k in range(0, n_arms, 1 + n_arms // TYPICAL_ARMS):
        rule = ranked_by(table.kind, table.rows[k])
        least = min(least, index_of(rule.code, rule.user, pulls, TYPICAL_EVIDENCE, rule.cost, rule.parameter))
    return least


@kernel
def _round(level: float, step: float) -> float:
    """Return a round number that is at most a part of a step lower, so that runs share boundary tables."""
    quantum = 2.0 ** math.floor(math.log2(max(step / STEPS, FINEST)))
    return math.floor(level / quantum) * quantum


@kernel
def _reached(table: Table) -> float:
    """Return the highest that the least index has been so far, infinities aside."""
    if table.lead[0]["arm"] >= 0 and table.lead[0]["highest"] > -math.inf:
        return float(table.lead[0]["highest"])
    least = math.inf
    for index in table.indices:
        if -math.inf < index < least:
            least = index
    return least


@kernel
def _raise_all(table: Table, level: float, money: int, has_tables: bool) -> int:
    """Bring every arm to the level, or as far as the money goes; return what is left.

    In turn every arm that is still below has an equal share of the money, so that none waits for a slow one.
    """
    kind, pool, rows, indices = table.kind, table.pool, table.rows, table.indices
    marks, queue, lead, boundaries = table.marks, table.queue, table.lead[0], table.boundaries
    tables, groups, below = boundaries.tables, boundaries.groups, np.int64(0)
    slot = slot_for(boundaries, level) if has_tables else np.int64(-1)
    for k in range(indices.size):
        if indices[k] < level:
            set_mark(marks[below], k, rows[k], indices[k])
            if k == lead["arm"]:
                marks[below]["highest"] = lead["highest"]
            queue[below] = below
            below += 1
    waiting, before = below, money + 1
    while waiting > 0 and money < before:
        share, before, still = money // waiting, money, np.int64(0)
        for i in range(waiting):
            mark = marks[queue[i]]
            k = mark["arm"]
            row = rows[k]
            bounds = tables[place_of(groups, slot, row["group"])]
            most = share // row["ticks"]
            if is_quick(bounds, row, level, most):
                pulled = climb_quickly(kind, bounds, row, indices[k], level, most)
            else:
                pulled = climb(kind, pool, bounds, row, indices[k], level, most)
            indices[k] = pulled.reached
            money -= row["ticks"] * pulled.pulls
            if pulled.reached < level:
                if math.isnan(pulled.highest):
                    mark["is_sure"] = 0
                else:
                    mark["highest"] = max(mark["highest"], pulled.highest)
                queue[still] = queue[i]
                still += 1
        waiting = still
    if waiting > 0:
        return _take_back(table, below, waiting, money)
    lead["arm"] = -1
    return money


@kernel
def _take_back(table: Table, below: Whole, waiting: Whole, money: int) -> int:
    """Bring all arms that were below a level to where the last of those that still wait is; return the money left."""
    kind, pool, rows, indices = table.kind, table.pool, table.rows, table.indices
    marks, lead, boundaries = table.marks, table.lead[0], table.boundaries
    last = _last_of(table, waiting)
    slow, level = marks[last]["arm"], marks[last]["highest"]
    tables, groups, slot = boundaries.tables, boundaries.groups, slot_below(boundaries, level)
    for i in range(below):
        mark = marks[i]
        k = mark["arm"]
        if k != slow:
            row = rows[k]
            most = row["count"] - mark["count"]
            money += row["ticks"] * most
            row["count"], row["total"], row["squares"] = mark["count"], mark["total"], mark["squares"]
            # A lower arm goes first at the level of the slow one, and so has passed it.
            bar = np.nextafter(level, math.inf) if k < slow else level
            bounds = tables[place_of(groups, slot, row["group"])]
            pulled = climb(kind, pool, bounds, row, mark["index"], bar, most)
            indices[k] = pulled.reached
            money -= row["ticks"] * pulled.pulls
    if lead["arm"] != slow or lead["highest"] != level:
        mark = marks[last]
        lead["arm"], lead["count"], lead["total"], lead["squares"] = slow, mark["count"], mark["total"], mark["squares"]
        lead["index"], lead["highest"] = mark["index"], level
    return money


@kernel
def _last_of(table: Table, waiting: Whole) -> Whole:
    """Return the mark of the arm that is farthest behind among those that wait: whose highest index so far is least.

    Where tables were used, only the index now is known. Of those arms the ones that may be behind are pulled again from
    their marks, but no farther than to where they are seen not to be.
    """
    marks, queue = table.marks, table.queue
    last: Whole = queue[0]
    for i in range(waiting):
        mark = marks[queue[i]]
        mark["highest"] = max(mark["highest"], table.indices[mark["arm"]])
        if mark["highest"] < marks[last]["highest"]:
            last = queue[i]
    _find_highest(table, marks[last], math.inf)
    for i in range(waiting):
        mark, other = marks[queue[i]], marks[last]
        # The lowest of equals is behind.
        bar = np.nextafter(other["highest"], math.inf) if mark["arm"] < other["arm"] else other["highest"]
        if queue[i] != last and mark["highest"] < bar:
            _find_highest(table, mark, bar)
            if mark["highest"] < bar:
                last = queue[i]
    return last


@kernel
def _find_highest(table: Table, mark: Any, enough: float) -> None:
    """Raise the highest index in a mark to the highest that the arm has had since, or to one that is enough."""
    row, boundaries, tables = table.rows[mark["arm"]], table.boundaries, table.boundaries.tables
    count, total, squares, kept = row["count"], row["total"], row["squares"], -math.inf
    place: Whole = tables.size - 1
    row["count"], row["total"], row["squares"] = mark["count"], mark["total"], mark["squares"]
    while mark["is_sure"] == 0 and mark["highest"] < enough:
        bar = np.nextafter(mark["highest"], math.inf)
        if not bar < kept:
            place, kept = place_of(boundaries.groups, slot_below(boundaries, bar), row["group"]), bar + KEPT
        pulled = climb(table.kind, table.pool, tables[place], row, -math.inf, bar, count - row["count"])
        mark["highest"] = max(mark["highest"], pulled.reached)
        mark["is_sure"] = row["count"] == count
    row["count"], row["total"], row["squares"] = count, total, squares
