"""Pulls that were asked for and have not come back, for the loops that keep several of them outstanding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thresher.jit import part
from thresher.types import Ints


class Flight(NamedTuple):
    """What was asked for.

    Attributes
    ----------
    asked : ndarray of int64, shape (K,)
        Pulls of each arm, told or outstanding.
    arms, places : ndarray of int64, shape (M,)
        The outstanding pulls: of which arm, and the how manieth of it. The last of them comes back next.
    """

    asked: Ints
    arms: Ints
    places: Ints


@part
def new_flight(n_arms: int, in_flight: int) -> Flight:
    """Return room for so many outstanding pulls, with none asked for yet."""
    return Flight(np.zeros(n_arms, np.int64), np.empty(in_flight, np.int64), np.empty(in_flight, np.int64))


@part
def launch(flight: Flight, flying: int, k: int) -> None:
    """Add a pull of an arm to those outstanding, of which there are so many."""
    flight.arms[flying], flight.places[flying] = k, flight.asked[k]
    flight.asked[k] += 1


@part
def hurry(flight: Flight, flying: int, luck: float) -> None:
    """Let any one of the outstanding pulls come back next, by a number in [0, 1)."""
    place, last = int(luck * flying), flying - 1
    flight.arms[place], flight.arms[last] = flight.arms[last], flight.arms[place]
    flight.places[place], flight.places[last] = flight.places[last], flight.places[place]
