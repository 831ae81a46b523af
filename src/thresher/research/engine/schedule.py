"""How runs are played and judged, as compiled engines take it."""

from __future__ import annotations

from typing import NamedTuple

from thresher.research.engine.losses import LossCode
from thresher.types import Ints


class Schedule(NamedTuple):
    """When every run is judged and how, and what the rule needs for itself.

    Attributes
    ----------
    budgets : ndarray of int64, shape (B,)
        In millionths of the unit of the pull costs, increasing. There is one budget unless every pull costs the same
        and at most one is in flight: a budget ends when all outstanding pulls have come back, and when no arm can be
        paid.
    at_peak : bool
        Judge at the paper's t_max instead of at the end.
    ceiling : float
        Stop once every index is this large.
    loss : LossCode
    in_flight : int
        How many pulls may be outstanding, at least one.
    asynchronous : bool
        False: all pulls of a batch come back before the next is asked for. True: each time one outstanding pull comes
        back, all being equally likely, and the next one is asked for.
    n_outputs, n_judged : int
        The number of outputs to record, and of arms whose mistakes are kept for every run: 0, or the number of arms.
    first_pulls : int
        Of every arm, before the rule chooses.
    memory : int
        How many numbers the rule keeps for itself.
    learns : bool
        The rule looks at every outcome.
    ends_when_found : bool
        A run ends when every arm above the bar has been output.
    """

    budgets: Ints
    at_peak: bool
    ceiling: float
    loss: LossCode
    in_flight: int = 1
    asynchronous: bool = False
    n_outputs: int = 0
    n_judged: int = 0
    first_pulls: int = 0
    memory: int = 0
    learns: bool = False
    ends_when_found: bool = False
