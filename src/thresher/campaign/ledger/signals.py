"""Cheap signals of a campaign: its rows of past arms and of scores, and what a refit takes from them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from thresher.inference import AskedItems, Signals, centred_scores, signals_in
from thresher.types import Floats

PAST, PROXY = "history", "proxy"


class Signal(NamedTuple):
    """What one past arm answered, or the scores of the answers of one arm.

    Attributes
    ----------
    key : str
        ``history 0``, ``history 1``, …, or ``proxy`` and the position of the arm.
    name : str
        Of the past arm; empty for scores.
    numbers : str
        One for each item in their order, NaN where there is none: little-endian doubles in Base64. Items that were
        added later have none.
    slope : float
        Coefficient of the scores by the last refit.
    issued : str
        How many tickets there were when each score was told, as `numbers`, or one number for a past arm. Empty, or
        NaN, where that was not noted.
    """

    key: str
    name: str
    numbers: str
    slope: float = 0.0
    issued: str = ""

    @property
    def kind(self) -> str:
        """``history`` or ``proxy``."""
        return self.key.partition(" ")[0]

    @property
    def position(self) -> int:
        """Of the past arm, or of the arm."""
        return int(self.key.partition(" ")[2])

    def values(self, n_items: int) -> Floats:
        """Return the numbers of all items, shape (N,)."""
        return _unpacked(self.numbers, n_items)

    def tickets(self, size: int) -> Floats:
        """Return how many tickets there were when each of them was told, shape (size,); infinite if not known."""
        found = _unpacked(self.issued, size)
        return np.where(np.isnan(found), np.inf, found)

    def effect(self, item: int, n_items: int) -> float:
        """Return what the score of an item adds to its effect, by the last refit."""
        if not self.slope:
            return 0.0
        values = self.values(n_items)[None, :]
        return float(self.slope * centred_scores(np.ones(values.shape, np.bool_), values)[0, item])


def packed(values: Floats) -> str:
    """Return numbers as a row stores them."""
    return base64.b64encode(values.astype("<f8").tobytes()).decode()


def _unpacked(text: str, size: int) -> Floats:
    """Return the numbers of a row, NaN where it has none."""
    found = np.full(size, np.nan)
    given = np.frombuffer(base64.b64decode(text), "<f8")
    found[: given.size] = given[:size]
    return found


def past_key(position: int) -> str:
    """Return the key of a past arm."""
    return f"{PAST} {position}"


def proxy_key(arm: int) -> str:
    """Return the key of the scores of an arm."""
    return f"{PROXY} {arm}"


def with_scores(
    before: Signal | None, arm: int, items: Sequence[int], scores: Sequence[float], n_items: int, issued: int | None
) -> Signal:
    """Return the scores of an arm with more of them, told after that many tickets; None if that is not known."""
    signal, places = before or Signal(proxy_key(arm), "", ""), list(items)
    values = signal.values(n_items)
    values[places] = scores
    if issued is None:
        return signal._replace(numbers=packed(values))
    tickets = _unpacked(signal.issued, n_items)
    tickets[places] = issued
    return signal._replace(numbers=packed(values), issued=packed(tickets))


class KnownSignals(NamedTuple):
    """History and proxy of a campaign as arrays; None where there is none.

    Attributes
    ----------
    history : ndarray of float64, shape (H, N), optional
    proxy : ndarray of float64, shape (K, N), optional
    past_arms : tuple of str
        Names of the past arms.
    asked : AskedItems, optional
        What of it was known when an item was asked; None where no guarantee is given.
    """

    history: Floats | None = None
    proxy: Floats | None = None
    past_arms: tuple[str, ...] = ()
    asked: AskedItems | None = None

    def for_fit(self, n_arms: int, n_items: int) -> Signals:
        """Return what a fit uses."""
        return signals_in(np.ones((n_arms, n_items), np.bool_), self.history, self.proxy)


NOTHING: KnownSignals = KnownSignals()


def known_of(signals: Iterable[Signal], n_arms: int, n_items: int) -> KnownSignals:
    """Return the arrays of all signals of a campaign."""
    rows = sorted(signals, key=lambda signal: signal.position)
    past = [signal for signal in rows if signal.kind == PAST]
    scored = [signal for signal in rows if signal.kind == PROXY and signal.position < n_arms]
    proxy = None
    if scored:
        proxy = np.full((n_arms, n_items), np.nan)
        for signal in scored:
            proxy[signal.position] = signal.values(n_items)
    history = np.array([signal.values(n_items) for signal in past]) if past else None
    return KnownSignals(history, proxy, tuple(signal.name for signal in past))


def slopes_of(signals: Mapping[str, Signal], slopes: Sequence[float]) -> dict[str, Signal]:
    """Return the scores of all arms with the coefficients of a refit."""
    found = {key: signal for key, signal in signals.items() if signal.kind == PROXY and signal.position < len(slopes)}
    return {key: signal._replace(slope=slopes[signal.position]) for key, signal in found.items()}
