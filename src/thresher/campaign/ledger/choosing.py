"""The choice of the arms that an ask gets: each time the arm of least sort key that the budget can pay."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heapreplace
from typing import TypeAlias

from thresher.campaign.ledger.control import ControlRanking
from thresher.campaign.ledger.rows import Arm, Ledger
from thresher.campaign.ledger.terms import Terms
from thresher.campaign.ledger.transitions import Machine, next_item

# An arm; with items, also the item that it is asked, and with repeats its ordinal among those of the item.
ArmAndItem: TypeAlias = tuple[int] | tuple[int, int] | tuple[int, int, int]


def choose(machine: Machine, arms: Iterable[Arm], ledger: Ledger, wanted: int, *, has_more: bool) -> list[ArmAndItem]:
    """Return the arms to ask, in order, with their items: each time the arm of least sort key that can be paid.

    With `has_more` there may be other arms that can be paid. The first arm that cannot be paid then ends the batch,
    because one of the others may come next.
    """
    left, has_items = ledger.left, bool(ledger.pools)
    queue = [(arm.urgency, arm.position, arm) for arm in arms if can_ask(machine.terms, arm, left)]
    heapify(queue)
    chosen = list[ArmAndItem]()
    while queue and len(chosen) < wanted:
        sort_key, position, arm = queue[0]
        if sort_key == math.inf or sort_key > machine.terms.ceiling or (arm.pull_cost > left and has_more):
            break
        if arm.pull_cost > left:
            heappop(queue)
            continue
        chosen.append((position, *next_item(ledger, arm)))
        left -= arm.pull_cost
        if len(chosen) < wanted:
            arm = arm.reserve().take(arm.first_free) if has_items else arm.reserve()
            heapreplace(queue, (machine.sort_keys.of(arm, ledger), position, arm))
    return chosen


def choose_with_control(
    machine: Machine, comparison: ControlRanking, changed: Sequence[Arm], ledger: Ledger, wanted: int
) -> list[ArmAndItem]:
    """Return the arms to ask, in order, with their items; `changed` are arms after expired leases were released."""
    ceiling = machine.terms.ceiling
    positions = comparison.choose(changed, left=ledger.left, wanted=wanted, ceiling=ceiling)
    known, chosen = {arm.position: arm for arm in changed}, list[ArmAndItem]()
    for k in positions:
        arm = known.get(k, comparison[k])
        item = next_item(ledger, arm)
        chosen.append((k, *item))
        known[k] = arm.take(arm.first_free) if item else arm
    return chosen


def can_ask(terms: Terms, arm: Arm, left: int) -> bool:
    """Return whether a pull of an arm pays, and `left` can cover it."""
    return arm.urgency < math.inf and arm.urgency <= terms.ceiling and arm.pull_cost <= left
