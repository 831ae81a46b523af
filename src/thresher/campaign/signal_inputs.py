"""Cheap signals as a user gives them: past arms from a campaign, a file or a frame, and scores of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from thresher.campaign.inputs import lookup_name, name_of
from thresher.campaign.ledger import PastArm, Score
from thresher.errors import InvalidInputError
from thresher.problem import Combination, history_in, is_missing, scores_in

if TYPE_CHECKING:
    from thresher.campaign.items import Items


class GivenSignals(NamedTuple):
    """What is known before the first measurement."""

    past: Sequence[PastArm] = ()
    scores: Sequence[Score] = ()


NO_SIGNALS = GivenSignals()


def given_signals(history: Any, proxy: Any, arms: Sequence[str], items: Sequence[str]) -> GivenSignals:
    """Return the history and the scores that a campaign is created with.

    Parameters
    ----------
    history, proxy : Items, array, data frame, mapping, path, optional
        By the names of arms and items, or arrays with a column for each item.
    arms, items : sequence of str
        Names.

    Raises
    ------
    InvalidInputError, UnknownNameError
        If the campaign has no items, or something does not fit them.
    """
    Combination(has_items=bool(items), history=history, proxy=proxy).check()
    past = [] if history is None else past_arms(history, items)
    scores = [] if proxy is None else _scores(scores_in(proxy, arms, items), arms, items)
    return GivenSignals(past, scores)


def past_arms(history: Any, items: Sequence[str]) -> list[PastArm]:
    """Return what past arms answered to these items."""
    table = history if not hasattr(history, "table") else mapping_of(history)
    found = history_in(table, items)
    rows = (tuple(None if np.isnan(value) else value for value in row) for row in found.values.tolist())
    return [PastArm(name_of("past arm", arm), row) for arm, row in zip(found.arms, rows, strict=True)]


def mapping_of(items: Items) -> dict[str, dict[str, float]]:
    """Return the outcomes of all arms of a campaign by arm and item."""
    return {
        arm: {item: value for item, value in zip(items.names, row, strict=True) if value == value}
        for arm, row in zip(items.arms, items.table.tolist(), strict=True)
    }


def is_campaign_name(history: Any) -> bool:
    """Return whether a text names a campaign: there is no such file."""
    return isinstance(history, str) and not Path(history).exists()


def scores_of_arm(arm: str, scores: Any) -> list[Score]:
    """Return the scores of an arm by item, without those that are missing.

    Raises
    ------
    InvalidInputError
        If they are not a mapping from items to numbers.
    """
    if not isinstance(scores, Mapping):
        raise InvalidInputError("scores", scores, rule="must be a mapping from items to numbers")
    arm = lookup_name("arm", arm)
    return [Score(arm, lookup_name("item", item), value) for item, value in scores.items() if not is_missing(value)]


def _scores(table: Any, arms: Sequence[str], items: Sequence[str]) -> list[Score]:
    places = np.argwhere(~np.isnan(table)).tolist()
    return [Score(arms[k], items[i], float(table[k, i])) for k, i in places]
