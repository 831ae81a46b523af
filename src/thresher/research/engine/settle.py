"""The end of a budget, pull by pull: the arm of least index leads until it has passed the second.

When that arm cannot be paid any more, the rest of the budget goes to the arms that can be.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from thresher.jit import Whole, formula, kernel
from thresher.research.engine.table import ArmTotals, Table, pull_below, set_mark
from thresher.types import Floats, Ints


@kernel
def settle(table: Table, money: int, ceiling: float) -> int:
    """Spend the money, each pull on the arm of least index (ties: lowest arm); return what is left, in ticks."""
    kind, pool, rows, indices = table.kind, table.pool, table.rows, table.indices
    heap, lead = table.queue, table.lead[0]
    _heapify(heap, indices)
    while True:
        k = heap[0]
        ticks = rows[k]["ticks"]
        if ticks > money or indices[k] >= ceiling:
            return money
        bar = min(_bar(heap, indices), ceiling)
        if lead["arm"] < 0:
            set_mark(lead, k, rows[k], indices[k])
        pulled = pull_below(kind, pool, rows[k], indices[k], bar, money // ticks)
        indices[k] = pulled.reached
        money -= ticks * pulled.pulls
        if pulled.reached < bar:
            lead["highest"] = max(lead["highest"], pulled.highest)  # a later budget goes on from here
            return money
        lead["arm"] = -1
        _sift_down(heap, indices, np.int64(0))


@formula
def _before(index: float, arm: int, other_index: float, other: int) -> bool:
    """Return whether an arm is pulled before another: the lesser index, ties to the lowest arm."""
    return index < other_index or (index == other_index and arm < other)


@kernel
def _bar(heap: Ints, indices: Floats) -> float:
    """Return below what index the first arm of the heap stays the first."""
    if heap.size == 1:
        return math.inf
    second = heap[1]
    if heap.size > 2 and _before(indices[heap[2]], heap[2], indices[second], second):
        second = heap[2]
    return float(np.nextafter(indices[second], math.inf) if heap[0] < second else indices[second])


@kernel
def _heapify(heap: Ints, indices: Floats) -> None:
    """Make the arms a heap whose first is pulled next."""
    for arm in range(heap.size):
        heap[arm] = arm
    for place in range(heap.size // 2 - 1, -1, -1):
        _sift_down(heap, indices, place)


@kernel
def _sift_down(heap: Ints, indices: Floats, place: Whole) -> None:
    """Move the arm at a place of the heap down to where it belongs."""
    arm, size = heap[place], heap.size
    index = indices[arm]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        lesser = heap[child]
        if child + 1 < size:
            right = heap[child + 1]
            if _before(indices[right], right, indices[lesser], lesser):
                child, lesser = child + 1, right
        if not _before(indices[lesser], lesser, index, arm):
            break
        heap[place] = lesser
        place = child
    heap[place] = arm


@kernel
def spend_rest(table: Table, money: int, ceiling: float, seen: ArmTotals, highest: float) -> int:
    """Spend what cannot pay the arm of least index on the arms that it can pay, in the order of their indices.

    Parameters
    ----------
    table : Table
        Where :func:`settle` has ended. Later budgets cannot go on from where this function ends.
    money : int
        In ticks.
    ceiling : float
        Stop once the index of every arm that can be paid is this large.
    seen : ArmTotals
        What the verdicts are made of; an arm is written here after a pull if the least index of all arms is then
        `highest` or more. To judge at the peak, that is the largest least index up to now. No later one exceeds it,
        since an arm that cannot be paid keeps its index; and while the least index is lower, one arm alone is pulled,
        until it has passed or cannot be paid either.
    highest : float

    Returns
    -------
    int
        What is left, in ticks.
    """
    rows, indices, heap, unaffordable = table.rows, table.indices, table.queue, math.inf
    _heapify(heap, indices)
    while heap.size > 0 and indices[heap[0]] < ceiling:
        k = heap[0]
        row = rows[k]
        if row["ticks"] > money:
            unaffordable = min(unaffordable, indices[k])
            heap[0] = heap[-1]
            heap = heap[:-1]
        else:
            indices[k] = pull_below(table.kind, table.pool, row, indices[k], math.inf, np.int64(1)).reached
            money -= row["ticks"]
        if heap.size > 0:
            _sift_down(heap, indices, np.int64(0))
            if min(unaffordable, indices[heap[0]]) >= highest:
                seen.counts[k], seen.totals[k] = row["count"], row["total"]
    return money


class Peak(NamedTuple):
    """When the least index was last largest: how large, which arm has moved since, and what was seen of it then.

    The arm is -1 if none has moved.
    """

    arm: int
    pulls: int
    total: float
    highest: float


@kernel
def peak_of(table: Table) -> Peak:
    r"""Return what to change for the state at the paper's :math:`t_{\max}`, when the least index was last largest.

    Whenever a lead ends, the least index is larger than ever before; so only the arm that leads at the end can have
    moved since (:cite:p:`ouhamma2021`, appendix C). Its lead is pulled once more to find its last best moment.
    """
    lead = table.lead[0]
    k, highest = lead["arm"], lead["index"]
    if k < 0:
        return Peak(-1, 0, 0.0, table.indices.min())
    row, last = table.rows[k], table.rows[k]["count"]
    count, total = lead["count"], lead["total"]
    row["count"], row["total"], row["squares"] = count, total, lead["squares"]
    while row["count"] < last:
        index = pull_below(table.kind, table.pool, row, -math.inf, math.inf, np.int64(1)).reached
        if index >= highest:
            highest, count, total = index, row["count"], row["total"]
    return Peak(k, count, total, highest)
