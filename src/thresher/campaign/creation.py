"""The first events of a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from secrets import randbits

from thresher.campaign.arms import ArmRow
from thresher.campaign.inputs import name_of
from thresher.campaign.ledger import Arm, Event, Ledger, SortKeys, Terms, decisions, item_decisions, signal_decisions
from thresher.campaign.ledger import events as e
from thresher.campaign.signal_inputs import NO_SIGNALS, GivenSignals
from thresher.problem import ticks_of

ARMS_IN_AN_EVENT = 1000
SEED_BITS = 63  # what a database can store as a whole number


def first_events(
    name: str,
    terms: Terms,
    rows: Sequence[ArmRow],
    *,
    budget: float,
    items: Sequence[str] = (),
    measured: Mapping[str, int] | None = None,
    signals: GivenSignals = NO_SIGNALS,
) -> list[Event]:
    """Return the first events of a campaign, checked before a database is opened or created.

    A budget above the cost of all items of all arms, each as often as it may be asked, is reduced to that. It need not
    pay the first pulls of arms whose outcomes are told next: `measured` has their number, by arm.

    Raises
    ------
    InvalidInputError
        If the budget cannot pay the first pulls that are still to be made, the policy does not fit, or the terms do not
        go with items, or not without.
    """
    terms.combined(has_items=bool(items)).check()
    keys = SortKeys(terms)
    ticks, added = ticks_of(budget), [item_decisions.first_items(terms, items)] if items else []
    ticks = min(ticks, len(items) * terms.repeats * sum(row[4] for row in rows)) if items else ticks
    seed = randbits(SEED_BITS) if items else 0
    created = e.Created(name_of("campaign", name), terms.to_json(), ticks, seed)
    start = Ledger(budget=ticks, pools=str(len(items)) if items else "", repeats=terms.repeats)
    whole = decisions.add_arms(terms, name, start, rows, measured=measured)
    parts = [whole.arms[i : i + ARMS_IN_AN_EVENT] for i in range(0, len(whole.arms), ARMS_IN_AN_EVENT)]
    keys.rule_of(Arm(0, *rows[0]), start)  # raises if the policy does not fit the family
    keys.of_all([Arm(k, *row) for k, row in enumerate(rows)], start)  # or the control
    told = first_signals(name, terms, [row[0] for row in rows], items, signals)
    return [created, *added, *(e.ArmsAdded(part) for part in parts), *told]


def first_signals(
    name: str, terms: Terms, arms: Sequence[str], items: Sequence[str], signals: GivenSignals
) -> list[Event]:
    """Return the events of the history and the scores that a campaign is created with."""
    arm_places, item_places = ({one: place for place, one in enumerate(names)} for names in (arms, items))
    events = [
        signal_decisions.history(terms, len(items), signals.past),
        signal_decisions.scores(name, arm_places, item_places, signals.scores),
    ]
    return [event for event in events if event is not None]
