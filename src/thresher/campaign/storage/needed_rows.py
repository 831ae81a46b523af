"""Which statements read the rows that a decision needs, and write those that it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from thresher.campaign.ledger import CampaignState, Change, LogEntry, pulls_of_changed_arms, read_event
from thresher.campaign.storage.protocol import MOST_EVENTS, MOST_EXPIRED, RowsToRead
from thresher.campaign.storage.statements import ALL_ROWS, EVERYTHING, Parameters


def queries_of(need: RowsToRead) -> dict[str, Parameters]:
    """Return the statements that read the rows needed in addition to the ledger."""
    queries: dict[str, Parameters] = queries_of_pulls(need.pulls, items=need.items) if need.pulls else {}
    if need.names:
        queries["arms_named"] = {"names": json.dumps(need.names)}
    if need.least:
        queries["least_arms"] = {"left": EVERYTHING, "limit": need.least}
    if need.least or need.arms_since is not None:
        queries["expired_pulls"] = {"limit": MOST_EXPIRED}
    if need.key is not None:
        queries["request_with_key"] = {"key": need.key}
    if need.since is not None:
        queries["events_after"] = {"after": need.since, "limit": EVERYTHING}
    if need.arms_since:
        queries["events_after"] = {"after": need.arms_since, "limit": MOST_EVENTS}
    elif need.arms_since is not None:
        queries["arms_from"] = ALL_ROWS
    if need.item_pairs:
        arms, items = (list(dict.fromkeys(names)) for names in zip(*need.item_pairs, strict=True))
        queries |= {"arms_named": {"names": json.dumps(arms)}, "items_named": {"items": json.dumps(items)}}
        queries["scores_of_arms"] = {"numbers": json.dumps(need.pulls), "names": json.dumps(arms)}
    if need.everything:
        queries["arms_from"] = queries["items_from"] = ALL_ROWS
        queries["all_signals"] = {}
    if need.told_after is not None:
        queries["pulls_told_after"] = {"after": need.told_after}
    return queries


def queries_of_changed_arms(state: CampaignState, after: int) -> dict[str, Parameters]:
    """Return the statement that reads the arms which events after `after` changed: those of pulls, or all arms.

    The log of the state has these events, or the first of them.
    """
    changed = [pulls_of_changed_arms(read_event(entry.kind, entry.body)) for entry in state.log]
    if len(changed) < state.ledger.seq - after or None in changed:
        return {"arms_from": ALL_ROWS}
    numbers = {number for some in changed for number in some or ()}
    return {"arms_of_pulls": {"numbers": json.dumps(sorted(numbers))}} if numbers else {}


def queries_of_pulls(numbers: Iterable[int], *, items: bool = False) -> dict[str, Parameters]:
    """Return the statements that read pulls, their arms, and their items if asked for."""
    given = {"numbers": json.dumps(sorted(numbers))}
    names = ("pulls_numbered", "arms_of_pulls", *(("items_of_pulls",) if items else ()))
    scores: dict[str, Parameters] = {"scores_of_arms": given | {"names": "[]"}} if items else {}
    return dict.fromkeys(names, given) | scores


def changed_rows(state: CampaignState, change: Change, entry: LogEntry) -> dict[str, list[Any]]:
    """Return the rows that a change of a state writes, by the names of their statements."""
    rows: dict[str, list[Any]] = {
        "update_ledger": [change.ledger],
        "append_event": [entry],
        "insert_arms": [arm for k, arm in change.arms.items() if k not in state.arms],
        "update_arms": [arm for k, arm in change.arms.items() if k in state.arms],
        "insert_pulls": [pull for n, pull in change.pulls.items() if n not in state.pulls],
        "update_pulls": [pull for n, pull in change.pulls.items() if n in state.pulls],
        "insert_requests": list(change.requests.values()),
        "insert_items": [item for i, item in change.items.items() if i not in state.items],
        "update_items": [item for i, item in change.items.items() if i in state.items],
        "insert_signals": [signal for key, signal in change.signals.items() if key not in state.signals],
        "update_signals": [signal for key, signal in change.signals.items() if key in state.signals],
    }
    return {name: some for name, some in rows.items() if some}
