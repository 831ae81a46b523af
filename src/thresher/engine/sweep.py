r"""The fast engine: raise a level, let every arm run alone until it passes, settle the exact order only at a budget.

For every index policy the state at the first time when all indices are at least :math:`C` is the set of first passages
:math:`\tau_k(C)`: an arm that has passed is not pulled again before all have (:cite:p:`ouhamma2021`, appendix C). So
the arms can be run one after the other, each in a tight loop, with no search for the least index.

In full, the pulls of a run are in the order of (level, arm), where the level of a pull is the highest index that its
arm had before it. If the money does not last for a level, the arm that is farthest behind shows one that it lasts for:
the highest index of that arm so far. All others are taken back to there, and no pull of that arm was in vain, which at
times eats most of the budget.

Its twin, to be read, is :mod:`thresher.engine.reference`; the two agree to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from thresher.engine.settle import settle
from thresher.engine.table import Table, pull_below, set_mark
from thresher.jit import Whole, part

SETTLED = 0.25  # pulls per arm that are left to be settled one by one
FIRST_STEP, FIRST_AIM = 0.5, 2.0  # of the index, and in pulls per arm
SHARE = 0.3  # of the money left, that a step aims to spend at most
GROWTH = 0.7  # times what was spent before, that a step aims to spend at most
RISK = 8.0  # times what it aims to spend, that a step may spend before it is cut short
ZOOM = 8.0  # times the last step, that a step may be larger or smaller


@part
def spend(table: Table, money: int, ceiling: float) -> int:
    """Spend the money, each pull on the arm of least index (ties: lowest arm); return what is left, in ticks.

    It ends when the arm of least index cannot be paid, or when the least index has reached the ceiling (infinite:
    never, except that an arm that has run dry has an infinite index). The table may be one where an earlier budget
    ended: an index policy does not know its budget, so one run serves all.
    """
    step, aim, spent = FIRST_STEP, FIRST_AIM * table.cycle, 0.0
    lead = table.lead[0]
    while money > SETTLED * table.cycle:
        level = _reached(table)
        if level >= ceiling:
            break
        goal = min(level + step, ceiling)
        risked = min(money, int(RISK * aim))
        cost = risked - _raise_all(table, goal, risked)
        if cost == 0:
            break
        money -= cost
        spent += cost
        aim = min(SHARE * money, max(GROWTH * spent, FIRST_AIM * table.cycle))
        gain = (goal if lead["arm"] < 0 else lead["highest"]) - level
        step = min(max(aim * gain / cost, gain / ZOOM), gain * ZOOM) if gain > 0.0 else step / ZOOM
    return settle(table, money, ceiling)


@part
def _reached(table: Table) -> float:
    """Return the highest that the least index has been so far, infinities aside."""
    if table.lead[0]["arm"] >= 0 and table.lead[0]["highest"] > -math.inf:
        return float(table.lead[0]["highest"])
    least = math.inf
    for urgency in table.urgencies:
        if -math.inf < urgency < least:
            least = urgency
    return least


@part
def _raise_all(table: Table, level: float, money: int) -> int:
    """Bring every arm to the level, or as far as the money goes; return what is left.

    In turn every arm that is still below has an equal share of the money, so that none waits for a slow one.
    """
    kind, pool, rows, urgencies = table.kind, table.pool, table.rows, table.urgencies
    marks, queue, lead = table.marks, table.queue, table.lead[0]
    below = np.int64(0)
    for k in range(urgencies.size):
        if urgencies[k] < level:
            set_mark(marks[below], k, rows[k], urgencies[k])
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
            ticks = rows[k]["ticks"]
            pulled = pull_below(kind, pool, rows[k], urgencies[k], level, share // ticks)
            urgencies[k] = pulled.urgency
            money -= ticks * pulled.pulls
            if pulled.urgency < level:
                mark["highest"] = max(mark["highest"], pulled.highest)
                queue[still] = queue[i]
                still += 1
        waiting = still
    if waiting > 0:
        return _take_back(table, below, waiting, money)
    lead["arm"] = -1
    return money


@part
def _take_back(table: Table, below: Whole, waiting: Whole, money: int) -> int:
    """Bring all arms that were below a level to where the last of those that still wait is; return the money left."""
    kind, pool, rows, urgencies = table.kind, table.pool, table.rows, table.urgencies
    marks, queue, lead = table.marks, table.queue, table.lead[0]
    last = queue[0]
    for i in range(1, waiting):  # in the order of the arms, so that the lowest of equals comes first
        if marks[queue[i]]["highest"] < marks[last]["highest"]:
            last = queue[i]
    slow, level = marks[last]["arm"], marks[last]["highest"]
    for i in range(below):
        mark = marks[i]
        k = mark["arm"]
        if k != slow:
            row = rows[k]
            money += row["ticks"] * (row["count"] - mark["count"])
            row["count"], row["total"], row["squares"] = mark["count"], mark["total"], mark["squares"]
            # A lower arm goes first at the level of the slow one, and so has passed it.
            bar = np.nextafter(level, math.inf) if k < slow else level
            pulled = pull_below(kind, pool, row, mark["urgency"], bar, money // row["ticks"])
            urgencies[k] = pulled.urgency
            money -= row["ticks"] * pulled.pulls
    if lead["arm"] != slow or lead["highest"] != level:
        mark = marks[last]
        lead["arm"], lead["count"], lead["total"], lead["squares"] = slow, mark["count"], mark["total"], mark["squares"]
        lead["urgency"], lead["highest"] = mark["urgency"], level
    return money
