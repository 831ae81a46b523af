"""What a fixed-confidence rule is given, and what it has seen: the arrays that the rules and the loop share.

Everything is counted from the bar: the gap of an arm is its empirical mean minus its own threshold, so that bars may
differ from arm to arm where the papers have one for all.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thresher.jit import njit
from thresher.types import Ints

HDOC, LUCB_G, APT_G, LIL_HDOC, JJ_FDR, JJ_FWER, MURPHY, STICKY = range(8)
PULLS, OUTPUTS, TURN, STEP = range(4)  # places on the clock


Rows: TypeAlias = NDArray[np.void]

ROW = np.dtype(
    [
        *[("count", "i8"), ("total", "f8"), ("verdict", "i8"), ("kept", "f8"), ("stage", "i8")],
        *[("threshold", "f8"), ("sigma", "f8"), ("mean", "f8"), ("key", "u8"), ("start", "i8"), ("size", "i8")],
    ]
)

# Only called by compiled code. Without an entry from Python it takes half the time to compile.
part = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class Demand(NamedTuple):
    r"""What is asked of a rule.

    Attributes
    ----------
    code : int
        Which rule.
    rounds : int
        Pulls of every arm, in turn, before the rule chooses.
    delta : float
        :math:`\delta`, in (0, 1).
    first, second : float
        The parameters of the rule.
    is_beta : bool
        Outcomes are 0 or 1: posteriors are Beta distributions.
    """

    code: int
    rounds: int
    delta: float
    first: float
    second: float
    is_beta: bool


class Trial(NamedTuple):
    r"""One run as far as it has gone. Two arrays: every call in compiled code counts each up and down.

    Attributes
    ----------
    rows : ndarray of ROW, shape (K,)
        One row for each arm: its pulls (`count`) and the sum of its outcomes, each counted from the bar (`total`); its
        `verdict`, 1 if it was output as above the bar, -1 if it was given up as below, else 0; what a rule remembers of
        it between pulls, as a number (`kept`) and a whole number (`stage`); its `threshold` :math:`\theta` and a
        `sigma` for which its outcomes are sub-Gaussian; and how it draws.
    clock : ndarray of int64, shape (4,)
        Pulls so far; arms output so far; whose turn it is, where a rule has turns; how far it has stepped, where it has
        steps.
    """

    rows: Rows
    clock: Ints


@part
def new_trial(n_arms: int) -> Trial:
    """Return a run of which nothing has been seen."""
    return Trial(np.zeros(n_arms, ROW), np.zeros(4, np.int64))


@njit(cache=True, inline="always")
def gap_of(trial: Trial, k: int) -> float:
    """Return the empirical mean of an arm, counted from its bar; it has been pulled."""
    return float(trial.rows[k]["total"] / trial.rows[k]["count"])


@njit(cache=True, inline="always")
def output(trial: Trial, k: int) -> None:
    """Output an arm as above its bar."""
    trial.rows[k]["verdict"] = 1
    trial.clock[OUTPUTS] += 1
