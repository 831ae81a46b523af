"""What was asked when: by it a guarantee knows which signals were there before an item was asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from thresher.campaign.ledger.item_order import every_order
from thresher.campaign.ledger.rows import Ledger, Pull
from thresher.campaign.ledger.signals import PAST, PROXY, KnownSignals, Signal, known_of
from thresher.inference import AskedItems

ItemPull = tuple[int, int, int, int]


def item_pulls_in(pulls: Iterable[Pull]) -> list[ItemPull]:
    """Return (number, arm, item, 1 if its outcome was imported) of the pulls of items."""
    return [(pull.number, pull.arm, pull.item, int(pull.since == pull.told)) for pull in pulls if pull.item is not None]


def known_with_order(
    ledger: Ledger, signals: Collection[Signal], pulls: Callable[[], Sequence[ItemPull]]
) -> KnownSignals:
    """Return history and proxy of a campaign, and which of them were told before an item was asked.

    `pulls` returns what :func:`item_pulls_in` does. It is called where there are signals and each item is asked once.
    """
    known = known_of(signals, ledger.arms, ledger.items)
    if not signals or ledger.repeats > 1:
        return known
    return known._replace(asked=asked_of(ledger, pulls(), signals))


def asked_of(ledger: Ledger, pulls: Sequence[ItemPull], signals: Iterable[Signal]) -> AskedItems:
    """Return the order of the items of each arm, the asked places, and when signals were told.

    Parameters
    ----------
    ledger : Ledger
        Of a campaign that asks each item once.
    pulls : sequence of tuple
        As :func:`item_pulls_in` returns them.
    signals : iterable of Signal
    """
    n_arms, n_items = ledger.arms, ledger.items
    numbers, arms, items, imported = np.array(pulls, np.int64).reshape(-1, 4).T
    tickets, imports = np.full((n_arms, n_items), np.inf), np.full(n_arms, np.inf)
    is_import = imported == 1
    np.minimum.at(tickets, (arms[~is_import], items[~is_import]), numbers[~is_import])
    np.minimum.at(imports, arms[is_import], numbers[is_import])
    rows = sorted(signals, key=lambda signal: signal.position)
    proxy = np.full((n_arms, n_items), np.inf)
    for signal in rows:
        if signal.kind == PROXY and signal.position < n_arms:
            proxy[signal.position] = signal.tickets(n_items)
    history = [signal.tickets(1)[0] for signal in rows if signal.kind == PAST]
    return AskedItems(every_order(ledger), tickets, imports, np.array(history, np.float64), proxy)
