"""State + command → event, for cheap signals: as :mod:`thresher.campaign.ledger.decisions`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thresher.campaign.ledger import events as e
from thresher.campaign.ledger.outcomes import LARGEST, number_of, outcome_of
from thresher.campaign.ledger.signals import PAST, PROXY
from thresher.campaign.ledger.state import CampaignState
from thresher.campaign.ledger.terms import Terms
from thresher.errors import InvalidInputError, InvalidOutcomeError, UnknownNameError
from thresher.number_text import exact
from thresher.problem import Combination
from thresher.types import Floats

MOST_NUMBERS = 10**7  # outcomes of past arms, or scores, in one campaign


class PastArm(NamedTuple):
    """What a past arm answered: its name, and its outcomes in the order of the items, None where there is none."""

    name: str
    outcomes: Sequence[float | None]


class Score(NamedTuple):
    """The score of the answer of an arm to an item."""

    arm: str
    item: str
    value: float

    @property
    def place(self) -> str:
        """What it is a score of, in words."""
        return f"score of arm {self.arm[:60]!r} on item {self.item[:60]!r}"


def history(
    terms: Terms, n_items: int, past: Sequence[PastArm], state: CampaignState | None = None
) -> e.HistoryTold | None:
    """Decide which past arms are new; None if there is none.

    A past arm with the name and the outcomes of one that is stored is the same: a call can be repeated.

    Parameters
    ----------
    terms : Terms
    n_items : int
    past : sequence of PastArm
    state : CampaignState, optional
        With the past arms that are stored.

    Raises
    ------
    InvalidInputError, InvalidOutcomeError
        If the campaign has no items or compares a quantile, or an outcome does not fit the family.
    """
    if not past:
        return None
    terms.combined(has_items=bool(n_items))._replace(history=[arm.name for arm in past]).check()
    if len(past) * n_items > MOST_NUMBERS:
        rule = f"must be at most {exact(MOST_NUMBERS)}"
        raise InvalidInputError("number of past arms times number of items", len(past) * n_items, rule=rule)
    rows, there = [], _stored_past(state)
    for arm in past:
        if len(arm.outcomes) > n_items:
            where = f"number of outcomes of past arm {arm.name[:60]!r}"
            raise InvalidInputError(where, len(arm.outcomes), rule=f"must be at most {n_items}, one for each item")
        try:
            told = tuple(None if value is None else outcome_of(terms, value) for value in arm.outcomes)
        except InvalidOutcomeError as error:
            raise InvalidOutcomeError(f"past arm {arm.name[:60]!r}: {error}", instead="correct the history") from error
        answers = tuple((i, value) for i, value in enumerate(told) if value is not None)
        if answers and (arm.name, answers) not in there:
            rows.append((arm.name, told))
    return e.HistoryTold(tuple(rows), _issued(state)) if rows else None


def scores(
    campaign: str,
    arms: Mapping[str, int],
    items: Mapping[str, int],
    told: Sequence[Score],
    state: CampaignState | None = None,
) -> e.ProxyTold | None:
    """Decide which scores are new; None if all were told before.

    Parameters
    ----------
    campaign : str
    arms, items : mapping of str to int
        Positions by name.
    told : sequence of Score
    state : CampaignState, optional
        With the scores that are stored.

    Raises
    ------
    UnknownNameError, InvalidInputError
        If there is no such arm or item, or another score is stored or told in the same call.
    """
    fresh: dict[int, dict[int, float]] = {}
    before = _stored(state, len(items))
    if told:
        Combination(has_items=bool(items), proxy=told[0].value).check(proxy=told[0].place)
    for score in told:
        for what, name, known in (("arm", score.arm, arms), ("item", score.item, items)):
            if name not in known:
                raise UnknownNameError(f"{what} of {campaign[:60]!r}", name[:60], known)
        arm, item, value = arms[score.arm], items[score.item], score_of(score)
        stored = fresh.get(arm, {}).get(item, float(before[arm][item]) if arm in before else math.nan)
        if math.isnan(stored):
            fresh.setdefault(arm, {})[item] = value
        elif stored != value:
            raise InvalidInputError(score.place, value, rule=f"must be {exact(stored)}, the score that was told before")
    if sum(map(len, fresh.values())) > MOST_NUMBERS:
        raise InvalidInputError("number of scores", len(told), rule=f"must be at most {exact(MOST_NUMBERS)}")
    rows = []
    for arm, found in sorted(fresh.items()):
        places = tuple(sorted(found))
        rows.append((arm, places, tuple(found[item] for item in places)))
    return e.ProxyTold(tuple(rows), _issued(state)) if rows else None


def score_of(score: Score) -> float:
    """Return the number of a score.

    Raises
    ------
    InvalidInputError
        If it is not a finite number, or too large.
    """
    try:
        return number_of(score.value)
    except InvalidOutcomeError as error:
        rule = f"must be a number, at most {exact(LARGEST)} in size"
        raise InvalidInputError(score.place, score.value, rule=rule) from error


def _stored_past(state: CampaignState | None) -> set[tuple[str, tuple[tuple[int, float], ...]]]:
    """Return the past arms that are stored: their names, and their outcomes by the position of the item."""
    if state is None:
        return set()
    rows = [signal for signal in state.signals.values() if signal.kind == PAST]
    answers = (enumerate(signal.values(state.ledger.items).tolist()) for signal in rows)
    return {
        (signal.name, tuple((i, value) for i, value in told if not math.isnan(value)))
        for signal, told in zip(rows, answers, strict=True)
    }


def _stored(state: CampaignState | None, n_items: int) -> dict[int, Floats]:
    """Return the scores that are stored, by the position of their arm."""
    rows = () if state is None else state.signals.values()
    return {signal.position: signal.values(n_items) for signal in rows if signal.kind == PROXY}


def _issued(state: CampaignState | None) -> int:
    """Return how many tickets there are; none in a campaign that is being created."""
    return 0 if state is None else state.ledger.pulls
